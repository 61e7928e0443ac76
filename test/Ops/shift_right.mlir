// shift_right: bits moved down; the sign comes in.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/shift_right.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/shift_right.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/shift_right.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @same_shape(
// CHECK: %y = weir.shift_right %a, %b : tensor<3x5xi32>, tensor<3x5xi32>
// COST: same_shape: tensor<3x5xi32>, 15 flops, 180 bytes, library no cpu kernel for weir.shift_right of i32
func.func @same_shape(%a: tensor<3x5xi32>, %b: tensor<3x5xi32>)
    -> tensor<3x5xi32> {
  %y = weir.shift_right %a, %b : tensor<3x5xi32>, tensor<3x5xi32>
  return %y : tensor<3x5xi32>
}

// CHECK-LABEL: func.func @row(
// CHECK: %y = weir.shift_right %a, %b : tensor<2x3xui8>, tensor<3xui8>
// COST: row: tensor<2x3xui8>, 6 flops, 15 bytes, library no cpu kernel for weir.shift_right of u8
func.func @row(%a: tensor<2x3xui8>, %b: tensor<3xui8>) -> tensor<2x3xui8> {
  %y = weir.shift_right %a, %b : tensor<2x3xui8>, tensor<3xui8>
  return %y : tensor<2x3xui8>
}

// CHECK-LABEL: func.func @both_ways(
// CHECK: %y = weir.shift_right %a, %b : tensor<2x1x4xi64>, tensor<3x1xi64>
// COST: both_ways: tensor<2x3x4xi64>, 24 flops, 280 bytes, library no cpu kernel for weir.shift_right of i64
func.func @both_ways(%a: tensor<2x1x4xi64>, %b: tensor<3x1xi64>)
    -> tensor<2x3x4xi64> {
  %y = weir.shift_right %a, %b : tensor<2x1x4xi64>, tensor<3x1xi64>
  return %y : tensor<2x3x4xi64>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.shift_right %a, %b : tensor<4xi16>, tensor<i16>
// COST: scalar: tensor<4xi16>, 4 flops, 18 bytes, library no cpu kernel for weir.shift_right of i16
func.func @scalar(%a: tensor<4xi16>, %b: tensor<i16>) -> tensor<4xi16> {
  %y = weir.shift_right %a, %b : tensor<4xi16>, tensor<i16>
  return %y : tensor<4xi16>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.shift_right %a, %b : tensor<0x3xi32>, tensor<1x3xi32>
// COST: empty: tensor<0x3xi32>, 0 flops, 12 bytes, library no cpu kernel for weir.shift_right of i32
func.func @empty(%a: tensor<0x3xi32>, %b: tensor<1x3xi32>) -> tensor<0x3xi32> {
  %y = weir.shift_right %a, %b : tensor<0x3xi32>, tensor<1x3xi32>
  return %y : tensor<0x3xi32>
}

// CHECK-LABEL: func.func @u8(
// CHECK: %y = weir.shift_right %a, %b : tensor<2x8xui8>, tensor<8xui8>
// COST: u8: tensor<2x8xui8>, 16 flops, 40 bytes, library no cpu kernel for weir.shift_right of u8
func.func @u8(%a: tensor<2x8xui8>, %b: tensor<8xui8>) -> tensor<2x8xui8> {
  %y = weir.shift_right %a, %b : tensor<2x8xui8>, tensor<8xui8>
  return %y : tensor<2x8xui8>
}

// A shift by less than 0 places leaves nothing but the sign.
// CHECK-LABEL: func.func @zero_far(
// CHECK: %y = weir.shift_right %a, %b : tensor<2x9xi32>, tensor<9xi32>
// COST: zero_far: tensor<2x9xi32>, 18 flops, 180 bytes, library no cpu kernel for weir.shift_right of i32
func.func @zero_far(%a: tensor<2x9xi32>, %b: tensor<9xi32>) -> tensor<2x9xi32> {
  %y = weir.shift_right %a, %b : tensor<2x9xi32>, tensor<9xi32>
  return %y : tensor<2x9xi32>
}

// CHECK-LABEL: func.func @huge_u64(
// CHECK: %y = weir.shift_right %a, %b : tensor<2x5xui64>, tensor<5xui64>
// COST: huge_u64: tensor<2x5xui64>, 10 flops, 200 bytes, library no cpu kernel for weir.shift_right of u64
func.func @huge_u64(%a: tensor<2x5xui64>, %b: tensor<5xui64>)
    -> tensor<2x5xui64> {
  %y = weir.shift_right %a, %b : tensor<2x5xui64>, tensor<5xui64>
  return %y : tensor<2x5xui64>
}

// CHECK-LABEL: func.func @zero_u64(
// CHECK: %y = weir.shift_right %a, %b : tensor<2x5xui64>, tensor<5xui64>
// COST: zero_u64: tensor<2x5xui64>, 10 flops, 200 bytes, library no cpu kernel for weir.shift_right of u64
func.func @zero_u64(%a: tensor<2x5xui64>, %b: tensor<5xui64>)
    -> tensor<2x5xui64> {
  %y = weir.shift_right %a, %b : tensor<2x5xui64>, tensor<5xui64>
  return %y : tensor<2x5xui64>
}

// CHECK-LABEL: func.func @huge_u32(
// CHECK: %y = weir.shift_right %a, %b : tensor<6xui32>, tensor<6xui32>
// COST: huge_u32: tensor<6xui32>, 6 flops, 72 bytes, library no cpu kernel for weir.shift_right of u32
func.func @huge_u32(%a: tensor<6xui32>, %b: tensor<6xui32>) -> tensor<6xui32> {
  %y = weir.shift_right %a, %b : tensor<6xui32>, tensor<6xui32>
  return %y : tensor<6xui32>
}

//--- errors.mlir
func.func @error(%a: tensor<4xi1>, %b: tensor<4xi1>) {
  // expected-error@below {{'weir.shift_right' op operand 0 expects an integer element type, found i1; insert a weir.cast}}
  weir.shift_right %a, %b : tensor<4xi1>, tensor<4xi1>
  return
}

// -----

func.func @error(%a: tensor<2x3xi32>, %b: tensor<4xi32>) {
  // expected-error@below {{'weir.shift_right' op dim 0 of operand 1 (4) is 4, expected 1 or 3}}
  weir.shift_right %a, %b : tensor<2x3xi32>, tensor<4xi32>
  return
}

// -----

func.func @error(%a: tensor<2x3xi32>, %b: tensor<3xi64>) {
  // expected-error@below {{'weir.shift_right' op operand 1 expects element type i32 like the operands before, found i64; insert a weir.cast}}
  weir.shift_right %a, %b : tensor<2x3xi32>, tensor<3xi64>
  return
}

// -----

func.func @error(%a: tensor<2x3xi32>, %b: tensor<3xi32>) {
  // expected-error@below {{'weir.shift_right' has no attribute 'axis'; it has device, stage}}
  weir.shift_right %a, %b {axis = 1} : tensor<2x3xi32>, tensor<3xi32>
  return
}

// -----

func.func @error(%x: tensor<2x3xi32>) {
  // expected-error@below {{'weir.shift_right' op expects at least 2 operands, found 1}}
  weir.shift_right %x : tensor<2x3xi32>
  return
}
