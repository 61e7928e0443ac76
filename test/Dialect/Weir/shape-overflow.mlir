// RUN: graph-opt %s --split-input-file --verify-diagnostics

// Sizes that are too large are refused before anything is computed with them.

func.func @reshape_product(%x: tensor<2xf32>) {
  // expected-error@below {{attribute 'shape' is too large, expected at most 4611686018427387904 elements}}
  %y = weir.reshape %x {shape = [4294967296, 4294967296, 2]} : tensor<2xf32>
  return
}

// -----

func.func @reshape_operand(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error@below {{operand 0 is too large, expected at most 4611686018427387904 elements}}
  %y = weir.reshape %x {shape = [-1]} : tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @reshape_dim(%x: tensor<2xf32>) {
  // expected-error@below {{attribute 'shape' is too large}}
  %y = weir.reshape %x {shape = [9223372036854775807]} : tensor<2xf32>
  return
}

// -----

func.func @concat(%x: tensor<9223372036854775807xf32>) {
  // expected-error@below {{dim 0 of operand 0 is 9223372036854775807, expected 0 to 281474976710656}}
  %y = weir.concat %x, %x {axis = 0} : tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32>
  return
}

// -----

func.func @concat_sum(%x: tensor<281474976710656xi8>) {
  // expected-error@below {{dim 0 of the result is 562949953421312, expected 0 to 281474976710656}}
  %y = weir.concat %x, %x {axis = 0} : tensor<281474976710656xi8>, tensor<281474976710656xi8>
  return
}

// -----

func.func @split(%x: tensor<4xf32>) {
  // expected-error@below {{attribute 'sizes' adds up to more than 281474976710656}}
  %y:3 = weir.split %x {axis = 0, sizes = [9223372036854775807, 9223372036854775807, 6]} : tensor<4xf32>
  return
}

// -----

func.func @one_hot(%x: tensor<4294967296xi64>) {
  // expected-error@below {{result 0 is too large, expected at most 4611686018427387904 elements}}
  %y = weir.one_hot %x {depth = 4294967296} : tensor<4294967296xi64>
  return
}

// -----

func.func @gather(%x: tensor<2x4294967296xf32>, %i: tensor<4294967296xi64>) {
  // expected-error@below {{result 0 is too large}}
  %y = weir.gather %x, %i {axis = 0} : tensor<2x4294967296xf32>, tensor<4294967296xi64>
  return
}

// -----

// The cells that a window spans are no number here, and padding is less.
func.func @pool(%x: tensor<1x1x?xf32>) {
  %y = weir.max_pool %x {kernel_shape = [281474976710656], dilations = [281474976710656], pads = [5, 5]} : tensor<1x1x?xf32>
  return
}

// -----

func.func @lrn(%x: tensor<1x4x2x2xf32>) {
  // expected-error@below {{attribute 'size' expects 1 to 1073741824, found 1073741825}}
  %y = weir.lrn %x {size = 1073741825} : tensor<1x4x2x2xf32>
  return
}
