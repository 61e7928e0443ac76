// Convolutions with biases, activations and a residual, alone, by channel and
// transposed; pools and a product. In f32, cuDNN does not clip.
weir.parameter @w0 : tensor<8x3x3x3xf32> uniform <seed = 1, low = -0.5, high = 0.5>
weir.parameter @b0 : tensor<8xf32> uniform <seed = 2, low = -0.5, high = 0.5>
weir.parameter @w1 : tensor<8x8x3x3xf32> uniform <seed = 3, low = -0.2, high = 0.2>
weir.parameter @b1 : tensor<8xf32> uniform <seed = 4, low = -0.5, high = 0.5>
weir.parameter @w2 : tensor<8x1x3x3xf32> uniform <seed = 5, low = -0.5, high = 0.5>
weir.parameter @b2 : tensor<8xf32> uniform <seed = 6, low = -0.5, high = 0.5>
weir.parameter @w3 : tensor<8x6x2x2xf32> uniform <seed = 7, low = -0.5, high = 0.5>
weir.parameter @b3 : tensor<6xf32> uniform <seed = 8, low = -0.5, high = 0.5>
weir.parameter @w4 : tensor<10x96xf32> uniform <seed = 9, low = -0.2, high = 0.2>
weir.parameter @b4 : tensor<10xf32> uniform <seed = 10, low = -0.5, high = 0.5>
weir.parameter @w5 : tensor<8x8x1x1xf32> uniform <seed = 11, low = -0.5, high = 0.5>
func.func @main(%x: tensor<1x3x8x8xf32>) -> tensor<1x10xf32> {
  %w0 = weir.read @w0 : tensor<8x3x3x3xf32>
  %b0 = weir.read @b0 : tensor<8xf32>
  %stem = weir.conv %x, %w0, %b0 {pads = [1, 1, 1, 1]} : tensor<1x3x8x8xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>
  %stem_act = weir.relu %stem : tensor<1x8x8x8xf32>
  %w1 = weir.read @w1 : tensor<8x8x3x3xf32>
  %b1 = weir.read @b1 : tensor<8xf32>
  %branch = weir.conv %stem_act, %w1, %b1 {pads = [1, 1, 1, 1]} : tensor<1x8x8x8xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>
  %sum = weir.add %branch, %stem_act : tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>
  %sum_act = weir.relu %sum : tensor<1x8x8x8xf32>
  %pooled = weir.max_pool %sum_act {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x8x8x8xf32>
  %w5 = weir.read @w5 : tensor<8x8x1x1xf32>
  %inner = weir.conv %pooled, %w5 : tensor<1x8x4x4xf32>, tensor<8x8x1x1xf32>
  %clipped = weir.clip %inner {max = 0.5, min = -0.25} : tensor<1x8x4x4xf32>
  %w2 = weir.read @w2 : tensor<8x1x3x3xf32>
  %b2 = weir.read @b2 : tensor<8xf32>
  %depthwise = weir.conv %clipped, %w2, %b2 {groups = 8, pads = [1, 1, 1, 1]} : tensor<1x8x4x4xf32>, tensor<8x1x3x3xf32>, tensor<8xf32>
  %gate = weir.sigmoid %depthwise : tensor<1x8x4x4xf32>
  %gated = weir.mul %gate, %pooled : tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>
  %w3 = weir.read @w3 : tensor<8x6x2x2xf32>
  %b3 = weir.read @b3 : tensor<6xf32>
  %wide = weir.conv_transpose %gated, %w3, %b3 {strides = [2, 2]} : tensor<1x8x4x4xf32>, tensor<8x6x2x2xf32>, tensor<6xf32>
  %small = weir.average_pool %wide {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x6x8x8xf32>
  %flat = weir.reshape %small {shape = [1, 96]} : tensor<1x6x4x4xf32>
  %w4 = weir.read @w4 : tensor<10x96xf32>
  %b4 = weir.read @b4 : tensor<10xf32>
  %scores = weir.linear %flat, %w4, %b4 : tensor<1x96xf32>, tensor<10x96xf32>, tensor<10xf32>
  %y = weir.softmax %scores : tensor<1x10xf32>
  return %y : tensor<1x10xf32>
}
