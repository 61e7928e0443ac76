// A detector of text: two feature maps of a backbone, joined by a head.
weir.parameter @w0 : tensor<8x3x3x3xf32> uniform <seed = 1, low = -0.5, high = 0.5>
weir.parameter @b0 : tensor<8xf32> uniform <seed = 2, low = -0.5, high = 0.5>
weir.parameter @w1 : tensor<8x8x3x3xf32> uniform <seed = 3, low = -0.2, high = 0.2>
weir.parameter @b1 : tensor<8xf32> uniform <seed = 4, low = -0.5, high = 0.5>
weir.parameter @w2 : tensor<8x8x2x2xf32> uniform <seed = 5, low = -0.3, high = 0.3>
weir.parameter @w3 : tensor<1x8x1x1xf32> uniform <seed = 6, low = -0.5, high = 0.5>
weir.parameter @b3 : tensor<1xf32> uniform <seed = 7, low = -0.5, high = 0.5>
func.func @main(%x: tensor<1x3x16x16xf32>) -> tensor<1x1x16x16xf32> {
  %w0 = weir.read @w0 : tensor<8x3x3x3xf32>
  %b0 = weir.read @b0 : tensor<8xf32>
  %stem = weir.conv %x, %w0, %b0 {pads = [1, 1, 1, 1]} : tensor<1x3x16x16xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>
  %fine = weir.relu %stem : tensor<1x8x16x16xf32>
  %w1 = weir.read @w1 : tensor<8x8x3x3xf32>
  %b1 = weir.read @b1 : tensor<8xf32>
  %down = weir.conv %fine, %w1, %b1 {pads = [1, 1, 1, 1], strides = [2, 2]} : tensor<1x8x16x16xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>
  %coarse = weir.relu %down : tensor<1x8x8x8xf32>
  %w2 = weir.read @w2 : tensor<8x8x2x2xf32>
  %up = weir.conv_transpose %coarse, %w2 {strides = [2, 2]} : tensor<1x8x8x8xf32>, tensor<8x8x2x2xf32>
  %joined = weir.add %up, %fine : tensor<1x8x16x16xf32>, tensor<1x8x16x16xf32>
  %w3 = weir.read @w3 : tensor<1x8x1x1xf32>
  %b3 = weir.read @b3 : tensor<1xf32>
  %map = weir.conv %joined, %w3, %b3 : tensor<1x8x16x16xf32>, tensor<1x8x1x1xf32>, tensor<1xf32>
  %y = weir.sigmoid %map : tensor<1x1x16x16xf32>
  return %y : tensor<1x1x16x16xf32>
}
