// A line through points, y = w x + b: the smallest network that trains.
module {
  weir.parameter @w : tensor<1x1xf32> initial {name = "constant", value = 0.0}
  weir.parameter @b : tensor<1xf32> initial {name = "constant", value = 0.0}

  func.func @train(%x: tensor<8x1xf32>, %y: tensor<8x1xf32>) -> (tensor<f32> {weir.name = "loss"}) {
    %w = weir.read @w : tensor<1x1xf32>
    %b = weir.read @b : tensor<1xf32>
    %guess = weir.linear %x, %w, %b : tensor<8x1xf32>, tensor<1x1xf32>, tensor<1xf32>
    %errors = weir.squared_error %guess, %y : tensor<8x1xf32>, tensor<8x1xf32>
    %loss = weir.reduce_mean %errors {keepdims = false} : tensor<8x1xf32>
    weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1}} : tensor<f32>
    return %loss : tensor<f32>
  }
}
