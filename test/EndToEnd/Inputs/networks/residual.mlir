// Residual blocks; the second halves the image and projects its shortcut.
weir.parameter @w0a : tensor<8x8x3x3xf32> from "parameters.safetensors" key "w0a"
weir.parameter @w0a_bias : tensor<8xf32> from "parameters.safetensors" key "w0a_bias"
weir.parameter @w0b : tensor<8x8x3x3xf32> from "parameters.safetensors" key "w0b"
weir.parameter @w0b_bias : tensor<8xf32> from "parameters.safetensors" key "w0b_bias"
weir.parameter @w1a : tensor<16x8x3x3xf32> from "parameters.safetensors" key "w1a"
weir.parameter @w1a_bias : tensor<16xf32> from "parameters.safetensors" key "w1a_bias"
weir.parameter @w1b : tensor<16x16x3x3xf32> from "parameters.safetensors" key "w1b"
weir.parameter @w1b_bias : tensor<16xf32> from "parameters.safetensors" key "w1b_bias"
weir.parameter @w1s : tensor<16x8x1x1xf32> from "parameters.safetensors" key "w1s"
weir.parameter @w1s_bias : tensor<16xf32> from "parameters.safetensors" key "w1s_bias"
weir.parameter @w2a : tensor<16x16x3x3xf32> from "parameters.safetensors" key "w2a"
weir.parameter @w2a_bias : tensor<16xf32> from "parameters.safetensors" key "w2a_bias"
weir.parameter @w2b : tensor<16x16x3x3xf32> from "parameters.safetensors" key "w2b"
weir.parameter @w2b_bias : tensor<16xf32> from "parameters.safetensors" key "w2b_bias"
weir.parameter @dense : tensor<10x16xf32> from "parameters.safetensors" key "dense"
weir.parameter @dense_bias : tensor<10xf32> from "parameters.safetensors" key "dense_bias"
func.func @main(%image: tensor<1x8x16x16xf32>)
    -> (tensor<1x10xf32>, tensor<1x16x1x1xf32>) {
  %w0a = weir.read @w0a : tensor<8x8x3x3xf32>
  %w0a_bias = weir.read @w0a_bias : tensor<8xf32>
  %conv0a = weir.conv %image, %w0a, %w0a_bias {pads = [1, 1, 1, 1]} : tensor<1x8x16x16xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>
  %relu0a = weir.relu %conv0a : tensor<1x8x16x16xf32>
  %w0b = weir.read @w0b : tensor<8x8x3x3xf32>
  %w0b_bias = weir.read @w0b_bias : tensor<8xf32>
  %conv0b = weir.conv %relu0a, %w0b, %w0b_bias {pads = [1, 1, 1, 1]} : tensor<1x8x16x16xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>
  %sum0 = weir.add %conv0b, %image : tensor<1x8x16x16xf32>, tensor<1x8x16x16xf32>
  %relu0 = weir.relu %sum0 : tensor<1x8x16x16xf32>
  %w1a = weir.read @w1a : tensor<16x8x3x3xf32>
  %w1a_bias = weir.read @w1a_bias : tensor<16xf32>
  %conv1a = weir.conv %relu0, %w1a, %w1a_bias {pads = [1, 1, 1, 1], strides = [2, 2]} : tensor<1x8x16x16xf32>, tensor<16x8x3x3xf32>, tensor<16xf32>
  %relu1a = weir.relu %conv1a : tensor<1x16x8x8xf32>
  %w1b = weir.read @w1b : tensor<16x16x3x3xf32>
  %w1b_bias = weir.read @w1b_bias : tensor<16xf32>
  %conv1b = weir.conv %relu1a, %w1b, %w1b_bias {pads = [1, 1, 1, 1]} : tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>
  %w1s = weir.read @w1s : tensor<16x8x1x1xf32>
  %w1s_bias = weir.read @w1s_bias : tensor<16xf32>
  %shortcut1 = weir.conv %relu0, %w1s, %w1s_bias {strides = [2, 2]} : tensor<1x8x16x16xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>
  %sum1 = weir.add %conv1b, %shortcut1 : tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>
  %relu1 = weir.relu %sum1 : tensor<1x16x8x8xf32>
  %w2a = weir.read @w2a : tensor<16x16x3x3xf32>
  %w2a_bias = weir.read @w2a_bias : tensor<16xf32>
  %conv2a = weir.conv %relu1, %w2a, %w2a_bias {pads = [1, 1, 1, 1]} : tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>
  %relu2a = weir.relu %conv2a : tensor<1x16x8x8xf32>
  %w2b = weir.read @w2b : tensor<16x16x3x3xf32>
  %w2b_bias = weir.read @w2b_bias : tensor<16xf32>
  %conv2b = weir.conv %relu2a, %w2b, %w2b_bias {pads = [1, 1, 1, 1]} : tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>
  %sum2 = weir.add %conv2b, %relu1 : tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>
  %relu2 = weir.relu %sum2 : tensor<1x16x8x8xf32>
  %mean = weir.global_average_pool %relu2 : tensor<1x16x8x8xf32>
  %flat = weir.reshape %mean {shape = [0, -1]} : tensor<1x16x1x1xf32>
  %dense = weir.read @dense : tensor<10x16xf32>
  %dense_bias = weir.read @dense_bias : tensor<10xf32>
  %scores = weir.linear %flat, %dense, %dense_bias : tensor<1x16xf32>, tensor<10x16xf32>, tensor<10xf32>
  return %scores, %mean : tensor<1x10xf32>, tensor<1x16x1x1xf32>
}
