// Channels, windows and element types that do not fit a convolution.
// RUN: graph-opt %s -verify-diagnostics -split-input-file

func.func @channels(%x: tensor<1x3x8x8xf32>, %w: tensor<4x2x3x3xf32>) {
  // expected-error@+1 {{'weir.conv' op dim 1 of operand 0 (1x3x8x8) is 3, expected 2}}
  %z = weir.conv %x, %w : tensor<1x3x8x8xf32>, tensor<4x2x3x3xf32>
  return
}

// -----

func.func @window(%x: tensor<1x3x2x2xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{'weir.conv' op a window of 3 does not fit into spatial dim 0 of operand 0 (1x3x2x2), which is 2 with padding}}
  %z = weir.conv %x, %w : tensor<1x3x2x2xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @type(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xbf16>) {
  // expected-error@+1 {{'weir.conv' op operand 1 expects element type f32 like the operands before, found bf16; insert a weir.cast}}
  %z = weir.conv %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xbf16>
  return
}

// -----

func.func @attribute(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{'weir.conv' op attribute 'strides' expects 2 values, one per spatial dim, found 1}}
  %z = weir.conv %x, %w {strides = [2]} : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @attribute_type(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{attribute 'strides' expects a list of integers such as [0, 1], found 2}}
  %z = weir.conv %x, %w {strides = 2} : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @transposed(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{'weir.conv_transpose' op dim 0 of operand 1 (4x3x3x3) is 4, expected 3}}
  %z = weir.conv_transpose %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @no_groups(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{'weir.conv' op attribute 'groups' expects values from 1 to 281474976710656, found 0}}
  %z = weir.conv %x, %w {groups = 0} : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @empty_window(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x0x3xf32>) {
  // expected-error@+1 {{'weir.conv' op operand 1 (4x3x0x3) gives the window 0 elements in spatial dim 0, expected 1 or more}}
  %z = weir.conv %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x0x3xf32>
  return
}

// -----

func.func @channels_last(%x: tensor<1x8x9x3xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{'weir.conv' op dim 1 of operand 0 (1x8x9x3) is 8, expected 3, because 'c' is 3 by operand 1 (4x3x3x3); it fits with operand 0 transposed by [0, 3, 1, 2]}}
  %z = weir.conv %x, %w : tensor<1x8x9x3xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @kernel_first(%x: tensor<1x3x8x9xf32>, %w: tensor<5x5x3x4xf32>) {
  // expected-error@+1 {{'weir.conv' op dim 1 of operand 0 (1x3x8x9) is 3, expected 5, because 'c' is 5 by operand 1 (5x5x3x4); it fits with operand 1 transposed by [3, 2, 0, 1]}}
  %z = weir.conv %x, %w : tensor<1x3x8x9xf32>, tensor<5x5x3x4xf32>
  return
}

// -----

func.func @tensorflow(%x: tensor<1x8x9x3xf32>, %w: tensor<5x5x3x4xf32>) {
  // expected-error@+1 {{'weir.conv' op dim 1 of operand 0 (1x8x9x3) is 8, expected 5, because 'c' is 5 by operand 1 (5x5x3x4); it fits with operand 0 transposed by [0, 3, 1, 2], and operand 1 transposed by [3, 2, 0, 1]}}
  %z = weir.conv %x, %w : tensor<1x8x9x3xf32>, tensor<5x5x3x4xf32>
  return
}
