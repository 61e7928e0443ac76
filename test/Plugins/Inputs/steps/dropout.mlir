// Written by utils/gradients/networks.py --drawn.
weir.parameter @f0_w : tensor<96x64xf32>
    initial {name = "normal", mean = 0.0, scale = 0.125, seed = 1}
weir.parameter @f0_b : tensor<96xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 2}
weir.parameter @f1_w : tensor<96x96xf32>
    initial {name = "normal", mean = 0.0, scale = 0.102062, seed = 3}
weir.parameter @f1_b : tensor<96xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 4}
weir.parameter @head_w : tensor<10x96xf32>
    initial {name = "normal", mean = 0.0, scale = 0.102062, seed = 5}
weir.parameter @head_b : tensor<10xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 6}

func.func @train(%data0: tensor<i64>, %data1: tensor<32x64xf32>, %data2: tensor<32xi64>) -> (tensor<f32> {weir.name = "loss"}) {
  %v0 = weir.dropout %data1, %data0 {ratio = 0.2, stream = 0} : tensor<32x64xf32>, tensor<i64>
  %f0_w = weir.read @f0_w : tensor<96x64xf32>
  %f0_b = weir.read @f0_b : tensor<96xf32>
  %v1 = weir.linear %v0, %f0_w, %f0_b : tensor<32x64xf32>, tensor<96x64xf32>, tensor<96xf32>
  %v2 = weir.tanh %v1 : tensor<32x96xf32>
  %v3 = weir.dropout %v2, %data0 {ratio = 0.5, stream = 1} : tensor<32x96xf32>, tensor<i64>
  %f1_w = weir.read @f1_w : tensor<96x96xf32>
  %f1_b = weir.read @f1_b : tensor<96xf32>
  %v4 = weir.linear %v3, %f1_w, %f1_b : tensor<32x96xf32>, tensor<96x96xf32>, tensor<96xf32>
  %v5 = weir.tanh %v4 : tensor<32x96xf32>
  %v6 = weir.dropout %v5, %data0 {ratio = 0.5, stream = 2} : tensor<32x96xf32>, tensor<i64>
  %head_w = weir.read @head_w : tensor<10x96xf32>
  %head_b = weir.read @head_b : tensor<10xf32>
  %v7 = weir.linear %v6, %head_w, %head_b : tensor<32x96xf32>, tensor<10x96xf32>, tensor<10xf32>
  %v8 = weir.log_softmax %v7 {axis = -1} : tensor<32x10xf32>
  %v9 = weir.reshape %data2 {shape = [32, 1]} : tensor<32xi64>
  %v10 = weir.take_along_axis %v8, %v9 {axis = 1} : tensor<32x10xf32>, tensor<32x1xi64>
  %v11 = weir.reduce_mean %v10 {keepdims = false} : tensor<32x1xf32>
  %v12 = weir.neg %v11 : tensor<f32>
  weir.minimize %v12 {optimizer = {name = "adam", rate = 0.001}} : tensor<f32>
  return %v12 : tensor<f32>
}
