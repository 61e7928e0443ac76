// matmul: products of matrices, with numpy broadcasting of leading dims.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/matmul.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/matmul.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/matmul.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @plain(
// CHECK: %y = weir.matmul %a, %b : tensor<3x4xf32>, tensor<4x5xf32>
// COST: plain: tensor<3x5xf32>, 120 flops, 188 bytes, library ok
func.func @plain(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %y = weir.matmul %a, %b : tensor<3x4xf32>, tensor<4x5xf32>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: func.func @batched(
// CHECK: %y = weir.matmul %a, %b : tensor<2x3x4xf32>, tensor<2x4x2xf32>
// COST: batched: tensor<2x3x2xf32>, 96 flops, 208 bytes, library ok
func.func @batched(%a: tensor<2x3x4xf32>, %b: tensor<2x4x2xf32>)
    -> tensor<2x3x2xf32> {
  %y = weir.matmul %a, %b : tensor<2x3x4xf32>, tensor<2x4x2xf32>
  return %y : tensor<2x3x2xf32>
}

// CHECK-LABEL: func.func @broadcast(
// CHECK: %y = weir.matmul %a, %b : tensor<2x1x3x4xbf16>, tensor<5x4x2xbf16>
// COST: broadcast: tensor<2x5x3x2xbf16>, 480 flops, 248 bytes, library ok
func.func @broadcast(%a: tensor<2x1x3x4xbf16>, %b: tensor<5x4x2xbf16>)
    -> tensor<2x5x3x2xbf16> {
  %y = weir.matmul %a, %b : tensor<2x1x3x4xbf16>, tensor<5x4x2xbf16>
  return %y : tensor<2x5x3x2xbf16>
}

// CHECK-LABEL: func.func @one_row(
// CHECK: %y = weir.matmul %a, %b : tensor<1x7xf32>, tensor<7x1xf32>
// COST: one_row: tensor<1x1xf32>, 14 flops, 60 bytes, library ok
func.func @one_row(%a: tensor<1x7xf32>, %b: tensor<7x1xf32>)
    -> tensor<1x1xf32> {
  %y = weir.matmul %a, %b : tensor<1x7xf32>, tensor<7x1xf32>
  return %y : tensor<1x1xf32>
}

// CHECK-LABEL: func.func @f64(
// CHECK: %y = weir.matmul %a, %b : tensor<2x3xf64>, tensor<3x2xf64>
// COST: f64: tensor<2x2xf64>, 24 flops, 128 bytes, library no cpu kernel for weir.matmul of f64
func.func @f64(%a: tensor<2x3xf64>, %b: tensor<3x2xf64>) -> tensor<2x2xf64> {
  %y = weir.matmul %a, %b : tensor<2x3xf64>, tensor<3x2xf64>
  return %y : tensor<2x2xf64>
}

// CHECK-LABEL: func.func @i32(
// CHECK: %y = weir.matmul %a, %b : tensor<2x3xi32>, tensor<3x4xi32>
// COST: i32: tensor<2x4xi32>, 48 flops, 104 bytes, library no cpu kernel for weir.matmul of i32
func.func @i32(%a: tensor<2x3xi32>, %b: tensor<3x4xi32>) -> tensor<2x4xi32> {
  %y = weir.matmul %a, %b : tensor<2x3xi32>, tensor<3x4xi32>
  return %y : tensor<2x4xi32>
}

// CHECK-LABEL: func.func @no_inner(
// CHECK: %y = weir.matmul %a, %b : tensor<2x0xf32>, tensor<0x3xf32>
// COST: no_inner: tensor<2x3xf32>, 0 flops, 24 bytes, library kernel 'matmul' does not support operands without elements
func.func @no_inner(%a: tensor<2x0xf32>, %b: tensor<0x3xf32>)
    -> tensor<2x3xf32> {
  %y = weir.matmul %a, %b : tensor<2x0xf32>, tensor<0x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.matmul %a, %b : tensor<0x2xf32>, tensor<2x3xf32>
// COST: empty: tensor<0x3xf32>, 0 flops, 24 bytes, library ok
func.func @empty(%a: tensor<0x2xf32>, %b: tensor<2x3xf32>) -> tensor<0x3xf32> {
  %y = weir.matmul %a, %b : tensor<0x2xf32>, tensor<2x3xf32>
  return %y : tensor<0x3xf32>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.matmul %a, %b : tensor<2x3xf16>, tensor<3x2xf16>
// COST: half: tensor<2x2xf16>, 24 flops, 32 bytes, library no cpu kernel for weir.matmul of f16
func.func @half(%a: tensor<2x3xf16>, %b: tensor<3x2xf16>) -> tensor<2x2xf16> {
  %y = weir.matmul %a, %b : tensor<2x3xf16>, tensor<3x2xf16>
  return %y : tensor<2x2xf16>
}

// CHECK-LABEL: func.func @i8_wraps(
// CHECK: %y = weir.matmul %a, %b : tensor<2x16xi8>, tensor<16x2xi8>
// COST: i8_wraps: tensor<2x2xi8>, 128 flops, 68 bytes, library no cpu kernel for weir.matmul of i8
func.func @i8_wraps(%a: tensor<2x16xi8>, %b: tensor<16x2xi8>)
    -> tensor<2x2xi8> {
  %y = weir.matmul %a, %b : tensor<2x16xi8>, tensor<16x2xi8>
  return %y : tensor<2x2xi8>
}

//--- errors.mlir
func.func @error(%a: tensor<3x4xf32>, %b: tensor<5x4xf32>) {
  // expected-error@below {{'weir.matmul' op dim 'k' is 4 by operand 0 (3x4) but 5 by operand 1 (5x4)}}
  weir.matmul %a, %b : tensor<3x4xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @error(%a: tensor<4xf32>, %b: tensor<4x5xf32>) {
  // expected-error@below {{'weir.matmul' op operand 0 (4): expects rank at least 2, found rank 1}}
  weir.matmul %a, %b : tensor<4xf32>, tensor<4x5xf32>
  return
}

// -----

func.func @error(%a: tensor<2x3x4xf32>, %b: tensor<3x4x5xf32>) {
  // expected-error@below {{'weir.matmul' op dim 0 of operand 1 (3x4x5) is 3, expected 1 or 2}}
  weir.matmul %a, %b : tensor<2x3x4xf32>, tensor<3x4x5xf32>
  return
}

// -----

func.func @error(%a: tensor<3x4xf32>, %b: tensor<4x5xbf16>) {
  // expected-error@below {{'weir.matmul' op operand 1 expects element type f32 like the operands before, found bf16; insert a weir.cast}}
  weir.matmul %a, %b : tensor<3x4xf32>, tensor<4x5xbf16>
  return
}
