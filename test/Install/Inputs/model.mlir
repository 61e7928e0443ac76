// y = x * x + 1
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %square = weir.mul %x, %x : tensor<4xf32>, tensor<4xf32>
  %one = weir.constant dense<1.0> : tensor<4xf32>
  %y = weir.add %square, %one : tensor<4xf32>, tensor<4xf32>
  return %y : tensor<4xf32>
}
