// Calls that cannot be replaced by ops.
// RUN: graph-opt %s --weir-inline-calls -split-input-file -verify-diagnostics

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = func.call @a(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @a(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = func.call @b(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @b(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{calls 'a', which is called by 'a', 'b'; a graph has no recursion: write the ops of each step}}
  %y = func.call @a(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func private @outside(%x: tensor<2xf32>) -> tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{calls 'outside', which has no body of ops; write the function with its ops}}
  %y = func.call @outside(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
