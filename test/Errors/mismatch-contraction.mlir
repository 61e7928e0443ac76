// Contracted dims that differ and element types that differ.
// RUN: graph-opt %s -verify-diagnostics -split-input-file

func.func @shape(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) {
  // expected-error@+1 {{'weir.matmul' op dim 'k' is 3 by operand 0 (2x3) but 4 by operand 1 (4x5)}}
  %z = weir.matmul %x, %y : tensor<2x3xf32>, tensor<4x5xf32>
  return
}

// -----

func.func @bias(%x: tensor<2x3xf32>, %w: tensor<5x3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'weir.linear' op dim 'n' is 5 by operand 1 (5x3) but 4 by operand 2 (4)}}
  %z = weir.linear %x, %w, %b : tensor<2x3xf32>, tensor<5x3xf32>, tensor<4xf32>
  return
}

// -----

func.func @type(%x: tensor<2x3xf32>, %y: tensor<3x5xf16>) {
  // expected-error@+1 {{'weir.matmul' op operand 1 expects element type f32 like the operands before, found f16; insert a weir.cast}}
  %z = weir.matmul %x, %y : tensor<2x3xf32>, tensor<3x5xf16>
  return
}

// -----

func.func @count(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'weir.matmul' op expects at least 2 operands, found 1}}
  %z = weir.matmul %x : tensor<2x3xf32>
  return
}

// -----

// Weights as Keras has them.
func.func @in_out(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{'weir.linear' op dim 'k' is 8 by operand 0 (4x8) but 5 by operand 1 (8x5); it fits with operand 1 transposed by [1, 0]}}
  %z = weir.linear %x, %w, %b : tensor<4x8xf32>, tensor<8x5xf32>, tensor<5xf32>
  return
}

// -----

// Weights as PyTorch has them.
func.func @out_in(%x: tensor<4x8xf32>, %w: tensor<5x8xf32>) {
  // expected-error@+1 {{'weir.matmul' op dim 'k' is 8 by operand 0 (4x8) but 5 by operand 1 (5x8); it fits with operand 1 transposed by [1, 0]}}
  %z = weir.matmul %x, %w : tensor<4x8xf32>, tensor<5x8xf32>
  return
}
