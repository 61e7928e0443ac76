// LeNet for images of 28 x 28 (LeCun et al., 1998) with ReLU and max pools, and
// the entries of its training. learn.py replaces the seeds.
module {
  weir.parameter @c1_weight : tensor<6x1x5x5xf32> initial {name = "glorot_uniform", seed = 1}
  weir.parameter @c1_bias : tensor<6xf32> initial {name = "constant", value = 0.0}
  weir.parameter @c2_weight : tensor<16x6x5x5xf32> initial {name = "glorot_uniform", seed = 2}
  weir.parameter @c2_bias : tensor<16xf32> initial {name = "constant", value = 0.0}
  weir.parameter @f1_weight : tensor<120x256xf32> initial {name = "glorot_uniform", seed = 3}
  weir.parameter @f1_bias : tensor<120xf32> initial {name = "constant", value = 0.0}
  weir.parameter @f2_weight : tensor<84x120xf32> initial {name = "glorot_uniform", seed = 4}
  weir.parameter @f2_bias : tensor<84xf32> initial {name = "constant", value = 0.0}
  weir.parameter @f3_weight : tensor<10x84xf32> initial {name = "glorot_uniform", seed = 5}
  weir.parameter @f3_bias : tensor<10xf32> initial {name = "constant", value = 0.0}

  func.func @train(%image: tensor<64x1x28x28xf32>, %label: tensor<64xi64>)
      -> (tensor<f32> {weir.name = "loss"}, tensor<f32> {weir.name = "accuracy"}) {
    %w1 = weir.read @c1_weight : tensor<6x1x5x5xf32>
    %b1 = weir.read @c1_bias : tensor<6xf32>
    %c1 = weir.conv %image, %w1, %b1 : tensor<64x1x28x28xf32>, tensor<6x1x5x5xf32>, tensor<6xf32>
    %r1 = weir.relu %c1 : tensor<64x6x24x24xf32>
    %p1 = weir.max_pool %r1 {kernel_shape = [2, 2], strides = [2, 2]} : tensor<64x6x24x24xf32>
    %w2 = weir.read @c2_weight : tensor<16x6x5x5xf32>
    %b2 = weir.read @c2_bias : tensor<16xf32>
    %c2 = weir.conv %p1, %w2, %b2 : tensor<64x6x12x12xf32>, tensor<16x6x5x5xf32>, tensor<16xf32>
    %r2 = weir.relu %c2 : tensor<64x16x8x8xf32>
    %p2 = weir.max_pool %r2 {kernel_shape = [2, 2], strides = [2, 2]} : tensor<64x16x8x8xf32>
    %x = weir.reshape %p2 {shape = [64, 256]} : tensor<64x16x4x4xf32>
    %w3 = weir.read @f1_weight : tensor<120x256xf32>
    %b3 = weir.read @f1_bias : tensor<120xf32>
    %f1 = weir.linear %x, %w3, %b3 : tensor<64x256xf32>, tensor<120x256xf32>, tensor<120xf32>
    %r3 = weir.relu %f1 : tensor<64x120xf32>
    %w4 = weir.read @f2_weight : tensor<84x120xf32>
    %b4 = weir.read @f2_bias : tensor<84xf32>
    %f2 = weir.linear %r3, %w4, %b4 : tensor<64x120xf32>, tensor<84x120xf32>, tensor<84xf32>
    %r4 = weir.relu %f2 : tensor<64x84xf32>
    %w5 = weir.read @f3_weight : tensor<10x84xf32>
    %b5 = weir.read @f3_bias : tensor<10xf32>
    %logits = weir.linear %r4, %w5, %b5 : tensor<64x84xf32>, tensor<10x84xf32>, tensor<10xf32>
    %rows = weir.sparse_softmax_cross_entropy %logits, %label : tensor<64x10xf32>, tensor<64xi64>
    %loss = weir.reduce_mean %rows {keepdims = false} : tensor<64xf32>
    %accuracy = weir.accuracy %logits, %label : tensor<64x10xf32>, tensor<64xi64>
    weir.minimize %loss {optimizer = {name = "sgd", rate = 0.02, momentum = 0.9, weight_decay = 0.0005}} : tensor<f32>
    return %loss, %accuracy : tensor<f32>, tensor<f32>
  }

  func.func @validate(%image: tensor<100x1x28x28xf32>, %label: tensor<100xi64>)
      -> (tensor<f32> {weir.name = "loss"}, tensor<f32> {weir.name = "accuracy"}) {
    %w1 = weir.read @c1_weight : tensor<6x1x5x5xf32>
    %b1 = weir.read @c1_bias : tensor<6xf32>
    %c1 = weir.conv %image, %w1, %b1 : tensor<100x1x28x28xf32>, tensor<6x1x5x5xf32>, tensor<6xf32>
    %r1 = weir.relu %c1 : tensor<100x6x24x24xf32>
    %p1 = weir.max_pool %r1 {kernel_shape = [2, 2], strides = [2, 2]} : tensor<100x6x24x24xf32>
    %w2 = weir.read @c2_weight : tensor<16x6x5x5xf32>
    %b2 = weir.read @c2_bias : tensor<16xf32>
    %c2 = weir.conv %p1, %w2, %b2 : tensor<100x6x12x12xf32>, tensor<16x6x5x5xf32>, tensor<16xf32>
    %r2 = weir.relu %c2 : tensor<100x16x8x8xf32>
    %p2 = weir.max_pool %r2 {kernel_shape = [2, 2], strides = [2, 2]} : tensor<100x16x8x8xf32>
    %x = weir.reshape %p2 {shape = [100, 256]} : tensor<100x16x4x4xf32>
    %w3 = weir.read @f1_weight : tensor<120x256xf32>
    %b3 = weir.read @f1_bias : tensor<120xf32>
    %f1 = weir.linear %x, %w3, %b3 : tensor<100x256xf32>, tensor<120x256xf32>, tensor<120xf32>
    %r3 = weir.relu %f1 : tensor<100x120xf32>
    %w4 = weir.read @f2_weight : tensor<84x120xf32>
    %b4 = weir.read @f2_bias : tensor<84xf32>
    %f2 = weir.linear %r3, %w4, %b4 : tensor<100x120xf32>, tensor<84x120xf32>, tensor<84xf32>
    %r4 = weir.relu %f2 : tensor<100x84xf32>
    %w5 = weir.read @f3_weight : tensor<10x84xf32>
    %b5 = weir.read @f3_bias : tensor<10xf32>
    %logits = weir.linear %r4, %w5, %b5 : tensor<100x84xf32>, tensor<10x84xf32>, tensor<10xf32>
    %rows = weir.sparse_softmax_cross_entropy %logits, %label : tensor<100x10xf32>, tensor<100xi64>
    %loss = weir.reduce_mean %rows {keepdims = false} : tensor<100xf32>
    %accuracy = weir.accuracy %logits, %label : tensor<100x10xf32>, tensor<100xi64>
    return %loss, %accuracy : tensor<f32>, tensor<f32>
  }
}
