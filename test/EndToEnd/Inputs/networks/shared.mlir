// A recurrent cell unrolled five times: all steps read the same weights.
weir.parameter @w_input : tensor<64x12xf32> from "parameters.safetensors" key "w_input"
weir.parameter @w_input_bias : tensor<64xf32> from "parameters.safetensors" key "w_input_bias"
weir.parameter @w_state : tensor<64x16xf32> from "parameters.safetensors" key "w_state"
func.func @main(%state: tensor<4x16xf32>, %cell: tensor<4x16xf32>, %sequence: tensor<4x5x12xf32>)
    -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %slice0 = weir.slice %sequence {starts = [0, 0, 0], sizes = [4, 1, 12]} : tensor<4x5x12xf32>
  %x0 = weir.reshape %slice0 {shape = [4, 12]} : tensor<4x1x12xf32>
  %w_input = weir.read @w_input : tensor<64x12xf32>
  %w_input_bias = weir.read @w_input_bias : tensor<64xf32>
  %zx0 = weir.linear %x0, %w_input, %w_input_bias : tensor<4x12xf32>, tensor<64x12xf32>, tensor<64xf32>
  %w_state = weir.read @w_state : tensor<64x16xf32>
  %zh0 = weir.linear %state, %w_state : tensor<4x16xf32>, tensor<64x16xf32>
  %z0 = weir.add %zx0, %zh0 : tensor<4x64xf32>, tensor<4x64xf32>
  %parts0:4 = weir.split %z0 {axis = 1, sizes = [16, 16, 16, 16]} : tensor<4x64xf32>
  %forget0 = weir.sigmoid %parts0#0 : tensor<4x16xf32>
  %write0 = weir.sigmoid %parts0#1 : tensor<4x16xf32>
  %value0 = weir.tanh %parts0#2 : tensor<4x16xf32>
  %out0 = weir.sigmoid %parts0#3 : tensor<4x16xf32>
  %kept0 = weir.mul %forget0, %cell : tensor<4x16xf32>, tensor<4x16xf32>
  %new0 = weir.mul %write0, %value0 : tensor<4x16xf32>, tensor<4x16xf32>
  %cell0 = weir.add %kept0, %new0 : tensor<4x16xf32>, tensor<4x16xf32>
  %shown0 = weir.tanh %cell0 : tensor<4x16xf32>
  %state0 = weir.mul %out0, %shown0 : tensor<4x16xf32>, tensor<4x16xf32>
  %slice1 = weir.slice %sequence {starts = [0, 1, 0], sizes = [4, 1, 12]} : tensor<4x5x12xf32>
  %x1 = weir.reshape %slice1 {shape = [4, 12]} : tensor<4x1x12xf32>
  %zx1 = weir.linear %x1, %w_input, %w_input_bias : tensor<4x12xf32>, tensor<64x12xf32>, tensor<64xf32>
  %zh1 = weir.linear %state0, %w_state : tensor<4x16xf32>, tensor<64x16xf32>
  %z1 = weir.add %zx1, %zh1 : tensor<4x64xf32>, tensor<4x64xf32>
  %parts1:4 = weir.split %z1 {axis = 1, sizes = [16, 16, 16, 16]} : tensor<4x64xf32>
  %forget1 = weir.sigmoid %parts1#0 : tensor<4x16xf32>
  %write1 = weir.sigmoid %parts1#1 : tensor<4x16xf32>
  %value1 = weir.tanh %parts1#2 : tensor<4x16xf32>
  %out1 = weir.sigmoid %parts1#3 : tensor<4x16xf32>
  %kept1 = weir.mul %forget1, %cell0 : tensor<4x16xf32>, tensor<4x16xf32>
  %new1 = weir.mul %write1, %value1 : tensor<4x16xf32>, tensor<4x16xf32>
  %cell1 = weir.add %kept1, %new1 : tensor<4x16xf32>, tensor<4x16xf32>
  %shown1 = weir.tanh %cell1 : tensor<4x16xf32>
  %state1 = weir.mul %out1, %shown1 : tensor<4x16xf32>, tensor<4x16xf32>
  %slice2 = weir.slice %sequence {starts = [0, 2, 0], sizes = [4, 1, 12]} : tensor<4x5x12xf32>
  %x2 = weir.reshape %slice2 {shape = [4, 12]} : tensor<4x1x12xf32>
  %zx2 = weir.linear %x2, %w_input, %w_input_bias : tensor<4x12xf32>, tensor<64x12xf32>, tensor<64xf32>
  %zh2 = weir.linear %state1, %w_state : tensor<4x16xf32>, tensor<64x16xf32>
  %z2 = weir.add %zx2, %zh2 : tensor<4x64xf32>, tensor<4x64xf32>
  %parts2:4 = weir.split %z2 {axis = 1, sizes = [16, 16, 16, 16]} : tensor<4x64xf32>
  %forget2 = weir.sigmoid %parts2#0 : tensor<4x16xf32>
  %write2 = weir.sigmoid %parts2#1 : tensor<4x16xf32>
  %value2 = weir.tanh %parts2#2 : tensor<4x16xf32>
  %out2 = weir.sigmoid %parts2#3 : tensor<4x16xf32>
  %kept2 = weir.mul %forget2, %cell1 : tensor<4x16xf32>, tensor<4x16xf32>
  %new2 = weir.mul %write2, %value2 : tensor<4x16xf32>, tensor<4x16xf32>
  %cell2 = weir.add %kept2, %new2 : tensor<4x16xf32>, tensor<4x16xf32>
  %shown2 = weir.tanh %cell2 : tensor<4x16xf32>
  %state2 = weir.mul %out2, %shown2 : tensor<4x16xf32>, tensor<4x16xf32>
  %slice3 = weir.slice %sequence {starts = [0, 3, 0], sizes = [4, 1, 12]} : tensor<4x5x12xf32>
  %x3 = weir.reshape %slice3 {shape = [4, 12]} : tensor<4x1x12xf32>
  %zx3 = weir.linear %x3, %w_input, %w_input_bias : tensor<4x12xf32>, tensor<64x12xf32>, tensor<64xf32>
  %zh3 = weir.linear %state2, %w_state : tensor<4x16xf32>, tensor<64x16xf32>
  %z3 = weir.add %zx3, %zh3 : tensor<4x64xf32>, tensor<4x64xf32>
  %parts3:4 = weir.split %z3 {axis = 1, sizes = [16, 16, 16, 16]} : tensor<4x64xf32>
  %forget3 = weir.sigmoid %parts3#0 : tensor<4x16xf32>
  %write3 = weir.sigmoid %parts3#1 : tensor<4x16xf32>
  %value3 = weir.tanh %parts3#2 : tensor<4x16xf32>
  %out3 = weir.sigmoid %parts3#3 : tensor<4x16xf32>
  %kept3 = weir.mul %forget3, %cell2 : tensor<4x16xf32>, tensor<4x16xf32>
  %new3 = weir.mul %write3, %value3 : tensor<4x16xf32>, tensor<4x16xf32>
  %cell3 = weir.add %kept3, %new3 : tensor<4x16xf32>, tensor<4x16xf32>
  %shown3 = weir.tanh %cell3 : tensor<4x16xf32>
  %state3 = weir.mul %out3, %shown3 : tensor<4x16xf32>, tensor<4x16xf32>
  %slice4 = weir.slice %sequence {starts = [0, 4, 0], sizes = [4, 1, 12]} : tensor<4x5x12xf32>
  %x4 = weir.reshape %slice4 {shape = [4, 12]} : tensor<4x1x12xf32>
  %zx4 = weir.linear %x4, %w_input, %w_input_bias : tensor<4x12xf32>, tensor<64x12xf32>, tensor<64xf32>
  %zh4 = weir.linear %state3, %w_state : tensor<4x16xf32>, tensor<64x16xf32>
  %z4 = weir.add %zx4, %zh4 : tensor<4x64xf32>, tensor<4x64xf32>
  %parts4:4 = weir.split %z4 {axis = 1, sizes = [16, 16, 16, 16]} : tensor<4x64xf32>
  %forget4 = weir.sigmoid %parts4#0 : tensor<4x16xf32>
  %write4 = weir.sigmoid %parts4#1 : tensor<4x16xf32>
  %value4 = weir.tanh %parts4#2 : tensor<4x16xf32>
  %out4 = weir.sigmoid %parts4#3 : tensor<4x16xf32>
  %kept4 = weir.mul %forget4, %cell3 : tensor<4x16xf32>, tensor<4x16xf32>
  %new4 = weir.mul %write4, %value4 : tensor<4x16xf32>, tensor<4x16xf32>
  %cell4 = weir.add %kept4, %new4 : tensor<4x16xf32>, tensor<4x16xf32>
  %shown4 = weir.tanh %cell4 : tensor<4x16xf32>
  %state4 = weir.mul %out4, %shown4 : tensor<4x16xf32>, tensor<4x16xf32>
  return %state4, %cell4 : tensor<4x16xf32>, tensor<4x16xf32>
}
