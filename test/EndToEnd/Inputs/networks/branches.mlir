// Four branches of an inception block join in a concatenation, twice.
weir.parameter @one0_w : tensor<8x12x1x1xf32> from "parameters.safetensors" key "one0_w"
weir.parameter @one0_w_bias : tensor<8xf32> from "parameters.safetensors" key "one0_w_bias"
weir.parameter @three0_in_w : tensor<6x12x1x1xf32> from "parameters.safetensors" key "three0_in_w"
weir.parameter @three0_in_w_bias : tensor<6xf32> from "parameters.safetensors" key "three0_in_w_bias"
weir.parameter @three0_w : tensor<12x6x3x3xf32> from "parameters.safetensors" key "three0_w"
weir.parameter @three0_w_bias : tensor<12xf32> from "parameters.safetensors" key "three0_w_bias"
weir.parameter @five0_in_w : tensor<4x12x1x1xf32> from "parameters.safetensors" key "five0_in_w"
weir.parameter @five0_in_w_bias : tensor<4xf32> from "parameters.safetensors" key "five0_in_w_bias"
weir.parameter @five0_w : tensor<6x4x5x5xf32> from "parameters.safetensors" key "five0_w"
weir.parameter @five0_w_bias : tensor<6xf32> from "parameters.safetensors" key "five0_w_bias"
weir.parameter @pool0_w : tensor<6x12x1x1xf32> from "parameters.safetensors" key "pool0_w"
weir.parameter @pool0_w_bias : tensor<6xf32> from "parameters.safetensors" key "pool0_w_bias"
weir.parameter @one1_w : tensor<8x32x1x1xf32> from "parameters.safetensors" key "one1_w"
weir.parameter @one1_w_bias : tensor<8xf32> from "parameters.safetensors" key "one1_w_bias"
weir.parameter @three1_in_w : tensor<6x32x1x1xf32> from "parameters.safetensors" key "three1_in_w"
weir.parameter @three1_in_w_bias : tensor<6xf32> from "parameters.safetensors" key "three1_in_w_bias"
weir.parameter @three1_w : tensor<12x6x3x3xf32> from "parameters.safetensors" key "three1_w"
weir.parameter @three1_w_bias : tensor<12xf32> from "parameters.safetensors" key "three1_w_bias"
weir.parameter @five1_in_w : tensor<4x32x1x1xf32> from "parameters.safetensors" key "five1_in_w"
weir.parameter @five1_in_w_bias : tensor<4xf32> from "parameters.safetensors" key "five1_in_w_bias"
weir.parameter @five1_w : tensor<6x4x5x5xf32> from "parameters.safetensors" key "five1_w"
weir.parameter @five1_w_bias : tensor<6xf32> from "parameters.safetensors" key "five1_w_bias"
weir.parameter @pool1_w : tensor<6x32x1x1xf32> from "parameters.safetensors" key "pool1_w"
weir.parameter @pool1_w_bias : tensor<6xf32> from "parameters.safetensors" key "pool1_w_bias"
func.func @main(%image: tensor<1x12x14x14xf32>)
    -> (tensor<1x32x1x1xf32>) {
  %one0_w = weir.read @one0_w : tensor<8x12x1x1xf32>
  %one0_w_bias = weir.read @one0_w_bias : tensor<8xf32>
  %one0 = weir.conv %image, %one0_w, %one0_w_bias : tensor<1x12x14x14xf32>, tensor<8x12x1x1xf32>, tensor<8xf32>
  %a0 = weir.relu %one0 : tensor<1x8x14x14xf32>
  %three0_in_w = weir.read @three0_in_w : tensor<6x12x1x1xf32>
  %three0_in_w_bias = weir.read @three0_in_w_bias : tensor<6xf32>
  %three0_in = weir.conv %image, %three0_in_w, %three0_in_w_bias : tensor<1x12x14x14xf32>, tensor<6x12x1x1xf32>, tensor<6xf32>
  %three0_w = weir.read @three0_w : tensor<12x6x3x3xf32>
  %three0_w_bias = weir.read @three0_w_bias : tensor<12xf32>
  %three0 = weir.conv %three0_in, %three0_w, %three0_w_bias {pads = [1, 1, 1, 1]} : tensor<1x6x14x14xf32>, tensor<12x6x3x3xf32>, tensor<12xf32>
  %b0 = weir.relu %three0 : tensor<1x12x14x14xf32>
  %five0_in_w = weir.read @five0_in_w : tensor<4x12x1x1xf32>
  %five0_in_w_bias = weir.read @five0_in_w_bias : tensor<4xf32>
  %five0_in = weir.conv %image, %five0_in_w, %five0_in_w_bias : tensor<1x12x14x14xf32>, tensor<4x12x1x1xf32>, tensor<4xf32>
  %five0_w = weir.read @five0_w : tensor<6x4x5x5xf32>
  %five0_w_bias = weir.read @five0_w_bias : tensor<6xf32>
  %five0 = weir.conv %five0_in, %five0_w, %five0_w_bias {pads = [2, 2, 2, 2]} : tensor<1x4x14x14xf32>, tensor<6x4x5x5xf32>, tensor<6xf32>
  %c0 = weir.relu %five0 : tensor<1x6x14x14xf32>
  %pool0 = weir.max_pool %image {kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : tensor<1x12x14x14xf32>
  %pool0_w = weir.read @pool0_w : tensor<6x12x1x1xf32>
  %pool0_w_bias = weir.read @pool0_w_bias : tensor<6xf32>
  %d0 = weir.conv %pool0, %pool0_w, %pool0_w_bias : tensor<1x12x14x14xf32>, tensor<6x12x1x1xf32>, tensor<6xf32>
  %joined0 = weir.concat %a0, %b0, %c0, %d0 {axis = 1} : tensor<1x8x14x14xf32>, tensor<1x12x14x14xf32>, tensor<1x6x14x14xf32>, tensor<1x6x14x14xf32>
  %one1_w = weir.read @one1_w : tensor<8x32x1x1xf32>
  %one1_w_bias = weir.read @one1_w_bias : tensor<8xf32>
  %one1 = weir.conv %joined0, %one1_w, %one1_w_bias : tensor<1x32x14x14xf32>, tensor<8x32x1x1xf32>, tensor<8xf32>
  %a1 = weir.relu %one1 : tensor<1x8x14x14xf32>
  %three1_in_w = weir.read @three1_in_w : tensor<6x32x1x1xf32>
  %three1_in_w_bias = weir.read @three1_in_w_bias : tensor<6xf32>
  %three1_in = weir.conv %joined0, %three1_in_w, %three1_in_w_bias : tensor<1x32x14x14xf32>, tensor<6x32x1x1xf32>, tensor<6xf32>
  %three1_w = weir.read @three1_w : tensor<12x6x3x3xf32>
  %three1_w_bias = weir.read @three1_w_bias : tensor<12xf32>
  %three1 = weir.conv %three1_in, %three1_w, %three1_w_bias {pads = [1, 1, 1, 1]} : tensor<1x6x14x14xf32>, tensor<12x6x3x3xf32>, tensor<12xf32>
  %b1 = weir.relu %three1 : tensor<1x12x14x14xf32>
  %five1_in_w = weir.read @five1_in_w : tensor<4x32x1x1xf32>
  %five1_in_w_bias = weir.read @five1_in_w_bias : tensor<4xf32>
  %five1_in = weir.conv %joined0, %five1_in_w, %five1_in_w_bias : tensor<1x32x14x14xf32>, tensor<4x32x1x1xf32>, tensor<4xf32>
  %five1_w = weir.read @five1_w : tensor<6x4x5x5xf32>
  %five1_w_bias = weir.read @five1_w_bias : tensor<6xf32>
  %five1 = weir.conv %five1_in, %five1_w, %five1_w_bias {pads = [2, 2, 2, 2]} : tensor<1x4x14x14xf32>, tensor<6x4x5x5xf32>, tensor<6xf32>
  %c1 = weir.relu %five1 : tensor<1x6x14x14xf32>
  %pool1 = weir.max_pool %joined0 {kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : tensor<1x32x14x14xf32>
  %pool1_w = weir.read @pool1_w : tensor<6x32x1x1xf32>
  %pool1_w_bias = weir.read @pool1_w_bias : tensor<6xf32>
  %d1 = weir.conv %pool1, %pool1_w, %pool1_w_bias : tensor<1x32x14x14xf32>, tensor<6x32x1x1xf32>, tensor<6xf32>
  %joined1 = weir.concat %a1, %b1, %c1, %d1 {axis = 1} : tensor<1x8x14x14xf32>, tensor<1x12x14x14xf32>, tensor<1x6x14x14xf32>, tensor<1x6x14x14xf32>
  %features = weir.global_max_pool %joined1 : tensor<1x32x14x14xf32>
  return %features : tensor<1x32x1x1xf32>
}
