// Invalid derived parameters.
// RUN: graph-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expects to end with a 'weir.yield' of one 'tensor<2xf32>'}}
weir.derived @d : tensor<2xf32> {
  %c = weir.constant dense<1.0> : tensor<3xf32>
  weir.yield %c : tensor<3xf32>
}

// -----

// expected-error @below {{expects a static shape, found 'tensor<?xf32>'}}
weir.derived @d : tensor<?xf32> {
  %c = weir.constant dense<1.0> : tensor<3xf32>
  weir.yield %c : tensor<3xf32>
}

// -----

// expected-error @below {{expects a block without arguments; read what it needs with 'weir.read'}}
weir.derived @d : tensor<2xf32> {
^bb0(%a: tensor<2xf32>):
  weir.yield %a : tensor<2xf32>
}

// -----

weir.derived @d : tensor<2xf32> {
  %c = weir.constant dense<1.0> : tensor<2xf32>
  // expected-error @below {{cannot be part of a derived parameter; expected ops that compute, constants and 'weir.read'}}
  weir.assign @d, %c : tensor<2xf32>
  weir.yield %c : tensor<2xf32>
}

// -----

weir.derived @first : tensor<2xf32> {
  // expected-error @below {{expects @second to be declared before what is derived from it}}
  %r = weir.read @second : tensor<2xf32>
  weir.yield %r : tensor<2xf32>
}
weir.derived @second : tensor<2xf32> {
  %r = weir.read @first : tensor<2xf32>
  weir.yield %r : tensor<2xf32>
}

// -----

// expected-note @below {{declared here}}
weir.parameter @p : tensor<3xf32> = dense<1.0> : tensor<3xf32>
weir.derived @d : tensor<2xf32> {
  // expected-error @below {{expects type 'tensor<3xf32>' of parameter @p, found 'tensor<2xf32>'}}
  %r = weir.read @p : tensor<2xf32>
  weir.yield %r : tensor<2xf32>
}

// -----

weir.parameter @p : tensor<2xf32> = dense<1.0> : tensor<2xf32>
// expected-note @below {{declared here}}
weir.derived @d : tensor<2xf32> {
  %r = weir.read @p : tensor<2xf32>
  weir.yield %r : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) {
  // expected-error @below {{assigns @d, which is derived from other parameters; assign one of these}}
  weir.assign @d, %x : tensor<2xf32>
  return
}
