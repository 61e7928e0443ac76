// greater: whether the first element is the larger one.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/greater.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/greater.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/greater.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @same_shape(
// CHECK: %y = weir.greater %a, %b : tensor<3x5xf32>, tensor<3x5xf32>
// COST: same_shape: tensor<3x5xi1>, 15 flops, 135 bytes, library ok
func.func @same_shape(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>)
    -> tensor<3x5xi1> {
  %y = weir.greater %a, %b : tensor<3x5xf32>, tensor<3x5xf32>
  return %y : tensor<3x5xi1>
}

// CHECK-LABEL: func.func @row(
// CHECK: %y = weir.greater %a, %b : tensor<2x3xbf16>, tensor<3xbf16>
// COST: row: tensor<2x3xi1>, 6 flops, 24 bytes, library ok
func.func @row(%a: tensor<2x3xbf16>, %b: tensor<3xbf16>) -> tensor<2x3xi1> {
  %y = weir.greater %a, %b : tensor<2x3xbf16>, tensor<3xbf16>
  return %y : tensor<2x3xi1>
}

// CHECK-LABEL: func.func @both_ways(
// CHECK: %y = weir.greater %a, %b : tensor<2x1x4xf32>, tensor<3x1xf32>
// COST: both_ways: tensor<2x3x4xi1>, 24 flops, 68 bytes, library ok
func.func @both_ways(%a: tensor<2x1x4xf32>, %b: tensor<3x1xf32>)
    -> tensor<2x3x4xi1> {
  %y = weir.greater %a, %b : tensor<2x1x4xf32>, tensor<3x1xf32>
  return %y : tensor<2x3x4xi1>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.greater %a, %b : tensor<4xf64>, tensor<f64>
// COST: scalar: tensor<4xi1>, 4 flops, 44 bytes, library no cpu kernel for weir.greater of f64
func.func @scalar(%a: tensor<4xf64>, %b: tensor<f64>) -> tensor<4xi1> {
  %y = weir.greater %a, %b : tensor<4xf64>, tensor<f64>
  return %y : tensor<4xi1>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.greater %a, %b : tensor<1x2xf16>, tensor<3x2xf16>
// COST: half: tensor<3x2xi1>, 6 flops, 22 bytes, library no cpu kernel for weir.greater of f16
func.func @half(%a: tensor<1x2xf16>, %b: tensor<3x2xf16>) -> tensor<3x2xi1> {
  %y = weir.greater %a, %b : tensor<1x2xf16>, tensor<3x2xf16>
  return %y : tensor<3x2xi1>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.greater %a, %b : tensor<0x3xf32>, tensor<1x3xf32>
// COST: empty: tensor<0x3xi1>, 0 flops, 12 bytes, library ok
func.func @empty(%a: tensor<0x3xf32>, %b: tensor<1x3xf32>) -> tensor<0x3xi1> {
  %y = weir.greater %a, %b : tensor<0x3xf32>, tensor<1x3xf32>
  return %y : tensor<0x3xi1>
}

// CHECK-LABEL: func.func @i32(
// CHECK: %y = weir.greater %a, %b : tensor<2x3xi32>, tensor<3xi32>
// COST: i32: tensor<2x3xi1>, 6 flops, 42 bytes, library no cpu kernel for weir.greater of i32
func.func @i32(%a: tensor<2x3xi32>, %b: tensor<3xi32>) -> tensor<2x3xi1> {
  %y = weir.greater %a, %b : tensor<2x3xi32>, tensor<3xi32>
  return %y : tensor<2x3xi1>
}

// CHECK-LABEL: func.func @u8(
// CHECK: %y = weir.greater %a, %b : tensor<4xui8>, tensor<1xui8>
// COST: u8: tensor<4xi1>, 4 flops, 9 bytes, library no cpu kernel for weir.greater of u8
func.func @u8(%a: tensor<4xui8>, %b: tensor<1xui8>) -> tensor<4xi1> {
  %y = weir.greater %a, %b : tensor<4xui8>, tensor<1xui8>
  return %y : tensor<4xi1>
}

// CHECK-LABEL: func.func @infinite(
// CHECK: %y = weir.greater %a, %b : tensor<6xf32>, tensor<6xf32>
// COST: infinite: tensor<6xi1>, 6 flops, 54 bytes, library ok
func.func @infinite(%a: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<6xi1> {
  %y = weir.greater %a, %b : tensor<6xf32>, tensor<6xf32>
  return %y : tensor<6xi1>
}

// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.greater %a, %b : tensor<6xf32>, tensor<6xf32>
// COST: nan: tensor<6xi1>, 6 flops, 54 bytes, library ok
func.func @nan(%a: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<6xi1> {
  %y = weir.greater %a, %b : tensor<6xf32>, tensor<6xf32>
  return %y : tensor<6xi1>
}

// CHECK-LABEL: func.func @nan_row(
// CHECK: %y = weir.greater %a, %b : tensor<4xf32>, tensor<2x4xf32>
// COST: nan_row: tensor<2x4xi1>, 8 flops, 56 bytes, library ok
func.func @nan_row(%a: tensor<4xf32>, %b: tensor<2x4xf32>) -> tensor<2x4xi1> {
  %y = weir.greater %a, %b : tensor<4xf32>, tensor<2x4xf32>
  return %y : tensor<2x4xi1>
}

// CHECK-LABEL: func.func @nan_column(
// CHECK: %y = weir.greater %a, %b : tensor<4x2xf32>, tensor<4x1xf32>
// COST: nan_column: tensor<4x2xi1>, 8 flops, 56 bytes, library ok
func.func @nan_column(%a: tensor<4x2xf32>, %b: tensor<4x1xf32>)
    -> tensor<4x2xi1> {
  %y = weir.greater %a, %b : tensor<4x2xf32>, tensor<4x1xf32>
  return %y : tensor<4x2xi1>
}

// Integers beyond 2^53 are compared as integers.
// CHECK-LABEL: func.func @huge_i64(
// CHECK: %y = weir.greater %a, %b : tensor<3xi64>, tensor<3xi64>
// COST: huge_i64: tensor<3xi1>, 3 flops, 51 bytes, library no cpu kernel for weir.greater of i64
func.func @huge_i64(%a: tensor<3xi64>, %b: tensor<3xi64>) -> tensor<3xi1> {
  %y = weir.greater %a, %b : tensor<3xi64>, tensor<3xi64>
  return %y : tensor<3xi1>
}

// CHECK-LABEL: func.func @huge_u64(
// CHECK: %y = weir.greater %a, %b : tensor<2x5xui64>, tensor<5xui64>
// COST: huge_u64: tensor<2x5xi1>, 10 flops, 130 bytes, library no cpu kernel for weir.greater of u64
func.func @huge_u64(%a: tensor<2x5xui64>, %b: tensor<5xui64>)
    -> tensor<2x5xi1> {
  %y = weir.greater %a, %b : tensor<2x5xui64>, tensor<5xui64>
  return %y : tensor<2x5xi1>
}

// CHECK-LABEL: func.func @huge_u16(
// CHECK: %y = weir.greater %a, %b : tensor<6xui16>, tensor<6xui16>
// COST: huge_u16: tensor<6xi1>, 6 flops, 30 bytes, library no cpu kernel for weir.greater of u16
func.func @huge_u16(%a: tensor<6xui16>, %b: tensor<6xui16>) -> tensor<6xi1> {
  %y = weir.greater %a, %b : tensor<6xui16>, tensor<6xui16>
  return %y : tensor<6xi1>
}

//--- errors.mlir
func.func @error(%a: tensor<2x3xf32>, %b: tensor<4xf32>) {
  // expected-error@below {{'weir.greater' op dim 0 of operand 1 (4) is 4, expected 1 or 3}}
  weir.greater %a, %b : tensor<2x3xf32>, tensor<4xf32>
  return
}

// -----

func.func @error(%a: tensor<2x3xf32>, %b: tensor<3xbf16>) {
  // expected-error@below {{'weir.greater' op operand 1 expects element type f32 like the operands before, found bf16; insert a weir.cast}}
  weir.greater %a, %b : tensor<2x3xf32>, tensor<3xbf16>
  return
}

// -----

func.func @error(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@below {{'weir.greater' has no attribute 'axis'; it has device, stage}}
  weir.greater %a, %b {axis = 1} : tensor<2x3xf32>, tensor<3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.greater' op expects at least 2 operands, found 1}}
  weir.greater %x : tensor<2x3xf32>
  return
}
