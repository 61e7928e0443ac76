// Several inputs and outputs; inputs that many read, an output that is also read,
// and one that only reinterprets another value.
weir.parameter @w1 : tensor<8x16xf32> from "parameters.safetensors" key "w1"
weir.parameter @w1_bias : tensor<8xf32> from "parameters.safetensors" key "w1_bias"
weir.parameter @w2 : tensor<8x16xf32> from "parameters.safetensors" key "w2"
weir.parameter @w2_bias : tensor<8xf32> from "parameters.safetensors" key "w2_bias"
weir.parameter @w3 : tensor<16x24xf32> from "parameters.safetensors" key "w3"
weir.parameter @w3_bias : tensor<16xf32> from "parameters.safetensors" key "w3_bias"
func.func @main(%a: tensor<4x16xf32>, %b: tensor<4x16xf32>, %c: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<32xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>) {
  %sum = weir.add %a, %b : tensor<4x16xf32>, tensor<4x16xf32>
  %product = weir.mul %a, %b : tensor<4x16xf32>, tensor<4x16xf32>
  %w1 = weir.read @w1 : tensor<8x16xf32>
  %w1_bias = weir.read @w1_bias : tensor<8xf32>
  %hidden = weir.linear %sum, %w1, %w1_bias : tensor<4x16xf32>, tensor<8x16xf32>, tensor<8xf32>
  %w2 = weir.read @w2 : tensor<8x16xf32>
  %w2_bias = weir.read @w2_bias : tensor<8xf32>
  %gate_in = weir.linear %product, %w2, %w2_bias : tensor<4x16xf32>, tensor<8x16xf32>, tensor<8xf32>
  %gate = weir.sigmoid %gate_in : tensor<4x8xf32>
  %gated = weir.mul %hidden, %gate : tensor<4x8xf32>, tensor<4x8xf32>
  %scale = weir.exp %c : tensor<4x8xf32>
  %quotient = weir.div %gated, %scale : tensor<4x8xf32>, tensor<4x8xf32>
  %flat = weir.reshape %quotient {shape = [32]} : tensor<4x8xf32>
  %both = weir.concat %quotient, %a {axis = 1} : tensor<4x8xf32>, tensor<4x16xf32>
  %w3 = weir.read @w3 : tensor<16x24xf32>
  %w3_bias = weir.read @w3_bias : tensor<16xf32>
  %mixed = weir.linear %both, %w3, %w3_bias : tensor<4x24xf32>, tensor<16x24xf32>, tensor<16xf32>
  %last = weir.max %mixed, %product : tensor<4x16xf32>, tensor<4x16xf32>
  return %quotient, %flat, %mixed, %sum, %last : tensor<4x8xf32>, tensor<32xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>
}
