// Two blocks of attention with heads, the second reading the first's weights.
weir.parameter @w_query : tensor<32x32xf32> from "parameters.safetensors" key "w_query"
weir.parameter @w_key : tensor<32x32xf32> from "parameters.safetensors" key "w_key"
weir.parameter @w_value : tensor<32x32xf32> from "parameters.safetensors" key "w_value"
weir.parameter @scale0 : tensor<32xf32> from "parameters.safetensors" key "scale0"
weir.parameter @bias0 : tensor<32xf32> from "parameters.safetensors" key "bias0"
weir.parameter @w_up0 : tensor<64x32xf32> from "parameters.safetensors" key "w_up0"
weir.parameter @w_up0_bias : tensor<64xf32> from "parameters.safetensors" key "w_up0_bias"
weir.parameter @w_down0 : tensor<32x64xf32> from "parameters.safetensors" key "w_down0"
weir.parameter @w_down0_bias : tensor<32xf32> from "parameters.safetensors" key "w_down0_bias"
weir.parameter @scale1 : tensor<32xf32> from "parameters.safetensors" key "scale1"
weir.parameter @bias1 : tensor<32xf32> from "parameters.safetensors" key "bias1"
weir.parameter @w_up1 : tensor<64x32xf32> from "parameters.safetensors" key "w_up1"
weir.parameter @w_up1_bias : tensor<64xf32> from "parameters.safetensors" key "w_up1_bias"
weir.parameter @w_down1 : tensor<32x64xf32> from "parameters.safetensors" key "w_down1"
weir.parameter @w_down1_bias : tensor<32xf32> from "parameters.safetensors" key "w_down1_bias"
func.func @main(%tokens: tensor<2x10x32xf32>)
    -> (tensor<2x10x32xf32>) {
  %w_query = weir.read @w_query : tensor<32x32xf32>
  %query0 = weir.matmul %tokens, %w_query : tensor<2x10x32xf32>, tensor<32x32xf32>
  %query0_split = weir.reshape %query0 {shape = [2, 10, 4, 8]} : tensor<2x10x32xf32>
  %query0_heads = weir.transpose %query0_split {perm = [0, 2, 1, 3]} : tensor<2x10x4x8xf32>
  %w_key = weir.read @w_key : tensor<32x32xf32>
  %key0 = weir.matmul %tokens, %w_key : tensor<2x10x32xf32>, tensor<32x32xf32>
  %key0_split = weir.reshape %key0 {shape = [2, 10, 4, 8]} : tensor<2x10x32xf32>
  %key0_heads = weir.transpose %key0_split {perm = [0, 2, 3, 1]} : tensor<2x10x4x8xf32>
  %w_value = weir.read @w_value : tensor<32x32xf32>
  %value0 = weir.matmul %tokens, %w_value : tensor<2x10x32xf32>, tensor<32x32xf32>
  %value0_split = weir.reshape %value0 {shape = [2, 10, 4, 8]} : tensor<2x10x32xf32>
  %value0_heads = weir.transpose %value0_split {perm = [0, 2, 1, 3]} : tensor<2x10x4x8xf32>
  %scores0 = weir.matmul %query0_heads, %key0_heads : tensor<2x4x10x8xf32>, tensor<2x4x8x10xf32>
  %weights0 = weir.softmax %scores0 : tensor<2x4x10x10xf32>
  %mixed0 = weir.matmul %weights0, %value0_heads : tensor<2x4x10x10xf32>, tensor<2x4x10x8xf32>
  %mixed0_back = weir.transpose %mixed0 {perm = [0, 2, 1, 3]} : tensor<2x4x10x8xf32>
  %joined0 = weir.reshape %mixed0_back {shape = [2, 10, 32]} : tensor<2x10x4x8xf32>
  %sum0 = weir.add %tokens, %joined0 : tensor<2x10x32xf32>, tensor<2x10x32xf32>
  %scale0 = weir.read @scale0 : tensor<32xf32>
  %bias0 = weir.read @bias0 : tensor<32xf32>
  %norm0 = weir.layer_norm %sum0, %scale0, %bias0 : tensor<2x10x32xf32>, tensor<32xf32>, tensor<32xf32>
  %w_up0 = weir.read @w_up0 : tensor<64x32xf32>
  %w_up0_bias = weir.read @w_up0_bias : tensor<64xf32>
  %up0 = weir.linear %norm0, %w_up0, %w_up0_bias : tensor<2x10x32xf32>, tensor<64x32xf32>, tensor<64xf32>
  %act0 = weir.gelu %up0 : tensor<2x10x64xf32>
  %w_down0 = weir.read @w_down0 : tensor<32x64xf32>
  %w_down0_bias = weir.read @w_down0_bias : tensor<32xf32>
  %down0 = weir.linear %act0, %w_down0, %w_down0_bias : tensor<2x10x64xf32>, tensor<32x64xf32>, tensor<32xf32>
  %block0 = weir.add %norm0, %down0 : tensor<2x10x32xf32>, tensor<2x10x32xf32>
  %query1 = weir.matmul %block0, %w_query : tensor<2x10x32xf32>, tensor<32x32xf32>
  %query1_split = weir.reshape %query1 {shape = [2, 10, 4, 8]} : tensor<2x10x32xf32>
  %query1_heads = weir.transpose %query1_split {perm = [0, 2, 1, 3]} : tensor<2x10x4x8xf32>
  %key1 = weir.matmul %block0, %w_key : tensor<2x10x32xf32>, tensor<32x32xf32>
  %key1_split = weir.reshape %key1 {shape = [2, 10, 4, 8]} : tensor<2x10x32xf32>
  %key1_heads = weir.transpose %key1_split {perm = [0, 2, 3, 1]} : tensor<2x10x4x8xf32>
  %value1 = weir.matmul %block0, %w_value : tensor<2x10x32xf32>, tensor<32x32xf32>
  %value1_split = weir.reshape %value1 {shape = [2, 10, 4, 8]} : tensor<2x10x32xf32>
  %value1_heads = weir.transpose %value1_split {perm = [0, 2, 1, 3]} : tensor<2x10x4x8xf32>
  %scores1 = weir.matmul %query1_heads, %key1_heads : tensor<2x4x10x8xf32>, tensor<2x4x8x10xf32>
  %weights1 = weir.softmax %scores1 : tensor<2x4x10x10xf32>
  %mixed1 = weir.matmul %weights1, %value1_heads : tensor<2x4x10x10xf32>, tensor<2x4x10x8xf32>
  %mixed1_back = weir.transpose %mixed1 {perm = [0, 2, 1, 3]} : tensor<2x4x10x8xf32>
  %joined1 = weir.reshape %mixed1_back {shape = [2, 10, 32]} : tensor<2x10x4x8xf32>
  %sum1 = weir.add %block0, %joined1 : tensor<2x10x32xf32>, tensor<2x10x32xf32>
  %scale1 = weir.read @scale1 : tensor<32xf32>
  %bias1 = weir.read @bias1 : tensor<32xf32>
  %norm1 = weir.layer_norm %sum1, %scale1, %bias1 : tensor<2x10x32xf32>, tensor<32xf32>, tensor<32xf32>
  %w_up1 = weir.read @w_up1 : tensor<64x32xf32>
  %w_up1_bias = weir.read @w_up1_bias : tensor<64xf32>
  %up1 = weir.linear %norm1, %w_up1, %w_up1_bias : tensor<2x10x32xf32>, tensor<64x32xf32>, tensor<64xf32>
  %act1 = weir.gelu %up1 : tensor<2x10x64xf32>
  %w_down1 = weir.read @w_down1 : tensor<32x64xf32>
  %w_down1_bias = weir.read @w_down1_bias : tensor<32xf32>
  %down1 = weir.linear %act1, %w_down1, %w_down1_bias : tensor<2x10x64xf32>, tensor<32x64xf32>, tensor<32xf32>
  %block1 = weir.add %norm1, %down1 : tensor<2x10x32xf32>, tensor<2x10x32xf32>
  return %block1 : tensor<2x10x32xf32>
}
