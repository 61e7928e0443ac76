// max_pool_taps: position of the maximum of each sliding window.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/max_pool_taps.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/max_pool_taps.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/max_pool_taps.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// Of equal elements the first.
// CHECK-LABEL: func.func @image(
// CHECK: %y = weir.max_pool_taps %x {kernel_shape = [2, 3], strides = [2, 1]} : tensor<1x2x6x5xf32>
// COST: image: tensor<1x2x3x3xi64>, 694 flops, 384 bytes, library kernel 'reorder' does not write f64
func.func @image(%x: tensor<1x2x6x5xf32>) -> tensor<1x2x3x3xi64> {
  %y = weir.max_pool_taps %x {kernel_shape = [2, 3], strides = [2, 1]} : tensor<1x2x6x5xf32>
  return %y : tensor<1x2x3x3xi64>
}

// CHECK-LABEL: func.func @padded(
// CHECK: %y = weir.max_pool_taps %x {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} : tensor<2x1x5x5xf32>
// COST: padded: tensor<2x1x5x5xi64>, 2740 flops, 600 bytes, library kernel 'reorder' does not write f64
func.func @padded(%x: tensor<2x1x5x5xf32>) -> tensor<2x1x5x5xi64> {
  %y = weir.max_pool_taps %x {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} : tensor<2x1x5x5xf32>
  return %y : tensor<2x1x5x5xi64>
}

// CHECK-LABEL: func.func @ceiled(
// CHECK: %y = weir.max_pool_taps %x {ceil_mode = true, dilations = [1, 2], kernel_shape = [2, 2], strides = [3, 2]} : tensor<1x1x4x7xf64>
// COST: ceiled: tensor<1x1x2x3xi64>, 190 flops, 272 bytes, library no cpu kernel for weir.max_pool of f64
func.func @ceiled(%x: tensor<1x1x4x7xf64>) -> tensor<1x1x2x3xi64> {
  %y = weir.max_pool_taps %x {ceil_mode = true, kernel_shape = [2, 2], strides = [3, 2], dilations = [1, 2]} : tensor<1x1x4x7xf64>
  return %y : tensor<1x1x2x3xi64>
}

// CHECK-LABEL: func.func @line(
// CHECK: %y = weir.max_pool_taps %x {kernel_shape = [4], pads = [2, 1], strides = [2]} : tensor<1x3x9xf16>
// COST: line: tensor<1x3x5xi64>, 378 flops, 174 bytes, library no cpu kernel for weir.cast of f16
func.func @line(%x: tensor<1x3x9xf16>) -> tensor<1x3x5xi64> {
  %y = weir.max_pool_taps %x {kernel_shape = [4], strides = [2], pads = [2, 1]} : tensor<1x3x9xf16>
  return %y : tensor<1x3x5xi64>
}

// CHECK-LABEL: func.func @volume(
// CHECK: %y = weir.max_pool_taps %x {kernel_shape = [2, 2, 2]} : tensor<1x1x3x4x3xbf16>
// COST: volume: tensor<1x1x2x3x2xi64>, 637 flops, 168 bytes, library kernel 'reorder' does not write f64
func.func @volume(%x: tensor<1x1x3x4x3xbf16>) -> tensor<1x1x2x3x2xi64> {
  %y = weir.max_pool_taps %x {kernel_shape = [2, 2, 2]} : tensor<1x1x3x4x3xbf16>
  return %y : tensor<1x1x2x3x2xi64>
}

// CHECK-LABEL: func.func @u8(
// CHECK: %y = weir.max_pool_taps %x {kernel_shape = [2, 2]} : tensor<1x2x4x4xui8>
// COST: u8: tensor<1x2x3x3xi64>, 460 flops, 176 bytes, library no cpu kernel for weir.max_pool of u8
func.func @u8(%x: tensor<1x2x4x4xui8>) -> tensor<1x2x3x3xi64> {
  %y = weir.max_pool_taps %x {kernel_shape = [2, 2]} : tensor<1x2x4x4xui8>
  return %y : tensor<1x2x3x3xi64>
}

// CHECK-LABEL: func.func @huge_i32(
// CHECK: %y = weir.max_pool_taps %x {kernel_shape = [3], pads = [1, 1]} : tensor<1x1x7xi32>
// COST: huge_i32: tensor<1x1x7xi64>, 140 flops, 84 bytes, library no cpu kernel for weir.max_pool of i32
func.func @huge_i32(%x: tensor<1x1x7xi32>) -> tensor<1x1x7xi64> {
  %y = weir.max_pool_taps %x {kernel_shape = [3], pads = [1, 1]} : tensor<1x1x7xi32>
  return %y : tensor<1x1x7xi64>
}

