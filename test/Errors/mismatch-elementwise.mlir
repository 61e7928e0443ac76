// Shapes that do not broadcast and element types that differ, elementwise.
// RUN: graph-opt %s -verify-diagnostics -split-input-file

func.func @shape(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+1 {{'weir.add' op dim 1 of operand 1 (2x4) is 4, expected 1 or 3}}
  %z = weir.add %x, %y : tensor<2x3xf32>, tensor<2x4xf32>
  return
}

// -----

func.func @type(%x: tensor<2x3xf32>, %y: tensor<2x3xi32>) {
  // expected-error@+1 {{'weir.mul' op operand 1 expects element type f32 like the operands before, found i32; insert a weir.cast}}
  %z = weir.mul %x, %y : tensor<2x3xf32>, tensor<2x3xi32>
  return
}

// -----

func.func @condition(%c: tensor<2xf32>, %x: tensor<2xf32>) {
  // expected-error@+1 {{'weir.where' op operand 0 expects element type i1, found f32}}
  %z = weir.where %c, %x, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  return
}
