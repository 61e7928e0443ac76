// Functions of one name need inputs of different shapes, since a run takes the
// one that fits its inputs.
// RUN: graph-opt %s --weir-bind-shapes -verify-diagnostics

// expected-note@+1 {{the other function}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @larger(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "main"} {
  return %x : tensor<4xf32>
}
// expected-error@+1 {{has the name 'main' and the input shapes of another function; give it another name or other shapes}}
func.func @again(%x: tensor<2xf32>) -> tensor<2xf32> attributes {weir.entry = "main"} {
  return %x : tensor<2xf32>
}
