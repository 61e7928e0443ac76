// A densely connected block: every layer reads all results before it.
weir.parameter @w0 : tensor<4x6x3x3xf32> from "parameters.safetensors" key "w0"
weir.parameter @w0_bias : tensor<4xf32> from "parameters.safetensors" key "w0_bias"
weir.parameter @w1 : tensor<4x10x3x3xf32> from "parameters.safetensors" key "w1"
weir.parameter @w1_bias : tensor<4xf32> from "parameters.safetensors" key "w1_bias"
weir.parameter @w2 : tensor<4x14x3x3xf32> from "parameters.safetensors" key "w2"
weir.parameter @w2_bias : tensor<4xf32> from "parameters.safetensors" key "w2_bias"
weir.parameter @w3 : tensor<4x18x3x3xf32> from "parameters.safetensors" key "w3"
weir.parameter @w3_bias : tensor<4xf32> from "parameters.safetensors" key "w3_bias"
weir.parameter @w4 : tensor<4x22x3x3xf32> from "parameters.safetensors" key "w4"
weir.parameter @w4_bias : tensor<4xf32> from "parameters.safetensors" key "w4_bias"
weir.parameter @wt : tensor<8x26x1x1xf32> from "parameters.safetensors" key "wt"
weir.parameter @wt_bias : tensor<8xf32> from "parameters.safetensors" key "wt_bias"
func.func @main(%image: tensor<1x6x12x12xf32>)
    -> (tensor<1x8x6x6xf32>, tensor<1x26x1x1xf32>) {
  %w0 = weir.read @w0 : tensor<4x6x3x3xf32>
  %w0_bias = weir.read @w0_bias : tensor<4xf32>
  %conv0 = weir.conv %image, %w0, %w0_bias {pads = [1, 1, 1, 1]} : tensor<1x6x12x12xf32>, tensor<4x6x3x3xf32>, tensor<4xf32>
  %relu0 = weir.relu %conv0 : tensor<1x4x12x12xf32>
  %all0 = weir.concat %image, %relu0 {axis = 1} : tensor<1x6x12x12xf32>, tensor<1x4x12x12xf32>
  %w1 = weir.read @w1 : tensor<4x10x3x3xf32>
  %w1_bias = weir.read @w1_bias : tensor<4xf32>
  %conv1 = weir.conv %all0, %w1, %w1_bias {pads = [1, 1, 1, 1]} : tensor<1x10x12x12xf32>, tensor<4x10x3x3xf32>, tensor<4xf32>
  %relu1 = weir.relu %conv1 : tensor<1x4x12x12xf32>
  %all1 = weir.concat %all0, %relu1 {axis = 1} : tensor<1x10x12x12xf32>, tensor<1x4x12x12xf32>
  %w2 = weir.read @w2 : tensor<4x14x3x3xf32>
  %w2_bias = weir.read @w2_bias : tensor<4xf32>
  %conv2 = weir.conv %all1, %w2, %w2_bias {pads = [1, 1, 1, 1]} : tensor<1x14x12x12xf32>, tensor<4x14x3x3xf32>, tensor<4xf32>
  %relu2 = weir.relu %conv2 : tensor<1x4x12x12xf32>
  %all2 = weir.concat %all1, %relu2 {axis = 1} : tensor<1x14x12x12xf32>, tensor<1x4x12x12xf32>
  %w3 = weir.read @w3 : tensor<4x18x3x3xf32>
  %w3_bias = weir.read @w3_bias : tensor<4xf32>
  %conv3 = weir.conv %all2, %w3, %w3_bias {pads = [1, 1, 1, 1]} : tensor<1x18x12x12xf32>, tensor<4x18x3x3xf32>, tensor<4xf32>
  %relu3 = weir.relu %conv3 : tensor<1x4x12x12xf32>
  %all3 = weir.concat %all2, %relu3 {axis = 1} : tensor<1x18x12x12xf32>, tensor<1x4x12x12xf32>
  %w4 = weir.read @w4 : tensor<4x22x3x3xf32>
  %w4_bias = weir.read @w4_bias : tensor<4xf32>
  %conv4 = weir.conv %all3, %w4, %w4_bias {pads = [1, 1, 1, 1]} : tensor<1x22x12x12xf32>, tensor<4x22x3x3xf32>, tensor<4xf32>
  %relu4 = weir.relu %conv4 : tensor<1x4x12x12xf32>
  %all4 = weir.concat %all3, %relu4 {axis = 1} : tensor<1x22x12x12xf32>, tensor<1x4x12x12xf32>
  %pool = weir.average_pool %all4 {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x26x12x12xf32>
  %wt = weir.read @wt : tensor<8x26x1x1xf32>
  %wt_bias = weir.read @wt_bias : tensor<8xf32>
  %transition = weir.conv %pool, %wt, %wt_bias : tensor<1x26x6x6xf32>, tensor<8x26x1x1xf32>, tensor<8xf32>
  %mean = weir.reduce_mean %pool {axes = [2, 3]} : tensor<1x26x6x6xf32>
  return %transition, %mean : tensor<1x8x6x6xf32>, tensor<1x26x1x1xf32>
}
