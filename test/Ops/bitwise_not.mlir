// bitwise_not: every bit inverted.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/bitwise_not.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/bitwise_not.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/bitwise_not.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.bitwise_not %x : tensor<7xi32>
// COST: vector: tensor<7xi32>, 14 flops, 56 bytes, library no cpu kernel for weir.bitwise_not of i32
func.func @vector(%x: tensor<7xi32>) -> tensor<7xi32> {
  %y = weir.bitwise_not %x : tensor<7xi32>
  return %y : tensor<7xi32>
}

// CHECK-LABEL: func.func @matrix(
// CHECK: %y = weir.bitwise_not %x : tensor<3x5xui8>
// COST: matrix: tensor<3x5xui8>, 30 flops, 30 bytes, library no cpu kernel for weir.bitwise_not of u8
func.func @matrix(%x: tensor<3x5xui8>) -> tensor<3x5xui8> {
  %y = weir.bitwise_not %x : tensor<3x5xui8>
  return %y : tensor<3x5xui8>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.bitwise_not %x : tensor<1x4x1xi64>
// COST: unit_dims: tensor<1x4x1xi64>, 8 flops, 64 bytes, library no cpu kernel for weir.bitwise_not of i64
func.func @unit_dims(%x: tensor<1x4x1xi64>) -> tensor<1x4x1xi64> {
  %y = weir.bitwise_not %x : tensor<1x4x1xi64>
  return %y : tensor<1x4x1xi64>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.bitwise_not %x : tensor<i16>
// COST: scalar: tensor<i16>, 2 flops, 4 bytes, library no cpu kernel for weir.bitwise_not of i16
func.func @scalar(%x: tensor<i16>) -> tensor<i16> {
  %y = weir.bitwise_not %x : tensor<i16>
  return %y : tensor<i16>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.bitwise_not %x : tensor<0x3xi8>
// COST: empty: tensor<0x3xi8>, 0 flops, 0 bytes, library no cpu kernel for weir.bitwise_not of i8
func.func @empty(%x: tensor<0x3xi8>) -> tensor<0x3xi8> {
  %y = weir.bitwise_not %x : tensor<0x3xi8>
  return %y : tensor<0x3xi8>
}

// CHECK-LABEL: func.func @huge_i8(
// CHECK: %y = weir.bitwise_not %x : tensor<5xi8>
// COST: huge_i8: tensor<5xi8>, 10 flops, 10 bytes, library no cpu kernel for weir.bitwise_not of i8
func.func @huge_i8(%x: tensor<5xi8>) -> tensor<5xi8> {
  %y = weir.bitwise_not %x : tensor<5xi8>
  return %y : tensor<5xi8>
}

// CHECK-LABEL: func.func @huge_i64(
// CHECK: %y = weir.bitwise_not %x : tensor<5xi64>
// COST: huge_i64: tensor<5xi64>, 10 flops, 80 bytes, library no cpu kernel for weir.bitwise_not of i64
func.func @huge_i64(%x: tensor<5xi64>) -> tensor<5xi64> {
  %y = weir.bitwise_not %x : tensor<5xi64>
  return %y : tensor<5xi64>
}

//--- errors.mlir
func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.bitwise_not' op operand 0 expects an integer element type, found f32; insert a weir.cast}}
  weir.bitwise_not %x : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xi1>) {
  // expected-error@below {{'weir.bitwise_not' op operand 0 expects an integer element type, found i1; insert a weir.cast}}
  weir.bitwise_not %x : tensor<4xi1>
  return
}

// -----

func.func @error(%x: tensor<4xi32>) {
  // expected-error@below {{'weir.bitwise_not' has no attribute 'axis'; it has device, stage}}
  weir.bitwise_not %x {axis = 1} : tensor<4xi32>
  return
}
