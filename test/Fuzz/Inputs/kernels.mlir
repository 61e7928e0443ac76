// Kernels that compute addresses themselves, on small tensors.
func.func @main(%x: tensor<1x16x4x4xf32>, %i: tensor<3xi64>)
    -> (tensor<1x3x8x8xf32>, tensor<1x2x4x4xi64>, tensor<4xi64>,
        tensor<4x2xf32>) {
  %w = weir.constant dense<0.5> : tensor<16x16x3x3xf32>
  %stamps = weir.constant dense<0.25> : tensor<16x3x2x2xf32>
  %bias = weir.constant dense<1.0> : tensor<3xf32>
  %rows = weir.constant dense<2.0> : tensor<4x2xf32>
  %c = weir.conv %x, %w {pads = [1, 1, 1, 1]} : tensor<1x16x4x4xf32>, tensor<16x16x3x3xf32>
  %y = weir.conv_transpose %c, %stamps, %bias {strides = [2, 2]} : tensor<1x16x4x4xf32>, tensor<16x3x2x2xf32>, tensor<3xf32>
  %t = weir.top_k %c {axis = 1, k = 2} : tensor<1x16x4x4xf32>
  %p = weir.inverse_index %i {size = 4} : tensor<3xi64>
  %q = weir.reshape %i {shape = [3, 1]} : tensor<3xi64>
  %u = weir.constant dense<1.0> : tensor<3x2xf32>
  %s = weir.scatter_nd %rows, %q, %u : tensor<4x2xf32>, tensor<3x1xi64>, tensor<3x2xf32>
  return %y, %t, %p, %s : tensor<1x3x8x8xf32>, tensor<1x2x4x4xi64>, tensor<4xi64>, tensor<4x2xf32>
}