// An infinity counts, padding does not.
// CHECK-LABEL: func.func @masked(
// CHECK: %y = weir.max_pool_taps %x {kernel_shape = [2], pads = [1, 0]} : tensor<1x1x8xf32>
// COST: masked: tensor<1x1x8xi64>, 112 flops, 96 bytes, library kernel 'reorder' does not write f64
func.func @masked(%x: tensor<1x1x8xf32>) -> tensor<1x1x8xi64> {
  %y = weir.max_pool_taps %x {kernel_shape = [2], pads = [1, 0]} : tensor<1x1x8xf32>
  return %y : tensor<1x1x8xi64>
}

// The first NaN is the maximum.
// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.max_pool_taps %x {kernel_shape = [3], strides = [2]} : tensor<1x1x9xf32>
// COST: nan: tensor<1x1x4xi64>, 90 flops, 68 bytes, library kernel 'reorder' does not write f64
func.func @nan(%x: tensor<1x1x9xf32>) -> tensor<1x1x4xi64> {
  %y = weir.max_pool_taps %x {kernel_shape = [3], strides = [2]} : tensor<1x1x9xf32>
  return %y : tensor<1x1x4xi64>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.max_pool_taps %x {kernel_shape = [2, 2]} : tensor<0x2x4x4xf32>
// COST: empty: tensor<0x2x3x3xi64>, 28 flops, 0 bytes, library kernel 'reorder' does not write f64
func.func @empty(%x: tensor<0x2x4x4xf32>) -> tensor<0x2x3x3xi64> {
  %y = weir.max_pool_taps %x {kernel_shape = [2, 2]} : tensor<0x2x4x4xf32>
  return %y : tensor<0x2x3x3xi64>
}

// Both taps of the window are in the padding.
// CHECK-LABEL: func.func @only_padding(
// CHECK: %y = weir.max_pool_taps %x {dilations = [4], kernel_shape = [2], pads = [2, 2]} : tensor<1x2x1xf32>
// COST: only_padding: tensor<1x2x1xi64>, 30 flops, 24 bytes, library kernel 'reorder' does not write f64
func.func @only_padding(%x: tensor<1x2x1xf32>) -> tensor<1x2x1xi64> {
  %y = weir.max_pool_taps %x {kernel_shape = [2], dilations = [4], pads = [2, 2]} : tensor<1x2x1xf32>
  return %y : tensor<1x2x1xi64>
}

// Every window has only padding.
// CHECK-LABEL: func.func @no_element(
// CHECK: %y = weir.max_pool_taps %x {kernel_shape = [2], pads = [1, 1]} : tensor<1x2x0xi32>
// COST: no_element: tensor<1x2x1xi64>, 28 flops, 16 bytes, library no cpu kernel for weir.max_pool of i32
func.func @no_element(%x: tensor<1x2x0xi32>) -> tensor<1x2x1xi64> {
  %y = weir.max_pool_taps %x {kernel_shape = [2], pads = [1, 1]} : tensor<1x2x0xi32>
  return %y : tensor<1x2x1xi64>
}

//--- errors.mlir
func.func @error(%x: tensor<1x1x4x4xf32>) {
  // expected-error@below {{'weir.max_pool_taps' op a window of 5 does not fit into spatial dim 0 of operand 0 (1x1x4x4), which is 4 with padding}}
  weir.max_pool_taps %x {kernel_shape = [5, 1]} : tensor<1x1x4x4xf32>
  return
}

// -----

func.func @error(%x: tensor<1x1x4x4xf32>) {
  // expected-error@below {{'weir.max_pool_taps' op attribute 'pads' expects less than the 2 elements that a window spans in spatial dim 0, found 2}}
  weir.max_pool_taps %x {kernel_shape = [2, 2], pads = [2, 0, 0, 0]} : tensor<1x1x4x4xf32>
  return
}

// -----

func.func @error(%x: tensor<1x1x4x4xf32>) {
  // expected-error@below {{'weir.max_pool_taps' op attribute 'kernel_shape' expects 2 values, one per spatial dim, found 1}}
  weir.max_pool_taps %x {kernel_shape = [2]} : tensor<1x1x4x4xf32>
  return
}

// -----

func.func @error(%x: tensor<1x1x4x4xf32>) {
  // expected-error@below {{'weir.max_pool_taps' requires attribute 'kernel_shape'}}
  weir.max_pool_taps %x : tensor<1x1x4x4xf32>
  return
}
