// A chain of dense layers.
weir.parameter @w0 : tensor<48x32xf32> from "parameters.safetensors" key "w0"
weir.parameter @w0_bias : tensor<48xf32> from "parameters.safetensors" key "w0_bias"
weir.parameter @w1 : tensor<64x48xf32> from "parameters.safetensors" key "w1"
weir.parameter @w1_bias : tensor<64xf32> from "parameters.safetensors" key "w1_bias"
weir.parameter @w2 : tensor<40x64xf32> from "parameters.safetensors" key "w2"
weir.parameter @w2_bias : tensor<40xf32> from "parameters.safetensors" key "w2_bias"
weir.parameter @w3 : tensor<56x40xf32> from "parameters.safetensors" key "w3"
weir.parameter @w3_bias : tensor<56xf32> from "parameters.safetensors" key "w3_bias"
weir.parameter @w4 : tensor<24x56xf32> from "parameters.safetensors" key "w4"
weir.parameter @w4_bias : tensor<24xf32> from "parameters.safetensors" key "w4_bias"
weir.parameter @w5 : tensor<10x24xf32> from "parameters.safetensors" key "w5"
weir.parameter @w5_bias : tensor<10xf32> from "parameters.safetensors" key "w5_bias"
func.func @main(%x: tensor<8x32xf32>)
    -> (tensor<8x10xf32>) {
  %w0 = weir.read @w0 : tensor<48x32xf32>
  %w0_bias = weir.read @w0_bias : tensor<48xf32>
  %dense0 = weir.linear %x, %w0, %w0_bias : tensor<8x32xf32>, tensor<48x32xf32>, tensor<48xf32>
  %act0 = weir.relu %dense0 : tensor<8x48xf32>
  %w1 = weir.read @w1 : tensor<64x48xf32>
  %w1_bias = weir.read @w1_bias : tensor<64xf32>
  %dense1 = weir.linear %act0, %w1, %w1_bias : tensor<8x48xf32>, tensor<64x48xf32>, tensor<64xf32>
  %act1 = weir.tanh %dense1 : tensor<8x64xf32>
  %w2 = weir.read @w2 : tensor<40x64xf32>
  %w2_bias = weir.read @w2_bias : tensor<40xf32>
  %dense2 = weir.linear %act1, %w2, %w2_bias : tensor<8x64xf32>, tensor<40x64xf32>, tensor<40xf32>
  %act2 = weir.sigmoid %dense2 : tensor<8x40xf32>
  %w3 = weir.read @w3 : tensor<56x40xf32>
  %w3_bias = weir.read @w3_bias : tensor<56xf32>
  %dense3 = weir.linear %act2, %w3, %w3_bias : tensor<8x40xf32>, tensor<56x40xf32>, tensor<56xf32>
  %act3 = weir.gelu %dense3 : tensor<8x56xf32>
  %w4 = weir.read @w4 : tensor<24x56xf32>
  %w4_bias = weir.read @w4_bias : tensor<24xf32>
  %dense4 = weir.linear %act3, %w4, %w4_bias : tensor<8x56xf32>, tensor<24x56xf32>, tensor<24xf32>
  %act4 = weir.silu %dense4 : tensor<8x24xf32>
  %w5 = weir.read @w5 : tensor<10x24xf32>
  %w5_bias = weir.read @w5_bias : tensor<10xf32>
  %dense5 = weir.linear %act4, %w5, %w5_bias : tensor<8x24xf32>, tensor<10x24xf32>, tensor<10xf32>
  %act5 = weir.elu %dense5 : tensor<8x10xf32>
  %probabilities = weir.softmax %act5 : tensor<8x10xf32>
  return %probabilities : tensor<8x10xf32>
}
