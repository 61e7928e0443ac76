// Diamonds of matrix products in a row, the last one nested.
weir.parameter @wl0 : tensor<24x24xf32> from "parameters.safetensors" key "wl0"
weir.parameter @wr0 : tensor<24x24xf32> from "parameters.safetensors" key "wr0"
weir.parameter @wl1 : tensor<24x24xf32> from "parameters.safetensors" key "wl1"
weir.parameter @wr1 : tensor<24x24xf32> from "parameters.safetensors" key "wr1"
weir.parameter @wl2 : tensor<24x24xf32> from "parameters.safetensors" key "wl2"
weir.parameter @wr2 : tensor<24x24xf32> from "parameters.safetensors" key "wr2"
weir.parameter @wil : tensor<24x24xf32> from "parameters.safetensors" key "wil"
weir.parameter @wir : tensor<24x24xf32> from "parameters.safetensors" key "wir"
func.func @main(%x: tensor<16x24xf32>)
    -> (tensor<16x24xf32>) {
  %wl0 = weir.read @wl0 : tensor<24x24xf32>
  %lm0 = weir.matmul %x, %wl0 : tensor<16x24xf32>, tensor<24x24xf32>
  %left0 = weir.relu %lm0 : tensor<16x24xf32>
  %wr0 = weir.read @wr0 : tensor<24x24xf32>
  %rm0 = weir.matmul %x, %wr0 : tensor<16x24xf32>, tensor<24x24xf32>
  %right0 = weir.tanh %rm0 : tensor<16x24xf32>
  %join0 = weir.add %left0, %right0 : tensor<16x24xf32>, tensor<16x24xf32>
  %wl1 = weir.read @wl1 : tensor<24x24xf32>
  %lm1 = weir.matmul %join0, %wl1 : tensor<16x24xf32>, tensor<24x24xf32>
  %left1 = weir.relu %lm1 : tensor<16x24xf32>
  %wr1 = weir.read @wr1 : tensor<24x24xf32>
  %rm1 = weir.matmul %join0, %wr1 : tensor<16x24xf32>, tensor<24x24xf32>
  %right1 = weir.tanh %rm1 : tensor<16x24xf32>
  %join1 = weir.mul %left1, %right1 : tensor<16x24xf32>, tensor<16x24xf32>
  %wl2 = weir.read @wl2 : tensor<24x24xf32>
  %lm2 = weir.matmul %join1, %wl2 : tensor<16x24xf32>, tensor<24x24xf32>
  %left2 = weir.relu %lm2 : tensor<16x24xf32>
  %wr2 = weir.read @wr2 : tensor<24x24xf32>
  %rm2 = weir.matmul %join1, %wr2 : tensor<16x24xf32>, tensor<24x24xf32>
  %right2 = weir.tanh %rm2 : tensor<16x24xf32>
  %wil = weir.read @wil : tensor<24x24xf32>
  %inner_left = weir.matmul %left2, %wil : tensor<16x24xf32>, tensor<24x24xf32>
  %wir = weir.read @wir : tensor<24x24xf32>
  %inner_right = weir.matmul %left2, %wir : tensor<16x24xf32>, tensor<24x24xf32>
  %inner = weir.max %inner_left, %inner_right : tensor<16x24xf32>, tensor<16x24xf32>
  %join2 = weir.sub %inner, %right2 : tensor<16x24xf32>, tensor<16x24xf32>
  return %join2 : tensor<16x24xf32>
}
