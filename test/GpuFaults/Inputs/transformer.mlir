// Embedded tokens, a block of attention with two heads, and its MLP.
weir.parameter @table : tensor<16x32xf32> uniform <seed = 1, low = -1.0, high = 1.0>
weir.parameter @w_query : tensor<32x32xf32> uniform <seed = 2, low = -0.3, high = 0.3>
weir.parameter @w_key : tensor<32x32xf32> uniform <seed = 3, low = -0.3, high = 0.3>
weir.parameter @w_value : tensor<32x32xf32> uniform <seed = 4, low = -0.3, high = 0.3>
weir.parameter @scale : tensor<32xf32> uniform <seed = 5, low = 0.5, high = 1.5>
weir.parameter @shift : tensor<32xf32> uniform <seed = 6, low = -0.5, high = 0.5>
weir.parameter @w_up : tensor<64x32xf32> uniform <seed = 7, low = -0.3, high = 0.3>
weir.parameter @b_up : tensor<64xf32> uniform <seed = 8, low = -0.3, high = 0.3>
weir.parameter @w_down : tensor<32x64xf32> uniform <seed = 9, low = -0.3, high = 0.3>
weir.parameter @b_down : tensor<32xf32> uniform <seed = 10, low = -0.3, high = 0.3>
func.func @main(%ids: tensor<10xi64>) -> tensor<1x10x32xf32> {
  %table = weir.read @table : tensor<16x32xf32>
  %rows = weir.take %table, %ids : tensor<16x32xf32>, tensor<10xi64>
  %tokens = weir.reshape %rows {shape = [1, 10, 32]} : tensor<10x32xf32>
  %w_query = weir.read @w_query : tensor<32x32xf32>
  %query = weir.matmul %tokens, %w_query : tensor<1x10x32xf32>, tensor<32x32xf32>
  %query_split = weir.reshape %query {shape = [1, 10, 2, 16]} : tensor<1x10x32xf32>
  %query_heads = weir.transpose %query_split {perm = [0, 2, 1, 3]} : tensor<1x10x2x16xf32>
  %w_key = weir.read @w_key : tensor<32x32xf32>
  %key = weir.matmul %tokens, %w_key : tensor<1x10x32xf32>, tensor<32x32xf32>
  %key_split = weir.reshape %key {shape = [1, 10, 2, 16]} : tensor<1x10x32xf32>
  %key_heads = weir.transpose %key_split {perm = [0, 2, 3, 1]} : tensor<1x10x2x16xf32>
  %w_value = weir.read @w_value : tensor<32x32xf32>
  %value = weir.matmul %tokens, %w_value : tensor<1x10x32xf32>, tensor<32x32xf32>
  %value_split = weir.reshape %value {shape = [1, 10, 2, 16]} : tensor<1x10x32xf32>
  %value_heads = weir.transpose %value_split {perm = [0, 2, 1, 3]} : tensor<1x10x2x16xf32>
  %products = weir.matmul %query_heads, %key_heads : tensor<1x2x10x16xf32>, tensor<1x2x16x10xf32>
  %weights = weir.softmax %products : tensor<1x2x10x10xf32>
  %mixed = weir.matmul %weights, %value_heads : tensor<1x2x10x10xf32>, tensor<1x2x10x16xf32>
  %mixed_back = weir.transpose %mixed {perm = [0, 2, 1, 3]} : tensor<1x2x10x16xf32>
  %joined = weir.reshape %mixed_back {shape = [1, 10, 32]} : tensor<1x10x2x16xf32>
  %sum = weir.add %tokens, %joined : tensor<1x10x32xf32>, tensor<1x10x32xf32>
  %scale = weir.read @scale : tensor<32xf32>
  %shift = weir.read @shift : tensor<32xf32>
  %norm = weir.layer_norm %sum, %scale, %shift : tensor<1x10x32xf32>, tensor<32xf32>, tensor<32xf32>
  %w_up = weir.read @w_up : tensor<64x32xf32>
  %b_up = weir.read @b_up : tensor<64xf32>
  %up = weir.linear %norm, %w_up, %b_up : tensor<1x10x32xf32>, tensor<64x32xf32>, tensor<64xf32>
  %act = weir.gelu %up : tensor<1x10x64xf32>
  %w_down = weir.read @w_down : tensor<32x64xf32>
  %b_down = weir.read @b_down : tensor<32xf32>
  %down = weir.linear %act, %w_down, %b_down : tensor<1x10x64xf32>, tensor<32x64xf32>, tensor<32xf32>
  %y = weir.add %norm, %down : tensor<1x10x32xf32>, tensor<1x10x32xf32>
  return %y : tensor<1x10x32xf32>
}
