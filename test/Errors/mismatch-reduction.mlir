// Axes and element types that do not fit a reduction.
// RUN: graph-opt %s -verify-diagnostics -split-input-file

func.func @axis(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'weir.reduce_sum' op attribute 'axes' expects values from -2 to 1, found 2}}
  %z = weir.reduce_sum %x {axes = [2]} : tensor<2x3xf32>
  return
}

// -----

func.func @type(%x: tensor<2x3xi32>) {
  // expected-error@+1 {{'weir.reduce_mean' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  %z = weir.reduce_mean %x {axes = [1]} : tensor<2x3xi32>
  return
}
