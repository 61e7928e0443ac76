weir.parameter @w : tensor<2xf32> from "FILE" offset OFFSET
func.func @main(%x: tensor<32xf32>) -> tensor<2xf32> {
  %w = weir.read @w : tensor<2xf32>
  %y = weir.exp %w : tensor<2xf32>
  return %y : tensor<2xf32>
}
