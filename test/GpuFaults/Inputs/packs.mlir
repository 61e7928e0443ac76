// Gradients of two layers, which launches write to their places in a pack. One
// has no multiple of 4 elements.
weir.parameter @w : tensor<8x6xf32> uniform <seed = 1, low = -0.5, high = 0.5>
weir.parameter @b : tensor<6xf32> uniform <seed = 2, low = -0.5, high = 0.5>
weir.parameter @v : tensor<6x3xf32> uniform <seed = 3, low = -0.5, high = 0.5>

func.func @main(%x: tensor<4x8xf32>) -> (tensor<f32>, tensor<96xf32>) {
  %w = weir.read @w : tensor<8x6xf32>
  %b = weir.read @b : tensor<6xf32>
  %v = weir.read @v : tensor<6x3xf32>
  %m = weir.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32>
  %a = weir.add %m, %b : tensor<4x6xf32>, tensor<6xf32>
  %h = weir.tanh %a : tensor<4x6xf32>
  %z = weir.matmul %h, %v : tensor<4x6xf32>, tensor<6x3xf32>
  %s = weir.mul %z, %z : tensor<4x3xf32>, tensor<4x3xf32>
  %loss = weir.reduce_mean %s {keepdims = false} : tensor<4x3xf32>
  %dw, %db, %dv = weir.gradient %loss of %w, %b, %v
      : tensor<f32> of tensor<8x6xf32>, tensor<6xf32>, tensor<6x3xf32>
  %g = weir.pack %dw, %db, %dv : tensor<8x6xf32>, tensor<6xf32>, tensor<6x3xf32>
  %square = weir.mul %g, %g : tensor<96xf32>, tensor<96xf32>
  return %loss, %square : tensor<f32>, tensor<96xf32>
}
