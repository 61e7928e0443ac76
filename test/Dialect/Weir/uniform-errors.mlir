// RUN: graph-opt %s --split-input-file --verify-diagnostics

// Random elements are of a float type and have bounds in their order. A
// parameter has one source.

// expected-error@below {{expects elements of a float type for random values, found i32}}
weir.parameter @a : tensor<4xi32> uniform <seed = 1, low = 0.0, high = 1.0>

// -----

// expected-error@below {{expects finite bounds of which the first is not above the second, found 1 and 0}}
weir.parameter @b : tensor<4xf32> uniform <seed = 1, low = 1.0, high = 0.0>

// -----

// expected-error@below {{found 0 and inf}}
weir.parameter @c : tensor<4xf32> uniform <seed = 1, low = 0.0, high = 0x7FF0000000000000 : f64>

// -----

// expected-error@below {{has two of a file, a value, random elements and an initialiser; give one of them}}
weir.parameter @d : tensor<1xf32> from "w.safetensors" uniform <seed = 1, low = 0.0, high = 1.0>

// -----

// expected-error@below {{has two of a file, a value, random elements and an initialiser; give one of them}}
weir.parameter @e : tensor<1xf32> = dense<0.0> : tensor<1xf32> uniform <seed = 1, low = 0.0, high = 1.0>
