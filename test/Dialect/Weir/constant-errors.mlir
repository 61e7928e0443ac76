// RUN: graph-opt %s --split-input-file --verify-diagnostics

// All elements of a constant or a parameter are in the text, in a form that
// weir reads.

func.func @missing() -> tensor<4xf32> {
  // expected-error@below {{names resource 'gone', whose bytes are not in the file}}
  %c = weir.constant dense_resource<gone> : tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

func.func @short() -> tensor<4xf32> {
  // expected-error@below {{expects 16 bytes of resource 'part' for 'tensor<4xf32>', found 8; correct the type or the resource}}
  %c = weir.constant dense_resource<part> : tensor<4xf32>
  return %c : tensor<4xf32>
}
{-# dialect_resources: { builtin: { part: "0x040000000000803F00000040" } } #-}

// -----

func.func @long() -> tensor<1xf32> {
  // expected-error@below {{expects 4 bytes of resource 'more' for 'tensor<1xf32>', found 8}}
  %c = weir.constant dense_resource<more> : tensor<1xf32>
  return %c : tensor<1xf32>
}
{-# dialect_resources: { builtin: { more: "0x040000000000803F00000040" } } #-}

// -----

// expected-error@below {{expects 16 bytes of resource 'few' for 'tensor<4xf32>', found 8}}
weir.parameter @p : tensor<4xf32> = dense_resource<few> : tensor<4xf32>
{-# dialect_resources: { builtin: { few: "0x040000000000803F00000040" } } #-}

// -----

func.func @truth() -> tensor<2xi1> {
  // expected-error@below {{expects bytes 0 and 1 as the truth values of resource 'bits', found another}}
  %c = weir.constant dense_resource<bits> : tensor<2xi1>
  return %c : tensor<2xi1>
}
{-# dialect_resources: { builtin: { bits: "0x010000000103" } } #-}

// -----

func.func @sparse() -> tensor<4xf32> {
  // expected-error@below {{expects its elements as 'dense<...>' or 'dense_resource<...>', found sparse<1, 2.000000e+00> : tensor<4xf32>}}
  %c = weir.constant sparse<1, 2.0> : tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// expected-error@below {{expects its elements as 'dense<...>' or 'dense_resource<...>', found sparse}}
weir.parameter @q : tensor<4xf32> = sparse<1, 2.0> : tensor<4xf32>
