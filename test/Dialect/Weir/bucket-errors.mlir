// What a bucket may contain, and how it is assigned.
// RUN: graph-opt %s -weir-lift-parameters -verify-diagnostics -split-input-file

weir.parameter @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
// expected-error@below {{expects type 'tensor<16xf32>' for these parameters, found 'tensor<4xf32>'}}
weir.bucket @b : tensor<4xf32> of [@w]

// -----

// expected-error@below {{expects parameters that are declared before it with 'weir.parameter', found @w}}
weir.bucket @b : tensor<16xf32> of [@w]
weir.parameter @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>

// -----

// expected-error@below {{expects parameters that are declared before it with 'weir.parameter', found @none}}
weir.bucket @b : tensor<16xf32> of [@none]

// -----

// expected-note@below {{declared here}}
weir.parameter @w : tensor<4xf64> = dense<1.0> : tensor<4xf64>
// expected-error@below {{expects parameters of 'f32', row-major, as @w is 'tensor<4xf64>'}}
weir.bucket @b : tensor<16xf32> of [@w]

// -----

weir.parameter @w : tensor<4xi32> = dense<1> : tensor<4xi32>
// expected-error@below {{expects elements of a float type, found 'tensor<16xi32>'}}
weir.bucket @b : tensor<16xi32> of [@w]

// -----

// expected-error@below {{expects a type of one known dim, found 'tensor<4x4xf32>'}}
weir.bucket @b : tensor<4x4xf32> of [@w]

// -----

// expected-error@below {{expects at least one parameter}}
weir.bucket @b : tensor<16xf32> of []

// -----

// expected-error@below {{lists parameter @w twice}}
weir.bucket @b : tensor<16xf32> of [@w, @w]

// -----

weir.parameter @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
// expected-note@below {{the other bucket}}
weir.bucket @a : tensor<16xf32> of [@w]
// expected-error@below {{lists parameter @w, which is in another bucket; a parameter is in one bucket at most}}
weir.bucket @b : tensor<16xf32> of [@w]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

weir.parameter @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
// expected-note@below {{the bucket}}
weir.bucket @b : tensor<16xf32> of [@w]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{assigns @w, which is in bucket @b; assign @b as a whole, or take the parameter out of it}}
  weir.assign @w, %x : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

weir.parameter @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
// expected-note@below {{declared here}}
weir.bucket @b : tensor<16xf32> of [@w]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{expects type 'tensor<16xf32>' of parameter @b, found 'tensor<4xf32>'}}
  weir.assign @b, %x : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

weir.parameter @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
weir.bucket @b : tensor<16xf32> of [@w]
weir.derived @d : tensor<16xf32> {
  // expected-error@below {{reads the bucket @b; read its parameters by their names}}
  %r = weir.read @b : tensor<16xf32>
  weir.yield %r : tensor<16xf32>
}
