// bitwise_xor: bits that differ.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/bitwise_xor.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/bitwise_xor.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/bitwise_xor.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @same_shape(
// CHECK: %y = weir.bitwise_xor %a, %b : tensor<3x5xi32>, tensor<3x5xi32>
// COST: same_shape: tensor<3x5xi32>, 15 flops, 180 bytes, library no cpu kernel for weir.bitwise_xor of i32
func.func @same_shape(%a: tensor<3x5xi32>, %b: tensor<3x5xi32>)
    -> tensor<3x5xi32> {
  %y = weir.bitwise_xor %a, %b : tensor<3x5xi32>, tensor<3x5xi32>
  return %y : tensor<3x5xi32>
}

// CHECK-LABEL: func.func @row(
// CHECK: %y = weir.bitwise_xor %a, %b : tensor<2x3xui8>, tensor<3xui8>
// COST: row: tensor<2x3xui8>, 6 flops, 15 bytes, library no cpu kernel for weir.bitwise_xor of u8
func.func @row(%a: tensor<2x3xui8>, %b: tensor<3xui8>) -> tensor<2x3xui8> {
  %y = weir.bitwise_xor %a, %b : tensor<2x3xui8>, tensor<3xui8>
  return %y : tensor<2x3xui8>
}

// CHECK-LABEL: func.func @both_ways(
// CHECK: %y = weir.bitwise_xor %a, %b : tensor<2x1x4xi64>, tensor<3x1xi64>
// COST: both_ways: tensor<2x3x4xi64>, 24 flops, 280 bytes, library no cpu kernel for weir.bitwise_xor of i64
func.func @both_ways(%a: tensor<2x1x4xi64>, %b: tensor<3x1xi64>)
    -> tensor<2x3x4xi64> {
  %y = weir.bitwise_xor %a, %b : tensor<2x1x4xi64>, tensor<3x1xi64>
  return %y : tensor<2x3x4xi64>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.bitwise_xor %a, %b : tensor<4xi16>, tensor<i16>
// COST: scalar: tensor<4xi16>, 4 flops, 18 bytes, library no cpu kernel for weir.bitwise_xor of i16
func.func @scalar(%a: tensor<4xi16>, %b: tensor<i16>) -> tensor<4xi16> {
  %y = weir.bitwise_xor %a, %b : tensor<4xi16>, tensor<i16>
  return %y : tensor<4xi16>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.bitwise_xor %a, %b : tensor<0x3xi32>, tensor<1x3xi32>
// COST: empty: tensor<0x3xi32>, 0 flops, 12 bytes, library no cpu kernel for weir.bitwise_xor of i32
func.func @empty(%a: tensor<0x3xi32>, %b: tensor<1x3xi32>) -> tensor<0x3xi32> {
  %y = weir.bitwise_xor %a, %b : tensor<0x3xi32>, tensor<1x3xi32>
  return %y : tensor<0x3xi32>
}

// CHECK-LABEL: func.func @huge_i8(
// CHECK: %y = weir.bitwise_xor %a, %b : tensor<2x9xi8>, tensor<9xi8>
// COST: huge_i8: tensor<2x9xi8>, 18 flops, 45 bytes, library no cpu kernel for weir.bitwise_xor of i8
func.func @huge_i8(%a: tensor<2x9xi8>, %b: tensor<9xi8>) -> tensor<2x9xi8> {
  %y = weir.bitwise_xor %a, %b : tensor<2x9xi8>, tensor<9xi8>
  return %y : tensor<2x9xi8>
}

// CHECK-LABEL: func.func @huge_i64(
// CHECK: %y = weir.bitwise_xor %a, %b : tensor<2x4xi64>, tensor<2x4xi64>
// COST: huge_i64: tensor<2x4xi64>, 8 flops, 192 bytes, library no cpu kernel for weir.bitwise_xor of i64
func.func @huge_i64(%a: tensor<2x4xi64>, %b: tensor<2x4xi64>)
    -> tensor<2x4xi64> {
  %y = weir.bitwise_xor %a, %b : tensor<2x4xi64>, tensor<2x4xi64>
  return %y : tensor<2x4xi64>
}

// CHECK-LABEL: func.func @truth(
// CHECK: %y = weir.bitwise_xor %a, %b : tensor<2x4xi1>, tensor<4xi1>
// COST: truth: tensor<2x4xi1>, 8 flops, 20 bytes, library no cpu kernel for weir.bitwise_xor of i1
func.func @truth(%a: tensor<2x4xi1>, %b: tensor<4xi1>) -> tensor<2x4xi1> {
  %y = weir.bitwise_xor %a, %b : tensor<2x4xi1>, tensor<4xi1>
  return %y : tensor<2x4xi1>
}

// CHECK-LABEL: func.func @huge_u64(
// CHECK: %y = weir.bitwise_xor %a, %b : tensor<2x5xui64>, tensor<5xui64>
// COST: huge_u64: tensor<2x5xui64>, 10 flops, 200 bytes, library no cpu kernel for weir.bitwise_xor of u64
func.func @huge_u64(%a: tensor<2x5xui64>, %b: tensor<5xui64>)
    -> tensor<2x5xui64> {
  %y = weir.bitwise_xor %a, %b : tensor<2x5xui64>, tensor<5xui64>
  return %y : tensor<2x5xui64>
}

//--- errors.mlir
func.func @error(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error@below {{'weir.bitwise_xor' op operand 0 expects an integer or i1 element type, found f32; insert a weir.cast}}
  weir.bitwise_xor %a, %b : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @error(%a: tensor<2x3xi32>, %b: tensor<4xi32>) {
  // expected-error@below {{'weir.bitwise_xor' op dim 0 of operand 1 (4) is 4, expected 1 or 3}}
  weir.bitwise_xor %a, %b : tensor<2x3xi32>, tensor<4xi32>
  return
}

// -----

func.func @error(%a: tensor<2x3xi32>, %b: tensor<3xi64>) {
  // expected-error@below {{'weir.bitwise_xor' op operand 1 expects element type i32 like the operands before, found i64; insert a weir.cast}}
  weir.bitwise_xor %a, %b : tensor<2x3xi32>, tensor<3xi64>
  return
}

// -----

func.func @error(%a: tensor<2x3xi32>, %b: tensor<3xi32>) {
  // expected-error@below {{'weir.bitwise_xor' has no attribute 'axis'; it has device, stage}}
  weir.bitwise_xor %a, %b {axis = 1} : tensor<2x3xi32>, tensor<3xi32>
  return
}

// -----

func.func @error(%x: tensor<2x3xi32>) {
  // expected-error@below {{'weir.bitwise_xor' op expects at least 2 operands, found 1}}
  weir.bitwise_xor %x : tensor<2x3xi32>
  return
}
