// Written by utils/gradients/networks.py --drawn.
weir.parameter @embedding : tensor<20x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.5, seed = 1}
weir.parameter @places : tensor<8x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.5, seed = 2}
weir.parameter @b0n1_scale : tensor<16xf32>
    initial {name = "normal", mean = 1.0, scale = 0.1, seed = 3}
weir.parameter @b0n1_bias : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 4}
weir.parameter @b0q_w : tensor<16x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.25, seed = 5}
weir.parameter @b0q_b : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 6}
weir.parameter @b0k_w : tensor<16x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.25, seed = 7}
weir.parameter @b0k_b : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 8}
weir.parameter @b0v_w : tensor<16x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.25, seed = 9}
weir.parameter @b0v_b : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 10}
weir.parameter @b0o_w : tensor<16x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.25, seed = 11}
weir.parameter @b0o_b : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 12}
weir.parameter @b0n2_scale : tensor<16xf32>
    initial {name = "normal", mean = 1.0, scale = 0.1, seed = 13}
weir.parameter @b0n2_bias : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 14}
weir.parameter @b0f1_w : tensor<64x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.25, seed = 15}
weir.parameter @b0f1_b : tensor<64xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 16}
weir.parameter @b0f2_w : tensor<16x64xf32>
    initial {name = "normal", mean = 0.0, scale = 0.125, seed = 17}
weir.parameter @b0f2_b : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 18}
weir.parameter @b1n1_scale : tensor<16xf32>
    initial {name = "normal", mean = 1.0, scale = 0.1, seed = 19}
weir.parameter @b1n1_bias : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 20}
weir.parameter @b1q_w : tensor<16x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.25, seed = 21}
weir.parameter @b1q_b : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 22}
weir.parameter @b1k_w : tensor<16x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.25, seed = 23}
weir.parameter @b1k_b : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 24}
weir.parameter @b1v_w : tensor<16x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.25, seed = 25}
weir.parameter @b1v_b : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 26}
weir.parameter @b1o_w : tensor<16x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.25, seed = 27}
weir.parameter @b1o_b : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 28}
weir.parameter @b1n2_scale : tensor<16xf32>
    initial {name = "normal", mean = 1.0, scale = 0.1, seed = 29}
weir.parameter @b1n2_bias : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 30}
weir.parameter @b1f1_w : tensor<64x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.25, seed = 31}
weir.parameter @b1f1_b : tensor<64xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 32}
weir.parameter @b1f2_w : tensor<16x64xf32>
    initial {name = "normal", mean = 0.0, scale = 0.125, seed = 33}
weir.parameter @b1f2_b : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 34}
weir.parameter @norm_scale : tensor<16xf32>
    initial {name = "normal", mean = 1.0, scale = 0.1, seed = 35}
weir.parameter @norm_bias : tensor<16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 36}
weir.parameter @head_w : tensor<20x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.25, seed = 37}
weir.parameter @head_b : tensor<20xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 38}

