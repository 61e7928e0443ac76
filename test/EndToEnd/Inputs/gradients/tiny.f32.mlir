weir.parameter @c1_w : tensor<8x3x3x3xf32> from "tiny.f32.safetensors"
weir.parameter @c1_b : tensor<8xf32> from "tiny.f32.safetensors"
weir.parameter @n1_scale : tensor<8xf32> from "tiny.f32.safetensors"
weir.parameter @n1_bias : tensor<8xf32> from "tiny.f32.safetensors"
weir.parameter @c2_w : tensor<8x1x3x3xf32> from "tiny.f32.safetensors"
weir.parameter @f1_w : tensor<6x8xf32> from "tiny.f32.safetensors"
weir.parameter @f1_b : tensor<6xf32> from "tiny.f32.safetensors"
weir.parameter @n2_scale : tensor<6xf32> from "tiny.f32.safetensors"
weir.parameter @n2_bias : tensor<6xf32> from "tiny.f32.safetensors"

func.func @main(%data0: tensor<2x3x8x8xf32>, %data1: tensor<2xi64>) -> (tensor<f32> {weir.name = "loss"}, tensor<8x3x3x3xf32> {weir.name = "c1_w.grad"}, tensor<8xf32> {weir.name = "c1_b.grad"}, tensor<8xf32> {weir.name = "n1_scale.grad"}, tensor<8xf32> {weir.name = "n1_bias.grad"}, tensor<8x1x3x3xf32> {weir.name = "c2_w.grad"}, tensor<6x8xf32> {weir.name = "f1_w.grad"}, tensor<6xf32> {weir.name = "f1_b.grad"}, tensor<6xf32> {weir.name = "n2_scale.grad"}, tensor<6xf32> {weir.name = "n2_bias.grad"}) {
  %c1_w = weir.read @c1_w : tensor<8x3x3x3xf32>
  %c1_b = weir.read @c1_b : tensor<8xf32>
  %v0 = weir.conv %data0, %c1_w, %c1_b {groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : tensor<2x3x8x8xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>
  %n1_scale = weir.read @n1_scale : tensor<8xf32>
  %n1_bias = weir.read @n1_bias : tensor<8xf32>
  %v1:3 = weir.batch_norm_training %v0, %n1_scale, %n1_bias {epsilon = 1.0e-5} : tensor<2x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>
  %v2 = weir.relu %v1#0 : tensor<2x8x8x8xf32>
  %v3 = weir.max_pool %v2 {kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]} : tensor<2x8x8x8xf32>
  %c2_w = weir.read @c2_w : tensor<8x1x3x3xf32>
  %v4 = weir.conv %v3, %c2_w {groups = 8, pads = [1, 1, 1, 1], strides = [1, 1]} : tensor<2x8x4x4xf32>, tensor<8x1x3x3xf32>
  %v5 = weir.clip %v4 {max = 6.0, min = 0.0} : tensor<2x8x4x4xf32>
  %v6 = weir.global_average_pool %v5 : tensor<2x8x4x4xf32>
  %v7 = weir.reshape %v6 {shape = [2, 8]} : tensor<2x8x1x1xf32>
  %f1_w = weir.read @f1_w : tensor<6x8xf32>
  %f1_b = weir.read @f1_b : tensor<6xf32>
  %v8 = weir.linear %v7, %f1_w, %f1_b : tensor<2x8xf32>, tensor<6x8xf32>, tensor<6xf32>
  %v9 = weir.gelu %v8 : tensor<2x6xf32>
  %n2_scale = weir.read @n2_scale : tensor<6xf32>
  %n2_bias = weir.read @n2_bias : tensor<6xf32>
  %v10 = weir.layer_norm %v9, %n2_scale, %n2_bias {epsilon = 1.0e-5} : tensor<2x6xf32>, tensor<6xf32>, tensor<6xf32>
  %v11 = weir.log_softmax %v10 {axis = -1} : tensor<2x6xf32>
  %v12 = weir.reshape %data1 {shape = [2, 1]} : tensor<2xi64>
  %v13 = weir.take_along_axis %v11, %v12 {axis = 1} : tensor<2x6xf32>, tensor<2x1xi64>
  %v14 = weir.reduce_mean %v13 {keepdims = false} : tensor<2x1xf32>
  %v15 = weir.neg %v14 : tensor<f32>
  %g:9 = weir.gradient %v15 of %c1_w, %c1_b, %n1_scale, %n1_bias, %c2_w, %f1_w, %f1_b, %n2_scale, %n2_bias
      : tensor<f32> of tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x1x3x3xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
  weir.assign @c1_w, %c1_w : tensor<8x3x3x3xf32>
  weir.assign @c1_b, %c1_b : tensor<8xf32>
  weir.assign @n1_scale, %n1_scale : tensor<8xf32>
  weir.assign @n1_bias, %n1_bias : tensor<8xf32>
  weir.assign @c2_w, %c2_w : tensor<8x1x3x3xf32>
  weir.assign @f1_w, %f1_w : tensor<6x8xf32>
  weir.assign @f1_b, %f1_b : tensor<6xf32>
  weir.assign @n2_scale, %n2_scale : tensor<6xf32>
  weir.assign @n2_bias, %n2_bias : tensor<6xf32>
  return %v15, %g#0, %g#1, %g#2, %g#3, %g#4, %g#5, %g#6, %g#7, %g#8
      : tensor<f32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x1x3x3xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}
