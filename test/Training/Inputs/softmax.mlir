// A softmax classifier. An entry `train` makes a step of gradient descent with
// momentum, an entry `validate` computes the loss of other examples.
weir.parameter @w : tensor<3x8xf32> = dense<0.1> : tensor<3x8xf32>
weir.parameter @b : tensor<3xf32> = dense<0.0> : tensor<3xf32>

func.func @train(%x: tensor<16x8xf32>, %y: tensor<16xi64>) -> (tensor<f32> {weir.name = "loss"}) {
  %w = weir.read @w : tensor<3x8xf32>
  %b = weir.read @b : tensor<3xf32>
  %z = weir.linear %x, %w, %b : tensor<16x8xf32>, tensor<3x8xf32>, tensor<3xf32>
  %rows = weir.sparse_softmax_cross_entropy %z, %y : tensor<16x3xf32>, tensor<16xi64>
  %loss = weir.reduce_mean %rows {keepdims = false} : tensor<16xf32>
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.05, momentum = 0.9}} : tensor<f32>
  return %loss : tensor<f32>
}

func.func @validate(%x: tensor<50x8xf32>, %y: tensor<50xi64>) -> (tensor<f32> {weir.name = "loss"}, tensor<f32> {weir.name = "accuracy"}) {
  %w = weir.read @w : tensor<3x8xf32>
  %b = weir.read @b : tensor<3xf32>
  %z = weir.linear %x, %w, %b : tensor<50x8xf32>, tensor<3x8xf32>, tensor<3xf32>
  %rows = weir.sparse_softmax_cross_entropy %z, %y : tensor<50x3xf32>, tensor<50xi64>
  %loss = weir.reduce_mean %rows {keepdims = false} : tensor<50xf32>
  %right = weir.accuracy %z, %y : tensor<50x3xf32>, tensor<50xi64>
  return %loss, %right : tensor<f32>, tensor<f32>
}
