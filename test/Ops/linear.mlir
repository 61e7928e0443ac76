// linear: x times the transposed weight plus bias, over any leading dims.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/linear.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/linear.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/linear.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @biased(
// CHECK: %y = weir.linear %x, %w, %b : tensor<4x8xf32>, tensor<5x8xf32>, tensor<5xf32>
// COST: biased: tensor<4x5xf32>, 320 flops, 388 bytes, library ok
func.func @biased(%x: tensor<4x8xf32>, %w: tensor<5x8xf32>, %b: tensor<5xf32>)
    -> tensor<4x5xf32> {
  %y = weir.linear %x, %w, %b : tensor<4x8xf32>, tensor<5x8xf32>, tensor<5xf32>
  return %y : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @plain(
// CHECK: %y = weir.linear %x, %w : tensor<1x8xf32>, tensor<3x8xf32>
// COST: plain: tensor<1x3xf32>, 48 flops, 140 bytes, library ok
func.func @plain(%x: tensor<1x8xf32>, %w: tensor<3x8xf32>) -> tensor<1x3xf32> {
  %y = weir.linear %x, %w : tensor<1x8xf32>, tensor<3x8xf32>
  return %y : tensor<1x3xf32>
}

// CHECK-LABEL: func.func @leading_dims(
// CHECK: %y = weir.linear %x, %w, %b : tensor<2x1x6xbf16>, tensor<4x6xbf16>, tensor<4xbf16>
// COST: leading_dims: tensor<2x1x4xbf16>, 96 flops, 96 bytes, library ok
func.func @leading_dims(%x: tensor<2x1x6xbf16>,
    %w: tensor<4x6xbf16>,
    %b: tensor<4xbf16>)
    -> tensor<2x1x4xbf16> {
  %y = weir.linear %x, %w, %b : tensor<2x1x6xbf16>, tensor<4x6xbf16>, tensor<4xbf16>
  return %y : tensor<2x1x4xbf16>
}

// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.linear %x, %w, %b : tensor<6xf32>, tensor<4x6xf32>, tensor<4xf32>
// COST: vector: tensor<4xf32>, 48 flops, 152 bytes, library ok
func.func @vector(%x: tensor<6xf32>, %w: tensor<4x6xf32>, %b: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = weir.linear %x, %w, %b : tensor<6xf32>, tensor<4x6xf32>, tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @one_output(
// CHECK: %y = weir.linear %x, %w, %b : tensor<3x7xf32>, tensor<1x7xf32>, tensor<1xf32>
// COST: one_output: tensor<3x1xf32>, 42 flops, 128 bytes, library ok
func.func @one_output(%x: tensor<3x7xf32>,
    %w: tensor<1x7xf32>,
    %b: tensor<1xf32>)
    -> tensor<3x1xf32> {
  %y = weir.linear %x, %w, %b : tensor<3x7xf32>, tensor<1x7xf32>, tensor<1xf32>
  return %y : tensor<3x1xf32>
}

// CHECK-LABEL: func.func @f64(
// CHECK: %y = weir.linear %x, %w : tensor<2x3xf64>, tensor<2x3xf64>
// COST: f64: tensor<2x2xf64>, 24 flops, 128 bytes, library no cpu kernel for weir.linear of f64
func.func @f64(%x: tensor<2x3xf64>, %w: tensor<2x3xf64>) -> tensor<2x2xf64> {
  %y = weir.linear %x, %w : tensor<2x3xf64>, tensor<2x3xf64>
  return %y : tensor<2x2xf64>
}

// CHECK-LABEL: func.func @no_rows(
// CHECK: %y = weir.linear %x, %w, %b : tensor<0x3xf32>, tensor<2x3xf32>, tensor<2xf32>
// COST: no_rows: tensor<0x2xf32>, 0 flops, 32 bytes, library ok
func.func @no_rows(%x: tensor<0x3xf32>, %w: tensor<2x3xf32>, %b: tensor<2xf32>)
    -> tensor<0x2xf32> {
  %y = weir.linear %x, %w, %b : tensor<0x3xf32>, tensor<2x3xf32>, tensor<2xf32>
  return %y : tensor<0x2xf32>
}

// CHECK-LABEL: func.func @no_inputs(
// CHECK: %y = weir.linear %x, %w, %b : tensor<2x0xf32>, tensor<3x0xf32>, tensor<3xf32>
// COST: no_inputs: tensor<2x3xf32>, 0 flops, 36 bytes, library kernel 'linear' does not support operands without elements
func.func @no_inputs(%x: tensor<2x0xf32>,
    %w: tensor<3x0xf32>,
    %b: tensor<3xf32>)
    -> tensor<2x3xf32> {
  %y = weir.linear %x, %w, %b : tensor<2x0xf32>, tensor<3x0xf32>, tensor<3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.linear %x, %w, %b : tensor<2x3xf16>, tensor<4x3xf16>, tensor<4xf16>
// COST: half: tensor<2x4xf16>, 48 flops, 60 bytes, library no cpu kernel for weir.linear of f16
func.func @half(%x: tensor<2x3xf16>, %w: tensor<4x3xf16>, %b: tensor<4xf16>)
    -> tensor<2x4xf16> {
  %y = weir.linear %x, %w, %b : tensor<2x3xf16>, tensor<4x3xf16>, tensor<4xf16>
  return %y : tensor<2x4xf16>
}

//--- errors.mlir
func.func @error(%x: tensor<4x8xf32>, %w: tensor<5x7xf32>, %b: tensor<5xf32>) {
  // expected-error@below {{'weir.linear' op dim 'k' is 8 by operand 0 (4x8) but 7 by operand 1 (5x7)}}
  weir.linear %x, %w, %b : tensor<4x8xf32>, tensor<5x7xf32>, tensor<5xf32>
  return
}

// -----

func.func @error(%x: tensor<4x8xf32>, %w: tensor<5x8xf32>, %b: tensor<6xf32>) {
  // expected-error@below {{'weir.linear' op dim 'n' is 5 by operand 1 (5x8) but 6 by operand 2 (6)}}
  weir.linear %x, %w, %b : tensor<4x8xf32>, tensor<5x8xf32>, tensor<6xf32>
  return
}

// -----

func.func @error(%x: tensor<4x8xi32>, %w: tensor<5x8xi32>) {
  // expected-error@below {{'weir.linear' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.linear %x, %w : tensor<4x8xi32>, tensor<5x8xi32>
  return
}

// -----

func.func @error(%x: tensor<4x8xf32>, %w: tensor<5xf32>) {
  // expected-error@below {{'weir.linear' op operand 1 (5): expects rank 2, found rank 1}}
  weir.linear %x, %w : tensor<4x8xf32>, tensor<5xf32>
  return
}
