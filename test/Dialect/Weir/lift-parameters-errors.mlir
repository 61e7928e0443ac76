// A parameter can be assigned only once.
// RUN: graph-opt %s -weir-lift-parameters -verify-diagnostics

weir.parameter @p : tensor<2xf32> = dense<1.0> : tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @+1 {{first assigned here}}
  weir.assign @p, %x : tensor<2xf32>
  // expected-error @+1 {{assigns parameter @p a second time}}
  weir.assign @p, %x : tensor<2xf32>
  return %x : tensor<2xf32>
}
