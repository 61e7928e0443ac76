// A chain of convolutions and pools, then dense layers.
weir.parameter @w1 : tensor<16x3x3x3xf32> from "parameters.safetensors" key "w1"
weir.parameter @w1_bias : tensor<16xf32> from "parameters.safetensors" key "w1_bias"
weir.parameter @scale : tensor<16xf32> from "parameters.safetensors" key "scale"
weir.parameter @bias : tensor<16xf32> from "parameters.safetensors" key "bias"
weir.parameter @mean : tensor<16xf32> from "parameters.safetensors" key "mean"
weir.parameter @variance : tensor<16xf32> from "parameters.safetensors" key "variance"
weir.parameter @w2 : tensor<32x8x3x3xf32> from "parameters.safetensors" key "w2"
weir.parameter @w2_bias : tensor<32xf32> from "parameters.safetensors" key "w2_bias"
weir.parameter @w3 : tensor<24x32x3x3xf32> from "parameters.safetensors" key "w3"
weir.parameter @w3_bias : tensor<24xf32> from "parameters.safetensors" key "w3_bias"
weir.parameter @w4 : tensor<10x96xf32> from "parameters.safetensors" key "w4"
weir.parameter @w4_bias : tensor<10xf32> from "parameters.safetensors" key "w4_bias"
func.func @main(%image: tensor<2x3x24x24xf32>)
    -> (tensor<2x10xf32>) {
  %w1 = weir.read @w1 : tensor<16x3x3x3xf32>
  %w1_bias = weir.read @w1_bias : tensor<16xf32>
  %conv1 = weir.conv %image, %w1, %w1_bias {pads = [1, 1, 1, 1]} : tensor<2x3x24x24xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>
  %relu1 = weir.relu %conv1 : tensor<2x16x24x24xf32>
  %pool1 = weir.max_pool %relu1 {kernel_shape = [2, 2], strides = [2, 2]} : tensor<2x16x24x24xf32>
  %scale = weir.read @scale : tensor<16xf32>
  %bias = weir.read @bias : tensor<16xf32>
  %mean = weir.read @mean : tensor<16xf32>
  %variance = weir.read @variance : tensor<16xf32>
  %norm = weir.batch_norm %pool1, %scale, %bias, %mean, %variance : tensor<2x16x12x12xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  %w2 = weir.read @w2 : tensor<32x8x3x3xf32>
  %w2_bias = weir.read @w2_bias : tensor<32xf32>
  %conv2 = weir.conv %norm, %w2, %w2_bias {groups = 2, pads = [1, 1, 1, 1]} : tensor<2x16x12x12xf32>, tensor<32x8x3x3xf32>, tensor<32xf32>
  %relu2 = weir.leaky_relu %conv2 {alpha = 0.1} : tensor<2x32x12x12xf32>
  %lrn = weir.lrn %relu2 {size = 5} : tensor<2x32x12x12xf32>
  %pool2 = weir.average_pool %lrn {kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]} : tensor<2x32x12x12xf32>
  %w3 = weir.read @w3 : tensor<24x32x3x3xf32>
  %w3_bias = weir.read @w3_bias : tensor<24xf32>
  %conv3 = weir.conv %pool2, %w3, %w3_bias {strides = [2, 2]} : tensor<2x32x6x6xf32>, tensor<24x32x3x3xf32>, tensor<24xf32>
  %relu3 = weir.relu %conv3 : tensor<2x24x2x2xf32>
  %flat = weir.reshape %relu3 {shape = [0, -1]} : tensor<2x24x2x2xf32>
  %w4 = weir.read @w4 : tensor<10x96xf32>
  %w4_bias = weir.read @w4_bias : tensor<10xf32>
  %dense = weir.linear %flat, %w4, %w4_bias : tensor<2x96xf32>, tensor<10x96xf32>, tensor<10xf32>
  %scores = weir.log_softmax %dense : tensor<2x10xf32>
  return %scores : tensor<2x10xf32>
}
