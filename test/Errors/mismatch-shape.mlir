// Shapes and element types that do not fit an op that moves elements.
// RUN: graph-opt %s -verify-diagnostics -split-input-file

func.func @reshape(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'weir.reshape' op the input (2x3) has 6 elements, which do not fit shape 4x2}}
  %z = weir.reshape %x {shape = [4, 2]} : tensor<2x3xf32>
  return
}

// -----

func.func @concat(%x: tensor<2x3xf32>, %y: tensor<3x3xf32>) {
  // expected-error@+1 {{'weir.concat' op operand 1 (3x3) expects the shape of operand 0 (2x3) but for axis 1}}
  %z = weir.concat %x, %y {axis = 1} : tensor<2x3xf32>, tensor<3x3xf32>
  return
}

// -----

func.func @concat_type(%x: tensor<2x3xf32>, %y: tensor<2x3xf16>) {
  // expected-error@+1 {{'weir.concat' op operand 1 expects element type f32 like the operands before, found f16; insert a weir.cast}}
  %z = weir.concat %x, %y {axis = 1} : tensor<2x3xf32>, tensor<2x3xf16>
  return
}

// -----

func.func @expand(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'weir.expand' op dim 0 of operand 0 (2x3) is 2, expected 1 or 4}}
  %z = weir.expand %x {shape = [4, 3]} : tensor<2x3xf32>
  return
}

// -----

func.func @misspelt(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{has no attribute 'permutation'; it has device, perm, stage}}
  %z = weir.transpose %x {permutation = [1, 0]} : tensor<2x3xf32>
  return
}
