// Down and up again by transposed convolutions, with skips across.
weir.parameter @w0 : tensor<8x4x3x3xf32> from "parameters.safetensors" key "w0"
weir.parameter @w0_bias : tensor<8xf32> from "parameters.safetensors" key "w0_bias"
weir.parameter @w1 : tensor<16x8x3x3xf32> from "parameters.safetensors" key "w1"
weir.parameter @w1_bias : tensor<16xf32> from "parameters.safetensors" key "w1_bias"
weir.parameter @wm : tensor<24x16x3x3xf32> from "parameters.safetensors" key "wm"
weir.parameter @wm_bias : tensor<24xf32> from "parameters.safetensors" key "wm_bias"
weir.parameter @wu1 : tensor<24x16x2x2xf32> from "parameters.safetensors" key "wu1"
weir.parameter @wu1_bias : tensor<16xf32> from "parameters.safetensors" key "wu1_bias"
weir.parameter @wx1 : tensor<16x32x3x3xf32> from "parameters.safetensors" key "wx1"
weir.parameter @wx1_bias : tensor<16xf32> from "parameters.safetensors" key "wx1_bias"
weir.parameter @wu0 : tensor<16x8x2x2xf32> from "parameters.safetensors" key "wu0"
weir.parameter @wu0_bias : tensor<8xf32> from "parameters.safetensors" key "wu0_bias"
weir.parameter @wx0 : tensor<8x16x3x3xf32> from "parameters.safetensors" key "wx0"
weir.parameter @wx0_bias : tensor<8xf32> from "parameters.safetensors" key "wx0_bias"
weir.parameter @wo : tensor<1x8x1x1xf32> from "parameters.safetensors" key "wo"
weir.parameter @wo_bias : tensor<1xf32> from "parameters.safetensors" key "wo_bias"
func.func @main(%image: tensor<1x4x16x16xf32>)
    -> (tensor<1x1x16x16xf32>) {
  %w0 = weir.read @w0 : tensor<8x4x3x3xf32>
  %w0_bias = weir.read @w0_bias : tensor<8xf32>
  %down0 = weir.conv %image, %w0, %w0_bias {pads = [1, 1, 1, 1]} : tensor<1x4x16x16xf32>, tensor<8x4x3x3xf32>, tensor<8xf32>
  %relu0 = weir.relu %down0 : tensor<1x8x16x16xf32>
  %pool0 = weir.max_pool %relu0 {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x8x16x16xf32>
  %w1 = weir.read @w1 : tensor<16x8x3x3xf32>
  %w1_bias = weir.read @w1_bias : tensor<16xf32>
  %down1 = weir.conv %pool0, %w1, %w1_bias {pads = [1, 1, 1, 1]} : tensor<1x8x8x8xf32>, tensor<16x8x3x3xf32>, tensor<16xf32>
  %relu1 = weir.relu %down1 : tensor<1x16x8x8xf32>
  %pool1 = weir.max_pool %relu1 {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x16x8x8xf32>
  %wm = weir.read @wm : tensor<24x16x3x3xf32>
  %wm_bias = weir.read @wm_bias : tensor<24xf32>
  %middle = weir.conv %pool1, %wm, %wm_bias {pads = [1, 1, 1, 1]} : tensor<1x16x4x4xf32>, tensor<24x16x3x3xf32>, tensor<24xf32>
  %relu_mid = weir.relu %middle : tensor<1x24x4x4xf32>
  %wu1 = weir.read @wu1 : tensor<24x16x2x2xf32>
  %wu1_bias = weir.read @wu1_bias : tensor<16xf32>
  %up1 = weir.conv_transpose %relu_mid, %wu1, %wu1_bias {strides = [2, 2]} : tensor<1x24x4x4xf32>, tensor<24x16x2x2xf32>, tensor<16xf32>
  %skip1 = weir.concat %relu1, %up1 {axis = 1} : tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>
  %wx1 = weir.read @wx1 : tensor<16x32x3x3xf32>
  %wx1_bias = weir.read @wx1_bias : tensor<16xf32>
  %mix1 = weir.conv %skip1, %wx1, %wx1_bias {pads = [1, 1, 1, 1]} : tensor<1x32x8x8xf32>, tensor<16x32x3x3xf32>, tensor<16xf32>
  %relu_up1 = weir.relu %mix1 : tensor<1x16x8x8xf32>
  %wu0 = weir.read @wu0 : tensor<16x8x2x2xf32>
  %wu0_bias = weir.read @wu0_bias : tensor<8xf32>
  %up0 = weir.conv_transpose %relu_up1, %wu0, %wu0_bias {strides = [2, 2]} : tensor<1x16x8x8xf32>, tensor<16x8x2x2xf32>, tensor<8xf32>
  %skip0 = weir.concat %relu0, %up0 {axis = 1} : tensor<1x8x16x16xf32>, tensor<1x8x16x16xf32>
  %wx0 = weir.read @wx0 : tensor<8x16x3x3xf32>
  %wx0_bias = weir.read @wx0_bias : tensor<8xf32>
  %mix0 = weir.conv %skip0, %wx0, %wx0_bias {pads = [1, 1, 1, 1]} : tensor<1x16x16x16xf32>, tensor<8x16x3x3xf32>, tensor<8xf32>
  %relu_up0 = weir.relu %mix0 : tensor<1x8x16x16xf32>
  %wo = weir.read @wo : tensor<1x8x1x1xf32>
  %wo_bias = weir.read @wo_bias : tensor<1xf32>
  %mask_in = weir.conv %relu_up0, %wo, %wo_bias : tensor<1x8x16x16xf32>, tensor<1x8x1x1xf32>, tensor<1xf32>
  %mask = weir.sigmoid %mask_in : tensor<1x1x16x16xf32>
  return %mask : tensor<1x1x16x16xf32>
}
