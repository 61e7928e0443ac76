// mod: remainder with the sign of the divisor.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/mod.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/mod.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/mod.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @same_shape(
// CHECK: %y = weir.mod %a, %b : tensor<3x5xf32>, tensor<3x5xf32>
// COST: same_shape: tensor<3x5xf32>, 15 flops, 180 bytes, library no cpu kernel for weir.mod of f32
func.func @same_shape(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>)
    -> tensor<3x5xf32> {
  %y = weir.mod %a, %b : tensor<3x5xf32>, tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: func.func @row(
// CHECK: %y = weir.mod %a, %b : tensor<2x3xbf16>, tensor<3xbf16>
// COST: row: tensor<2x3xbf16>, 6 flops, 30 bytes, library no cpu kernel for weir.mod of bf16
func.func @row(%a: tensor<2x3xbf16>, %b: tensor<3xbf16>) -> tensor<2x3xbf16> {
  %y = weir.mod %a, %b : tensor<2x3xbf16>, tensor<3xbf16>
  return %y : tensor<2x3xbf16>
}

// CHECK-LABEL: func.func @both_ways(
// CHECK: %y = weir.mod %a, %b : tensor<2x1x4xf32>, tensor<3x1xf32>
// COST: both_ways: tensor<2x3x4xf32>, 24 flops, 140 bytes, library no cpu kernel for weir.mod of f32
func.func @both_ways(%a: tensor<2x1x4xf32>, %b: tensor<3x1xf32>)
    -> tensor<2x3x4xf32> {
  %y = weir.mod %a, %b : tensor<2x1x4xf32>, tensor<3x1xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.mod %a, %b : tensor<4xf64>, tensor<f64>
// COST: scalar: tensor<4xf64>, 4 flops, 72 bytes, library no cpu kernel for weir.mod of f64
func.func @scalar(%a: tensor<4xf64>, %b: tensor<f64>) -> tensor<4xf64> {
  %y = weir.mod %a, %b : tensor<4xf64>, tensor<f64>
  return %y : tensor<4xf64>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.mod %a, %b : tensor<1x2xf16>, tensor<3x2xf16>
// COST: half: tensor<3x2xf16>, 6 flops, 28 bytes, library no cpu kernel for weir.mod of f16
func.func @half(%a: tensor<1x2xf16>, %b: tensor<3x2xf16>) -> tensor<3x2xf16> {
  %y = weir.mod %a, %b : tensor<1x2xf16>, tensor<3x2xf16>
  return %y : tensor<3x2xf16>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.mod %a, %b : tensor<0x3xf32>, tensor<1x3xf32>
// COST: empty: tensor<0x3xf32>, 0 flops, 12 bytes, library no cpu kernel for weir.mod of f32
func.func @empty(%a: tensor<0x3xf32>, %b: tensor<1x3xf32>) -> tensor<0x3xf32> {
  %y = weir.mod %a, %b : tensor<0x3xf32>, tensor<1x3xf32>
  return %y : tensor<0x3xf32>
}

// CHECK-LABEL: func.func @i32(
// CHECK: %y = weir.mod %a, %b : tensor<2x3xi32>, tensor<3xi32>
// COST: i32: tensor<2x3xi32>, 6 flops, 60 bytes, library no cpu kernel for weir.mod of i32
func.func @i32(%a: tensor<2x3xi32>, %b: tensor<3xi32>) -> tensor<2x3xi32> {
  %y = weir.mod %a, %b : tensor<2x3xi32>, tensor<3xi32>
  return %y : tensor<2x3xi32>
}

// CHECK-LABEL: func.func @u8(
// CHECK: %y = weir.mod %a, %b : tensor<4xui8>, tensor<1xui8>
// COST: u8: tensor<4xui8>, 4 flops, 9 bytes, library no cpu kernel for weir.mod of u8
func.func @u8(%a: tensor<4xui8>, %b: tensor<1xui8>) -> tensor<4xui8> {
  %y = weir.mod %a, %b : tensor<4xui8>, tensor<1xui8>
  return %y : tensor<4xui8>
}

// CHECK-LABEL: func.func @infinite(
// CHECK: %y = weir.mod %a, %b : tensor<6xf32>, tensor<6xf32>
// COST: infinite: tensor<6xf32>, 6 flops, 72 bytes, library no cpu kernel for weir.mod of f32
func.func @infinite(%a: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<6xf32> {
  %y = weir.mod %a, %b : tensor<6xf32>, tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.mod %a, %b : tensor<6xf32>, tensor<6xf32>
// COST: nan: tensor<6xf32>, 6 flops, 72 bytes, library no cpu kernel for weir.mod of f32
func.func @nan(%a: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<6xf32> {
  %y = weir.mod %a, %b : tensor<6xf32>, tensor<6xf32>
  return %y : tensor<6xf32>
}

// The remainder of a division by 0 is 0, by decree.
// CHECK-LABEL: func.func @zero_i32(
// CHECK: %y = weir.mod %a, %b : tensor<2x5xi32>, tensor<2x5xi32>
// COST: zero_i32: tensor<2x5xi32>, 10 flops, 120 bytes, library no cpu kernel for weir.mod of i32
func.func @zero_i32(%a: tensor<2x5xi32>, %b: tensor<2x5xi32>)
    -> tensor<2x5xi32> {
  %y = weir.mod %a, %b : tensor<2x5xi32>, tensor<2x5xi32>
  return %y : tensor<2x5xi32>
}

// CHECK-LABEL: func.func @huge_i32(
// CHECK: %y = weir.mod %a, %b : tensor<3xi32>, tensor<3xi32>
// COST: huge_i32: tensor<3xi32>, 3 flops, 36 bytes, library no cpu kernel for weir.mod of i32
func.func @huge_i32(%a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi32> {
  %y = weir.mod %a, %b : tensor<3xi32>, tensor<3xi32>
  return %y : tensor<3xi32>
}

// CHECK-LABEL: func.func @i8(
// CHECK: %y = weir.mod %a, %b : tensor<2x9xi8>, tensor<9xi8>
// COST: i8: tensor<2x9xi8>, 18 flops, 45 bytes, library no cpu kernel for weir.mod of i8
func.func @i8(%a: tensor<2x9xi8>, %b: tensor<9xi8>) -> tensor<2x9xi8> {
  %y = weir.mod %a, %b : tensor<2x9xi8>, tensor<9xi8>
  return %y : tensor<2x9xi8>
}

// CHECK-LABEL: func.func @huge_u64(
// CHECK: %y = weir.mod %a, %b : tensor<2x5xui64>, tensor<5xui64>
// COST: huge_u64: tensor<2x5xui64>, 10 flops, 200 bytes, library no cpu kernel for weir.mod of u64
func.func @huge_u64(%a: tensor<2x5xui64>, %b: tensor<5xui64>)
    -> tensor<2x5xui64> {
  %y = weir.mod %a, %b : tensor<2x5xui64>, tensor<5xui64>
  return %y : tensor<2x5xui64>
}

//--- errors.mlir
func.func @error(%a: tensor<2x3xf32>, %b: tensor<4xf32>) {
  // expected-error@below {{'weir.mod' op dim 0 of operand 1 (4) is 4, expected 1 or 3}}
  weir.mod %a, %b : tensor<2x3xf32>, tensor<4xf32>
  return
}

// -----

func.func @error(%a: tensor<2x3xf32>, %b: tensor<3xbf16>) {
  // expected-error@below {{'weir.mod' op operand 1 expects element type f32 like the operands before, found bf16; insert a weir.cast}}
  weir.mod %a, %b : tensor<2x3xf32>, tensor<3xbf16>
  return
}

// -----

func.func @error(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@below {{'weir.mod' has no attribute 'axis'; it has device, stage}}
  weir.mod %a, %b {axis = 1} : tensor<2x3xf32>, tensor<3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.mod' op expects at least 2 operands, found 1}}
  weir.mod %x : tensor<2x3xf32>
  return
}
