// Written by utils/gradients/networks.py --drawn.
weir.parameter @stem_w : tensor<8x3x3x3xf32>
    initial {name = "normal", mean = 0.0, scale = 0.19245, seed = 1}
weir.parameter @stemn_scale : tensor<8xf32>
    initial {name = "normal", mean = 1.0, scale = 0.1, seed = 2}
weir.parameter @stemn_bias : tensor<8xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 3}
weir.parameter @r0a_w : tensor<8x8x3x3xf32>
    initial {name = "normal", mean = 0.0, scale = 0.117851, seed = 4}
weir.parameter @r0an_scale : tensor<8xf32>
    initial {name = "normal", mean = 1.0, scale = 0.1, seed = 5}
weir.parameter @r0an_bias : tensor<8xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 6}
weir.parameter @r0b_w : tensor<8x8x3x3xf32>
    initial {name = "normal", mean = 0.0, scale = 0.117851, seed = 7}
weir.parameter @r0bn_scale : tensor<8xf32>
    initial {name = "normal", mean = 1.0, scale = 0.1, seed = 8}
weir.parameter @r0bn_bias : tensor<8xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 9}
weir.parameter @r1a_w : tensor<16x8x3x3xf32>
    initial {name = "normal", mean = 0.0, scale = 0.117851, seed = 10}
weir.parameter @r1an_scale : tensor<16xf32>
    initial {name = "normal", mean = 1.0, scale = 0.1, seed = 11}
weir.parameter @r1an_bias : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 12}
weir.parameter @r1b_w : tensor<16x16x3x3xf32>
    initial {name = "normal", mean = 0.0, scale = 0.0833333, seed = 13}
weir.parameter @r1bn_scale : tensor<16xf32>
    initial {name = "normal", mean = 1.0, scale = 0.1, seed = 14}
weir.parameter @r1bn_bias : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 15}
weir.parameter @r1s_w : tensor<16x8x1x1xf32>
    initial {name = "normal", mean = 0.0, scale = 0.353553, seed = 16}
weir.parameter @r1sn_scale : tensor<16xf32>
    initial {name = "normal", mean = 1.0, scale = 0.1, seed = 17}
weir.parameter @r1sn_bias : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 18}
weir.parameter @r2a_w : tensor<32x16x3x3xf32>
    initial {name = "normal", mean = 0.0, scale = 0.0833333, seed = 19}
weir.parameter @r2an_scale : tensor<32xf32>
    initial {name = "normal", mean = 1.0, scale = 0.1, seed = 20}
weir.parameter @r2an_bias : tensor<32xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 21}
weir.parameter @r2b_w : tensor<32x32x3x3xf32>
    initial {name = "normal", mean = 0.0, scale = 0.0589256, seed = 22}
weir.parameter @r2bn_scale : tensor<32xf32>
    initial {name = "normal", mean = 1.0, scale = 0.1, seed = 23}
weir.parameter @r2bn_bias : tensor<32xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 24}
weir.parameter @r2s_w : tensor<32x16x1x1xf32>
    initial {name = "normal", mean = 0.0, scale = 0.25, seed = 25}
weir.parameter @r2sn_scale : tensor<32xf32>
    initial {name = "normal", mean = 1.0, scale = 0.1, seed = 26}
weir.parameter @r2sn_bias : tensor<32xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 27}
weir.parameter @head_w : tensor<10x32xf32>
    initial {name = "normal", mean = 0.0, scale = 0.176777, seed = 28}
weir.parameter @head_b : tensor<10xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 29}

