// A GRU over three steps of a batch of four sequences.
weir.parameter @w_gates : tensor<64x32xf32> uniform <seed = 1, low = -0.3, high = 0.3>
weir.parameter @u_gates : tensor<64x32xf32> uniform <seed = 2, low = -0.3, high = 0.3>
weir.parameter @b_gates : tensor<64xf32> uniform <seed = 3, low = -0.3, high = 0.3>
weir.parameter @w_new : tensor<32x32xf32> uniform <seed = 4, low = -0.3, high = 0.3>
weir.parameter @u_new : tensor<32x32xf32> uniform <seed = 5, low = -0.3, high = 0.3>
weir.parameter @b_new : tensor<32xf32> uniform <seed = 6, low = -0.3, high = 0.3>
func.func @main(%x: tensor<3x4x32xf32>, %h0: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %w_gates = weir.read @w_gates : tensor<64x32xf32>
  %u_gates = weir.read @u_gates : tensor<64x32xf32>
  %b_gates = weir.read @b_gates : tensor<64xf32>
  %w_new = weir.read @w_new : tensor<32x32xf32>
  %u_new = weir.read @u_new : tensor<32x32xf32>
  %b_new = weir.read @b_new : tensor<32xf32>
  %one = weir.constant dense<1.0> : tensor<1xf32>
  %slice0 = weir.slice %x {sizes = [1, 4, 32], starts = [0, 0, 0]} : tensor<3x4x32xf32>
  %x0 = weir.reshape %slice0 {shape = [4, 32]} : tensor<1x4x32xf32>
  %in0 = weir.linear %x0, %w_gates, %b_gates : tensor<4x32xf32>, tensor<64x32xf32>, tensor<64xf32>
  %back0 = weir.linear %h0, %u_gates : tensor<4x32xf32>, tensor<64x32xf32>
  %both0 = weir.add %in0, %back0 : tensor<4x64xf32>, tensor<4x64xf32>
  %gates0 = weir.sigmoid %both0 : tensor<4x64xf32>
  %update0, %reset0 = weir.split %gates0 {axis = 1, sizes = [32, 32]} : tensor<4x64xf32>
  %kept0 = weir.mul %reset0, %h0 : tensor<4x32xf32>, tensor<4x32xf32>
  %new_in0 = weir.linear %x0, %w_new, %b_new : tensor<4x32xf32>, tensor<32x32xf32>, tensor<32xf32>
  %new_back0 = weir.linear %kept0, %u_new : tensor<4x32xf32>, tensor<32x32xf32>
  %new_sum0 = weir.add %new_in0, %new_back0 : tensor<4x32xf32>, tensor<4x32xf32>
  %new0 = weir.tanh %new_sum0 : tensor<4x32xf32>
  %rest0 = weir.sub %one, %update0 : tensor<1xf32>, tensor<4x32xf32>
  %old_part0 = weir.mul %update0, %h0 : tensor<4x32xf32>, tensor<4x32xf32>
  %new_part0 = weir.mul %rest0, %new0 : tensor<4x32xf32>, tensor<4x32xf32>
  %h1 = weir.add %old_part0, %new_part0 : tensor<4x32xf32>, tensor<4x32xf32>
  %slice1 = weir.slice %x {sizes = [1, 4, 32], starts = [1, 0, 0]} : tensor<3x4x32xf32>
  %x1 = weir.reshape %slice1 {shape = [4, 32]} : tensor<1x4x32xf32>
  %in1 = weir.linear %x1, %w_gates, %b_gates : tensor<4x32xf32>, tensor<64x32xf32>, tensor<64xf32>
  %back1 = weir.linear %h1, %u_gates : tensor<4x32xf32>, tensor<64x32xf32>
  %both1 = weir.add %in1, %back1 : tensor<4x64xf32>, tensor<4x64xf32>
  %gates1 = weir.sigmoid %both1 : tensor<4x64xf32>
  %update1, %reset1 = weir.split %gates1 {axis = 1, sizes = [32, 32]} : tensor<4x64xf32>
  %kept1 = weir.mul %reset1, %h1 : tensor<4x32xf32>, tensor<4x32xf32>
  %new_in1 = weir.linear %x1, %w_new, %b_new : tensor<4x32xf32>, tensor<32x32xf32>, tensor<32xf32>
  %new_back1 = weir.linear %kept1, %u_new : tensor<4x32xf32>, tensor<32x32xf32>
  %new_sum1 = weir.add %new_in1, %new_back1 : tensor<4x32xf32>, tensor<4x32xf32>
  %new1 = weir.tanh %new_sum1 : tensor<4x32xf32>
  %rest1 = weir.sub %one, %update1 : tensor<1xf32>, tensor<4x32xf32>
  %old_part1 = weir.mul %update1, %h1 : tensor<4x32xf32>, tensor<4x32xf32>
  %new_part1 = weir.mul %rest1, %new1 : tensor<4x32xf32>, tensor<4x32xf32>
  %h2 = weir.add %old_part1, %new_part1 : tensor<4x32xf32>, tensor<4x32xf32>
  %slice2 = weir.slice %x {sizes = [1, 4, 32], starts = [2, 0, 0]} : tensor<3x4x32xf32>
  %x2 = weir.reshape %slice2 {shape = [4, 32]} : tensor<1x4x32xf32>
  %in2 = weir.linear %x2, %w_gates, %b_gates : tensor<4x32xf32>, tensor<64x32xf32>, tensor<64xf32>
  %back2 = weir.linear %h2, %u_gates : tensor<4x32xf32>, tensor<64x32xf32>
  %both2 = weir.add %in2, %back2 : tensor<4x64xf32>, tensor<4x64xf32>
  %gates2 = weir.sigmoid %both2 : tensor<4x64xf32>
  %update2, %reset2 = weir.split %gates2 {axis = 1, sizes = [32, 32]} : tensor<4x64xf32>
  %kept2 = weir.mul %reset2, %h2 : tensor<4x32xf32>, tensor<4x32xf32>
  %new_in2 = weir.linear %x2, %w_new, %b_new : tensor<4x32xf32>, tensor<32x32xf32>, tensor<32xf32>
  %new_back2 = weir.linear %kept2, %u_new : tensor<4x32xf32>, tensor<32x32xf32>
  %new_sum2 = weir.add %new_in2, %new_back2 : tensor<4x32xf32>, tensor<4x32xf32>
  %new2 = weir.tanh %new_sum2 : tensor<4x32xf32>
  %rest2 = weir.sub %one, %update2 : tensor<1xf32>, tensor<4x32xf32>
  %old_part2 = weir.mul %update2, %h2 : tensor<4x32xf32>, tensor<4x32xf32>
  %new_part2 = weir.mul %rest2, %new2 : tensor<4x32xf32>, tensor<4x32xf32>
  %h3 = weir.add %old_part2, %new_part2 : tensor<4x32xf32>, tensor<4x32xf32>
  return %h3 : tensor<4x32xf32>
}
