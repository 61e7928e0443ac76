// A loss and its gradients. The weights of one convolution are an input.
weir.parameter @w1 : tensor<8x4x3x3xf32> uniform <seed = 1, low = -0.5, high = 0.5>
weir.parameter @b2 : tensor<8xf32> uniform <seed = 3, low = -0.5, high = 0.5>
func.func @main(%x: tensor<2x4x8x8xf32>, %t: tensor<2x8x4x4xf32>, %w2: tensor<8x8x3x3xf32>)
    -> (tensor<f32>, tensor<8x4x3x3xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) {
  %w1 = weir.read @w1 : tensor<8x4x3x3xf32>
  %b2 = weir.read @b2 : tensor<8xf32>
  %h = weir.conv %x, %w1 {pads = [1, 1, 1, 1]} : tensor<2x4x8x8xf32>, tensor<8x4x3x3xf32>
  %a = weir.relu %h : tensor<2x8x8x8xf32>
  %p = weir.max_pool %a {kernel_shape = [2, 2], strides = [2, 2]} : tensor<2x8x8x8xf32>
  %y = weir.conv %p, %w2, %b2 {pads = [1, 1, 1, 1]} : tensor<2x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>
  %r = weir.add %y, %p : tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>
  %e = weir.squared_error %r, %t : tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>
  %loss = weir.reduce_mean %e {keepdims = false} : tensor<2x8x4x4xf32>
  %g:3 = weir.gradient %loss of %w1, %w2, %b2
      : tensor<f32> of tensor<8x4x3x3xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>
  return %loss, %g#0, %g#1, %g#2
      : tensor<f32>, tensor<8x4x3x3xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>
}