func.func @train(%data0: tensor<4x3x16x16xf32>, %data1: tensor<4xi64>) -> (tensor<f32> {weir.name = "loss"}) {
  %stem_w = weir.read @stem_w : tensor<8x3x3x3xf32>
  %v0 = weir.conv %data0, %stem_w {groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : tensor<4x3x16x16xf32>, tensor<8x3x3x3xf32>
  %stemn_scale = weir.read @stemn_scale : tensor<8xf32>
  %stemn_bias = weir.read @stemn_bias : tensor<8xf32>
  %v1:3 = weir.batch_norm_training %v0, %stemn_scale, %stemn_bias {epsilon = 1.0e-5} : tensor<4x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>
  %v2 = weir.relu %v1#0 : tensor<4x8x16x16xf32>
  %r0a_w = weir.read @r0a_w : tensor<8x8x3x3xf32>
  %v3 = weir.conv %v2, %r0a_w {groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : tensor<4x8x16x16xf32>, tensor<8x8x3x3xf32>
  %r0an_scale = weir.read @r0an_scale : tensor<8xf32>
  %r0an_bias = weir.read @r0an_bias : tensor<8xf32>
  %v4:3 = weir.batch_norm_training %v3, %r0an_scale, %r0an_bias {epsilon = 1.0e-5} : tensor<4x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>
  %v5 = weir.relu %v4#0 : tensor<4x8x16x16xf32>
  %r0b_w = weir.read @r0b_w : tensor<8x8x3x3xf32>
  %v6 = weir.conv %v5, %r0b_w {groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : tensor<4x8x16x16xf32>, tensor<8x8x3x3xf32>
  %r0bn_scale = weir.read @r0bn_scale : tensor<8xf32>
  %r0bn_bias = weir.read @r0bn_bias : tensor<8xf32>
  %v7:3 = weir.batch_norm_training %v6, %r0bn_scale, %r0bn_bias {epsilon = 1.0e-5} : tensor<4x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>
  %v8 = weir.add %v2, %v7#0 : tensor<4x8x16x16xf32>, tensor<4x8x16x16xf32>
  %v9 = weir.relu %v8 : tensor<4x8x16x16xf32>
  %r1a_w = weir.read @r1a_w : tensor<16x8x3x3xf32>
  %v10 = weir.conv %v9, %r1a_w {groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : tensor<4x8x16x16xf32>, tensor<16x8x3x3xf32>
  %r1an_scale = weir.read @r1an_scale : tensor<16xf32>
  %r1an_bias = weir.read @r1an_bias : tensor<16xf32>
  %v11:3 = weir.batch_norm_training %v10, %r1an_scale, %r1an_bias {epsilon = 1.0e-5} : tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>
  %v12 = weir.relu %v11#0 : tensor<4x16x8x8xf32>
  %r1b_w = weir.read @r1b_w : tensor<16x16x3x3xf32>
  %v13 = weir.conv %v12, %r1b_w {groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : tensor<4x16x8x8xf32>, tensor<16x16x3x3xf32>
  %r1bn_scale = weir.read @r1bn_scale : tensor<16xf32>
  %r1bn_bias = weir.read @r1bn_bias : tensor<16xf32>
  %v14:3 = weir.batch_norm_training %v13, %r1bn_scale, %r1bn_bias {epsilon = 1.0e-5} : tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>
  %r1s_w = weir.read @r1s_w : tensor<16x8x1x1xf32>
  %v15 = weir.conv %v9, %r1s_w {groups = 1, pads = [0, 0, 0, 0], strides = [2, 2]} : tensor<4x8x16x16xf32>, tensor<16x8x1x1xf32>
  %r1sn_scale = weir.read @r1sn_scale : tensor<16xf32>
  %r1sn_bias = weir.read @r1sn_bias : tensor<16xf32>
  %v16:3 = weir.batch_norm_training %v15, %r1sn_scale, %r1sn_bias {epsilon = 1.0e-5} : tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>
  %v17 = weir.add %v16#0, %v14#0 : tensor<4x16x8x8xf32>, tensor<4x16x8x8xf32>
  %v18 = weir.relu %v17 : tensor<4x16x8x8xf32>
  %r2a_w = weir.read @r2a_w : tensor<32x16x3x3xf32>
  %v19 = weir.conv %v18, %r2a_w {groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : tensor<4x16x8x8xf32>, tensor<32x16x3x3xf32>
  %r2an_scale = weir.read @r2an_scale : tensor<32xf32>
  %r2an_bias = weir.read @r2an_bias : tensor<32xf32>
  %v20:3 = weir.batch_norm_training %v19, %r2an_scale, %r2an_bias {epsilon = 1.0e-5} : tensor<4x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>
  %v21 = weir.relu %v20#0 : tensor<4x32x4x4xf32>
  %r2b_w = weir.read @r2b_w : tensor<32x32x3x3xf32>
  %v22 = weir.conv %v21, %r2b_w {groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : tensor<4x32x4x4xf32>, tensor<32x32x3x3xf32>
  %r2bn_scale = weir.read @r2bn_scale : tensor<32xf32>
  %r2bn_bias = weir.read @r2bn_bias : tensor<32xf32>
  %v23:3 = weir.batch_norm_training %v22, %r2bn_scale, %r2bn_bias {epsilon = 1.0e-5} : tensor<4x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>
  %r2s_w = weir.read @r2s_w : tensor<32x16x1x1xf32>
  %v24 = weir.conv %v18, %r2s_w {groups = 1, pads = [0, 0, 0, 0], strides = [2, 2]} : tensor<4x16x8x8xf32>, tensor<32x16x1x1xf32>
  %r2sn_scale = weir.read @r2sn_scale : tensor<32xf32>
  %r2sn_bias = weir.read @r2sn_bias : tensor<32xf32>
  %v25:3 = weir.batch_norm_training %v24, %r2sn_scale, %r2sn_bias {epsilon = 1.0e-5} : tensor<4x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>
  %v26 = weir.add %v25#0, %v23#0 : tensor<4x32x4x4xf32>, tensor<4x32x4x4xf32>
  %v27 = weir.relu %v26 : tensor<4x32x4x4xf32>
  %v28 = weir.global_average_pool %v27 : tensor<4x32x4x4xf32>
  %v29 = weir.reshape %v28 {shape = [4, 32]} : tensor<4x32x1x1xf32>
  %head_w = weir.read @head_w : tensor<10x32xf32>
  %head_b = weir.read @head_b : tensor<10xf32>
  %v30 = weir.linear %v29, %head_w, %head_b : tensor<4x32xf32>, tensor<10x32xf32>, tensor<10xf32>
  %v31 = weir.log_softmax %v30 {axis = -1} : tensor<4x10xf32>
  %v32 = weir.reshape %data1 {shape = [4, 1]} : tensor<4xi64>
  %v33 = weir.take_along_axis %v31, %v32 {axis = 1} : tensor<4x10xf32>, tensor<4x1xi64>
  %v34 = weir.reduce_mean %v33 {keepdims = false} : tensor<4x1xf32>
  %v35 = weir.neg %v34 : tensor<f32>
  weir.minimize %v35 {optimizer = {name = "sgd", rate = 0.02, momentum = 0.9, weight_decay = 0.0005}} : tensor<f32>
  return %v35 : tensor<f32>
}
