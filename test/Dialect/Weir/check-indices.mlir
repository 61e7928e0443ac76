// Constant indices that are out of range are refused, all of them, with op,
// index, range and repair; the first and the last that fit are not.
// RUN: graph-opt %s --weir-check-indices -split-input-file -verify-diagnostics

func.func @inside(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %i = weir.constant dense<[-4, 3, 0, -1]> : tensor<4xi64>
  %y = weir.gather %x, %i : tensor<4x3xf32>, tensor<4xi64>
  return %y : tensor<4x3xf32>
}

// -----

func.func @gather(%x: tensor<4x3xf32>) -> (tensor<2x3xf32>, tensor<4x2xf32>) {
  %i = weir.constant dense<[1, 4]> : tensor<2xi64>
  %j = weir.constant dense<[-4, 0]> : tensor<2xi8>
  // expected-error @+1 {{'weir.gather' op 'y': index 4, element 1 of operand 1, is out of range for a dim of 4, expected -4 to 3; correct the index}}
  %y = weir.gather %x, %i : tensor<4x3xf32>, tensor<2xi64>
  // expected-error @+1 {{'z': index -4, element 0 of operand 1, is out of range for a dim of 3, expected -3 to 2}}
  %z = weir.gather %x, %j {axis = 1} : tensor<4x3xf32>, tensor<2xi8>
  return %y, %z : tensor<2x3xf32>, tensor<4x2xf32>
}

// -----

// A label is a class or the one that is ignored.
func.func @labels(%x: tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %t = weir.constant dense<[3, -100, 0]> : tensor<3xi64>
  %u = weir.constant dense<[3, -1, 0]> : tensor<3xi64>
  %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<3x4xf32>, tensor<3xi64>
  // expected-error @+1 {{'weir.sparse_softmax_cross_entropy' op 'z': label -1, element 1 of operand 1, is out of range for a dim of 4, expected 0 to 3, or -100, which is ignored; correct the index}}
  %z = weir.sparse_softmax_cross_entropy %x, %u : tensor<3x4xf32>, tensor<3xi64>
  return %y, %z : tensor<3xf32>, tensor<3xf32>
}

// -----

// Unsigned numbers count from the front.
func.func @unsigned(%x: tensor<4xf32>) -> tensor<2xf32> {
  %i = weir.constant dense<[0, 252]> : tensor<2xui8>
  // expected-error @+1 {{index 252, element 1 of operand 1, is out of range for a dim of 4, expected 0 to 3; correct the index}}
  %y = weir.gather %x, %i : tensor<4xf32>, tensor<2xui8>
  return %y : tensor<2xf32>
}

// -----

func.func @beyond_i64(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<1xf32>) {
  %i = weir.constant dense<[3, 18446744073709551615]> : tensor<2xui64>
  %j = weir.constant dense<9223372036854775811> : tensor<1xui64>
  // expected-error @+1 {{index 18446744073709551615, element 1}}
  %y = weir.take %x, %i : tensor<4xf32>, tensor<2xui64>
  // expected-error @+1 {{index 9223372036854775811, element 0}}
  %z = weir.take %x, %j : tensor<4xf32>, tensor<1xui64>
  return %y, %z : tensor<2xf32>, tensor<1xf32>
}

// -----

// Each element of the last dim indexes a dim of its own, behind the batch.
func.func @places(%x: tensor<2x4x3xf32>) -> tensor<2xf32> {
  %i = weir.constant dense<[[3, 2], [2, 3]]> : tensor<2x2xi64>
  // expected-error @+1 {{'y': index 3, element 3 of operand 1, is out of range for a dim of 3, expected -3 to 2}}
  %y = weir.gather_nd %x, %i {batch_dims = 1} : tensor<2x4x3xf32>, tensor<2x2xi64>
  return %y : tensor<2xf32>
}

// -----

func.func @leaves(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<1x3xf32>) {
  %i = weir.constant dense<[[2], [3]]> : tensor<2x1xi32>
  %j = weir.constant dense<-3> : tensor<1xi64>
  // expected-error @+1 {{'y': index 3, element 1 of operand 1}}
  %y = weir.take_along_axis %x, %i {axis = 1} : tensor<2x3xf32>, tensor<2x1xi32>
  // expected-error @+1 {{'z': index -3, element 0 of operand 1, is out of range for a dim of 2}}
  %z = weir.take %x, %j : tensor<2x3xf32>, tensor<1xi64>
  return %y, %z : tensor<2x1xf32>, tensor<1x3xf32>
}

// -----

func.func @scatter(%x: tensor<4xf32>, %u: tensor<2xf32>, %v: tensor<1x2xf32>,
                   %w: tensor<4x2xf32>) -> (tensor<4xf32>, tensor<4x2xf32>) {
  %i = weir.constant dense<[0, 9]> : tensor<2xi64>
  %j = weir.constant dense<[[4]]> : tensor<1x1xi64>
  // expected-error @+1 {{'y': index 9, element 1 of operand 1, is out of range for a dim of 4}}
  %y = weir.scatter_elements %x, %i, %u : tensor<4xf32>, tensor<2xi64>, tensor<2xf32>
  // expected-error @+1 {{'z': index 4, element 0 of operand 1, is out of range for a dim of 4}}
  %z = weir.scatter_nd %w, %j, %v : tensor<4x2xf32>, tensor<1x1xi64>, tensor<1x2xf32>
  return %y, %z : tensor<4xf32>, tensor<4x2xf32>
}