func.func @train(%data0: tensor<16xi64>, %data1: tensor<16xi64>) -> (tensor<f32> {weir.name = "loss"}) {
  %embedding = weir.read @embedding : tensor<20x16xf32>
  %v0 = weir.take %embedding, %data0 {axis = 0} : tensor<20x16xf32>, tensor<16xi64>
  %v1 = weir.reshape %v0 {shape = [2, 8, 16]} : tensor<16x16xf32>
  %places = weir.read @places : tensor<8x16xf32>
  %v2 = weir.add %v1, %places : tensor<2x8x16xf32>, tensor<8x16xf32>
  %v3 = weir.constant dense<[[0.0, -1000000000.0, -1000000000.0, -1000000000.0, -1000000000.0, -1000000000.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0, -1000000000.0, -1000000000.0, -1000000000.0, -1000000000.0, -1000000000.0], [0.0, 0.0, 0.0, -1000000000.0, -1000000000.0, -1000000000.0, -1000000000.0, -1000000000.0], [0.0, 0.0, 0.0, 0.0, -1000000000.0, -1000000000.0, -1000000000.0, -1000000000.0], [0.0, 0.0, 0.0, 0.0, 0.0, -1000000000.0, -1000000000.0, -1000000000.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<8x8xf32>
  %v4 = weir.constant dense<0.3535533845424652> : tensor<f32>
  %b0n1_scale = weir.read @b0n1_scale : tensor<16xf32>
  %b0n1_bias = weir.read @b0n1_bias : tensor<16xf32>
  %v5 = weir.layer_norm %v2, %b0n1_scale, %b0n1_bias {epsilon = 1.0e-5} : tensor<2x8x16xf32>, tensor<16xf32>, tensor<16xf32>
  %b0q_w = weir.read @b0q_w : tensor<16x16xf32>
  %b0q_b = weir.read @b0q_b : tensor<16xf32>
  %v6 = weir.linear %v5, %b0q_w, %b0q_b : tensor<2x8x16xf32>, tensor<16x16xf32>, tensor<16xf32>
  %v7 = weir.reshape %v6 {shape = [2, 8, 2, 8]} : tensor<2x8x16xf32>
  %v8 = weir.transpose %v7 {perm = [0, 2, 1, 3]} : tensor<2x8x2x8xf32>
  %b0k_w = weir.read @b0k_w : tensor<16x16xf32>
  %b0k_b = weir.read @b0k_b : tensor<16xf32>
  %v9 = weir.linear %v5, %b0k_w, %b0k_b : tensor<2x8x16xf32>, tensor<16x16xf32>, tensor<16xf32>
  %v10 = weir.reshape %v9 {shape = [2, 8, 2, 8]} : tensor<2x8x16xf32>
  %v11 = weir.transpose %v10 {perm = [0, 2, 3, 1]} : tensor<2x8x2x8xf32>
  %b0v_w = weir.read @b0v_w : tensor<16x16xf32>
  %b0v_b = weir.read @b0v_b : tensor<16xf32>
  %v12 = weir.linear %v5, %b0v_w, %b0v_b : tensor<2x8x16xf32>, tensor<16x16xf32>, tensor<16xf32>
  %v13 = weir.reshape %v12 {shape = [2, 8, 2, 8]} : tensor<2x8x16xf32>
  %v14 = weir.transpose %v13 {perm = [0, 2, 1, 3]} : tensor<2x8x2x8xf32>
  %v15 = weir.matmul %v8, %v11 : tensor<2x2x8x8xf32>, tensor<2x2x8x8xf32>
  %v16 = weir.mul %v15, %v4 : tensor<2x2x8x8xf32>, tensor<f32>
  %v17 = weir.add %v16, %v3 : tensor<2x2x8x8xf32>, tensor<8x8xf32>
  %v18 = weir.softmax %v17 {axis = -1} : tensor<2x2x8x8xf32>
  %v19 = weir.matmul %v18, %v14 : tensor<2x2x8x8xf32>, tensor<2x2x8x8xf32>
  %v20 = weir.transpose %v19 {perm = [0, 2, 1, 3]} : tensor<2x2x8x8xf32>
  %v21 = weir.reshape %v20 {shape = [2, 8, 16]} : tensor<2x8x2x8xf32>
  %b0o_w = weir.read @b0o_w : tensor<16x16xf32>
  %b0o_b = weir.read @b0o_b : tensor<16xf32>
  %v22 = weir.linear %v21, %b0o_w, %b0o_b : tensor<2x8x16xf32>, tensor<16x16xf32>, tensor<16xf32>
  %v23 = weir.add %v2, %v22 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
  %b0n2_scale = weir.read @b0n2_scale : tensor<16xf32>
  %b0n2_bias = weir.read @b0n2_bias : tensor<16xf32>
  %v24 = weir.layer_norm %v23, %b0n2_scale, %b0n2_bias {epsilon = 1.0e-5} : tensor<2x8x16xf32>, tensor<16xf32>, tensor<16xf32>
  %b0f1_w = weir.read @b0f1_w : tensor<64x16xf32>
  %b0f1_b = weir.read @b0f1_b : tensor<64xf32>
  %v25 = weir.linear %v24, %b0f1_w, %b0f1_b : tensor<2x8x16xf32>, tensor<64x16xf32>, tensor<64xf32>
  %v26 = weir.gelu %v25 : tensor<2x8x64xf32>
  %b0f2_w = weir.read @b0f2_w : tensor<16x64xf32>
  %b0f2_b = weir.read @b0f2_b : tensor<16xf32>
  %v27 = weir.linear %v26, %b0f2_w, %b0f2_b : tensor<2x8x64xf32>, tensor<16x64xf32>, tensor<16xf32>
  %v28 = weir.add %v23, %v27 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
  %b1n1_scale = weir.read @b1n1_scale : tensor<16xf32>
  %b1n1_bias = weir.read @b1n1_bias : tensor<16xf32>
  %v29 = weir.layer_norm %v28, %b1n1_scale, %b1n1_bias {epsilon = 1.0e-5} : tensor<2x8x16xf32>, tensor<16xf32>, tensor<16xf32>
  %b1q_w = weir.read @b1q_w : tensor<16x16xf32>
  %b1q_b = weir.read @b1q_b : tensor<16xf32>
  %v30 = weir.linear %v29, %b1q_w, %b1q_b : tensor<2x8x16xf32>, tensor<16x16xf32>, tensor<16xf32>
  %v31 = weir.reshape %v30 {shape = [2, 8, 2, 8]} : tensor<2x8x16xf32>
  %v32 = weir.transpose %v31 {perm = [0, 2, 1, 3]} : tensor<2x8x2x8xf32>
  %b1k_w = weir.read @b1k_w : tensor<16x16xf32>
  %b1k_b = weir.read @b1k_b : tensor<16xf32>
  %v33 = weir.linear %v29, %b1k_w, %b1k_b : tensor<2x8x16xf32>, tensor<16x16xf32>, tensor<16xf32>
  %v34 = weir.reshape %v33 {shape = [2, 8, 2, 8]} : tensor<2x8x16xf32>
  %v35 = weir.transpose %v34 {perm = [0, 2, 3, 1]} : tensor<2x8x2x8xf32>
  %b1v_w = weir.read @b1v_w : tensor<16x16xf32>
  %b1v_b = weir.read @b1v_b : tensor<16xf32>
  %v36 = weir.linear %v29, %b1v_w, %b1v_b : tensor<2x8x16xf32>, tensor<16x16xf32>, tensor<16xf32>
  %v37 = weir.reshape %v36 {shape = [2, 8, 2, 8]} : tensor<2x8x16xf32>
  %v38 = weir.transpose %v37 {perm = [0, 2, 1, 3]} : tensor<2x8x2x8xf32>
  %v39 = weir.matmul %v32, %v35 : tensor<2x2x8x8xf32>, tensor<2x2x8x8xf32>
  %v40 = weir.mul %v39, %v4 : tensor<2x2x8x8xf32>, tensor<f32>
  %v41 = weir.add %v40, %v3 : tensor<2x2x8x8xf32>, tensor<8x8xf32>
  %v42 = weir.softmax %v41 {axis = -1} : tensor<2x2x8x8xf32>
  %v43 = weir.matmul %v42, %v38 : tensor<2x2x8x8xf32>, tensor<2x2x8x8xf32>
  %v44 = weir.transpose %v43 {perm = [0, 2, 1, 3]} : tensor<2x2x8x8xf32>
  %v45 = weir.reshape %v44 {shape = [2, 8, 16]} : tensor<2x8x2x8xf32>
  %b1o_w = weir.read @b1o_w : tensor<16x16xf32>
  %b1o_b = weir.read @b1o_b : tensor<16xf32>
  %v46 = weir.linear %v45, %b1o_w, %b1o_b : tensor<2x8x16xf32>, tensor<16x16xf32>, tensor<16xf32>
  %v47 = weir.add %v28, %v46 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
  %b1n2_scale = weir.read @b1n2_scale : tensor<16xf32>
  %b1n2_bias = weir.read @b1n2_bias : tensor<16xf32>
  %v48 = weir.layer_norm %v47, %b1n2_scale, %b1n2_bias {epsilon = 1.0e-5} : tensor<2x8x16xf32>, tensor<16xf32>, tensor<16xf32>
  %b1f1_w = weir.read @b1f1_w : tensor<64x16xf32>
  %b1f1_b = weir.read @b1f1_b : tensor<64xf32>
  %v49 = weir.linear %v48, %b1f1_w, %b1f1_b : tensor<2x8x16xf32>, tensor<64x16xf32>, tensor<64xf32>
  %v50 = weir.gelu %v49 : tensor<2x8x64xf32>
  %b1f2_w = weir.read @b1f2_w : tensor<16x64xf32>
  %b1f2_b = weir.read @b1f2_b : tensor<16xf32>
  %v51 = weir.linear %v50, %b1f2_w, %b1f2_b : tensor<2x8x64xf32>, tensor<16x64xf32>, tensor<16xf32>
  %v52 = weir.add %v47, %v51 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
  %norm_scale = weir.read @norm_scale : tensor<16xf32>
  %norm_bias = weir.read @norm_bias : tensor<16xf32>
  %v53 = weir.layer_norm %v52, %norm_scale, %norm_bias {epsilon = 1.0e-5} : tensor<2x8x16xf32>, tensor<16xf32>, tensor<16xf32>
  %v54 = weir.reshape %v53 {shape = [16, 16]} : tensor<2x8x16xf32>
  %head_w = weir.read @head_w : tensor<20x16xf32>
  %head_b = weir.read @head_b : tensor<20xf32>
  %v55 = weir.linear %v54, %head_w, %head_b : tensor<16x16xf32>, tensor<20x16xf32>, tensor<20xf32>
  %v56 = weir.log_softmax %v55 {axis = -1} : tensor<16x20xf32>
  %v57 = weir.reshape %data1 {shape = [16, 1]} : tensor<16xi64>
  %v58 = weir.take_along_axis %v56, %v57 {axis = 1} : tensor<16x20xf32>, tensor<16x1xi64>
  %v59 = weir.reduce_mean %v58 {keepdims = false} : tensor<16x1xf32>
  %v60 = weir.neg %v59 : tensor<f32>
  weir.minimize %v60 {optimizer = {name = "sgd", rate = 0.02, momentum = 0.9, weight_decay = 0.0005}} : tensor<f32>
  return %v60 : tensor<f32>
}
