// Statistics, axes and element types that do not fit a normalisation.
// RUN: graph-opt %s -verify-diagnostics -split-input-file

func.func @channels(%x: tensor<1x3x8x8xf32>, %s: tensor<4xf32>) {
  // expected-error@+1 {{'weir.batch_norm' op dim 'c' is 3 by operand 0 (1x3x8x8) but 4 by operand 1 (4)}}
  %z = weir.batch_norm %x, %s, %s, %s, %s : tensor<1x3x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @axis(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'weir.softmax' op attribute 'axis' expects a value from -2 to 1, found 2}}
  %z = weir.softmax %x {axis = 2} : tensor<2x3xf32>
  return
}

// -----

func.func @type(%x: tensor<2x3xi32>) {
  // expected-error@+1 {{'weir.softmax' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  %z = weir.softmax %x : tensor<2x3xi32>
  return
}
