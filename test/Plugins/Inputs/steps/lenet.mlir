// Written by utils/gradients/networks.py --drawn.
weir.parameter @c1_w : tensor<6x1x5x5xf32>
    initial {name = "normal", mean = 0.0, scale = 0.2, seed = 1}
weir.parameter @c1_b : tensor<6xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 2}
weir.parameter @c2_w : tensor<16x6x5x5xf32>
    initial {name = "normal", mean = 0.0, scale = 0.0816497, seed = 3}
weir.parameter @c2_b : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 4}
weir.parameter @f1_w : tensor<120x400xf32>
    initial {name = "normal", mean = 0.0, scale = 0.05, seed = 5}
weir.parameter @f1_b : tensor<120xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 6}
weir.parameter @f2_w : tensor<84x120xf32>
    initial {name = "normal", mean = 0.0, scale = 0.0912871, seed = 7}
weir.parameter @f2_b : tensor<84xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 8}
weir.parameter @f3_w : tensor<10x84xf32>
    initial {name = "normal", mean = 0.0, scale = 0.109109, seed = 9}
weir.parameter @f3_b : tensor<10xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 10}

func.func @train(%data0: tensor<4x1x28x28xf32>, %data1: tensor<4xi64>) -> (tensor<f32> {weir.name = "loss"}) {
  %c1_w = weir.read @c1_w : tensor<6x1x5x5xf32>
  %c1_b = weir.read @c1_b : tensor<6xf32>
  %v0 = weir.conv %data0, %c1_w, %c1_b {groups = 1, pads = [2, 2, 2, 2], strides = [1, 1]} : tensor<4x1x28x28xf32>, tensor<6x1x5x5xf32>, tensor<6xf32>
  %v1 = weir.max_pool %v0 {kernel_shape = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : tensor<4x6x28x28xf32>
  %v2 = weir.relu %v1 : tensor<4x6x14x14xf32>
  %c2_w = weir.read @c2_w : tensor<16x6x5x5xf32>
  %c2_b = weir.read @c2_b : tensor<16xf32>
  %v3 = weir.conv %v2, %c2_w, %c2_b {groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : tensor<4x6x14x14xf32>, tensor<16x6x5x5xf32>, tensor<16xf32>
  %v4 = weir.max_pool %v3 {kernel_shape = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : tensor<4x16x10x10xf32>
  %v5 = weir.relu %v4 : tensor<4x16x5x5xf32>
  %v6 = weir.reshape %v5 {shape = [4, 400]} : tensor<4x16x5x5xf32>
  %f1_w = weir.read @f1_w : tensor<120x400xf32>
  %f1_b = weir.read @f1_b : tensor<120xf32>
  %v7 = weir.linear %v6, %f1_w, %f1_b : tensor<4x400xf32>, tensor<120x400xf32>, tensor<120xf32>
  %v8 = weir.relu %v7 : tensor<4x120xf32>
  %f2_w = weir.read @f2_w : tensor<84x120xf32>
  %f2_b = weir.read @f2_b : tensor<84xf32>
  %v9 = weir.linear %v8, %f2_w, %f2_b : tensor<4x120xf32>, tensor<84x120xf32>, tensor<84xf32>
  %v10 = weir.relu %v9 : tensor<4x84xf32>
  %f3_w = weir.read @f3_w : tensor<10x84xf32>
  %f3_b = weir.read @f3_b : tensor<10xf32>
  %v11 = weir.linear %v10, %f3_w, %f3_b : tensor<4x84xf32>, tensor<10x84xf32>, tensor<10xf32>
  %v12 = weir.log_softmax %v11 {axis = -1} : tensor<4x10xf32>
  %v13 = weir.reshape %data1 {shape = [4, 1]} : tensor<4xi64>
  %v14 = weir.take_along_axis %v12, %v13 {axis = 1} : tensor<4x10xf32>, tensor<4x1xi64>
  %v15 = weir.reduce_mean %v14 {keepdims = false} : tensor<4x1xf32>
  %v16 = weir.neg %v15 : tensor<f32>
  weir.minimize %v16 {optimizer = {name = "adamw", rate = 0.001, weight_decay = 0.01, epsilon = 0.0001}} : tensor<f32>
  return %v16 : tensor<f32>
}
