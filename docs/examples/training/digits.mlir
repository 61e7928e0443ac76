// The convolutional network of Keras' first example, with the entries of its
// training: `train` is one step, `validate` computes the loss and the accuracy
// on other digits.
module {
  weir.parameter @conv1_weight : tensor<32x1x3x3xf32> initial {name = "glorot_uniform", seed = 1}
  weir.parameter @conv1_bias : tensor<32xf32> initial {name = "constant", value = 0.0}
  weir.parameter @conv2_weight : tensor<64x32x3x3xf32> initial {name = "glorot_uniform", seed = 2}
  weir.parameter @conv2_bias : tensor<64xf32> initial {name = "constant", value = 0.0}
  weir.parameter @dense_weight : tensor<10x1600xf32> initial {name = "glorot_uniform", seed = 3}
  weir.parameter @dense_bias : tensor<10xf32> initial {name = "constant", value = 0.0}
  // Counts the steps, so that each drops other values.
  weir.parameter @step : tensor<i64> = dense<0> : tensor<i64>

  func.func @train(%image: tensor<64x1x28x28xf32>, %label: tensor<64xi64>)
      -> (tensor<f32> {weir.name = "loss"}, tensor<f32> {weir.name = "accuracy"}) {
    %conv1_weight = weir.read @conv1_weight : tensor<32x1x3x3xf32>
    %conv1_bias = weir.read @conv1_bias : tensor<32xf32>
    %conv1 = weir.conv %image, %conv1_weight, %conv1_bias : tensor<64x1x28x28xf32>, tensor<32x1x3x3xf32>, tensor<32xf32>
    %relu1 = weir.relu %conv1 : tensor<64x32x26x26xf32>
    %pool1 = weir.max_pool %relu1 {kernel_shape = [2, 2], strides = [2, 2]} : tensor<64x32x26x26xf32>
    %conv2_weight = weir.read @conv2_weight : tensor<64x32x3x3xf32>
    %conv2_bias = weir.read @conv2_bias : tensor<64xf32>
    %conv2 = weir.conv %pool1, %conv2_weight, %conv2_bias : tensor<64x32x13x13xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>
    %relu2 = weir.relu %conv2 : tensor<64x64x11x11xf32>
    %pool2 = weir.max_pool %relu2 {kernel_shape = [2, 2], strides = [2, 2]} : tensor<64x64x11x11xf32>
    %flat = weir.reshape %pool2 {shape = [64, 1600]} : tensor<64x64x5x5xf32>
    %step = weir.read @step : tensor<i64>
    %kept = weir.dropout %flat, %step {ratio = 0.5} : tensor<64x1600xf32>, tensor<i64>
    %dense_weight = weir.read @dense_weight : tensor<10x1600xf32>
    %dense_bias = weir.read @dense_bias : tensor<10xf32>
    %logits = weir.linear %kept, %dense_weight, %dense_bias : tensor<64x1600xf32>, tensor<10x1600xf32>, tensor<10xf32>

    %rows = weir.sparse_softmax_cross_entropy %logits, %label : tensor<64x10xf32>, tensor<64xi64>
    %loss = weir.reduce_mean %rows {keepdims = false} : tensor<64xf32>
    %accuracy = weir.accuracy %logits, %label : tensor<64x10xf32>, tensor<64xi64>
    weir.minimize %loss {optimizer = {name = "adam", rate = 0.001}} : tensor<f32>
    return %loss, %accuracy : tensor<f32>, tensor<f32>
  }

  func.func @validate(%image: tensor<100x1x28x28xf32>, %label: tensor<100xi64>)
      -> (tensor<f32> {weir.name = "loss"}, tensor<f32> {weir.name = "accuracy"}) {
    %conv1_weight = weir.read @conv1_weight : tensor<32x1x3x3xf32>
    %conv1_bias = weir.read @conv1_bias : tensor<32xf32>
    %conv1 = weir.conv %image, %conv1_weight, %conv1_bias : tensor<100x1x28x28xf32>, tensor<32x1x3x3xf32>, tensor<32xf32>
    %relu1 = weir.relu %conv1 : tensor<100x32x26x26xf32>
    %pool1 = weir.max_pool %relu1 {kernel_shape = [2, 2], strides = [2, 2]} : tensor<100x32x26x26xf32>
    %conv2_weight = weir.read @conv2_weight : tensor<64x32x3x3xf32>
    %conv2_bias = weir.read @conv2_bias : tensor<64xf32>
    %conv2 = weir.conv %pool1, %conv2_weight, %conv2_bias : tensor<100x32x13x13xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>
    %relu2 = weir.relu %conv2 : tensor<100x64x11x11xf32>
    %pool2 = weir.max_pool %relu2 {kernel_shape = [2, 2], strides = [2, 2]} : tensor<100x64x11x11xf32>
    %flat = weir.reshape %pool2 {shape = [100, 1600]} : tensor<100x64x5x5xf32>
    %dense_weight = weir.read @dense_weight : tensor<10x1600xf32>
    %dense_bias = weir.read @dense_bias : tensor<10xf32>
    %logits = weir.linear %flat, %dense_weight, %dense_bias : tensor<100x1600xf32>, tensor<10x1600xf32>, tensor<10xf32>

    %rows = weir.sparse_softmax_cross_entropy %logits, %label : tensor<100x10xf32>, tensor<100xi64>
    %loss = weir.reduce_mean %rows {keepdims = false} : tensor<100xf32>
    %accuracy = weir.accuracy %logits, %label : tensor<100x10xf32>, tensor<100xi64>
    return %loss, %accuracy : tensor<f32>, tensor<f32>
  }
}
