// logical_not: whether an element is not true.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/logical_not.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/logical_not.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/logical_not.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.logical_not %x : tensor<7xi1>
// COST: vector: tensor<7xi1>, 7 flops, 14 bytes, library no cpu kernel for weir.logical_not of i1
func.func @vector(%x: tensor<7xi1>) -> tensor<7xi1> {
  %y = weir.logical_not %x : tensor<7xi1>
  return %y : tensor<7xi1>
}

// CHECK-LABEL: func.func @matrix(
// CHECK: %y = weir.logical_not %x : tensor<3x5xi1>
// COST: matrix: tensor<3x5xi1>, 15 flops, 30 bytes, library no cpu kernel for weir.logical_not of i1
func.func @matrix(%x: tensor<3x5xi1>) -> tensor<3x5xi1> {
  %y = weir.logical_not %x : tensor<3x5xi1>
  return %y : tensor<3x5xi1>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.logical_not %x : tensor<1x4x1xi1>
// COST: unit_dims: tensor<1x4x1xi1>, 4 flops, 8 bytes, library no cpu kernel for weir.logical_not of i1
func.func @unit_dims(%x: tensor<1x4x1xi1>) -> tensor<1x4x1xi1> {
  %y = weir.logical_not %x : tensor<1x4x1xi1>
  return %y : tensor<1x4x1xi1>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.logical_not %x : tensor<i1>
// COST: scalar: tensor<i1>, 1 flops, 2 bytes, library no cpu kernel for weir.logical_not of i1
func.func @scalar(%x: tensor<i1>) -> tensor<i1> {
  %y = weir.logical_not %x : tensor<i1>
  return %y : tensor<i1>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.logical_not %x : tensor<0x3xi1>
// COST: empty: tensor<0x3xi1>, 0 flops, 0 bytes, library no cpu kernel for weir.logical_not of i1
func.func @empty(%x: tensor<0x3xi1>) -> tensor<0x3xi1> {
  %y = weir.logical_not %x : tensor<0x3xi1>
  return %y : tensor<0x3xi1>
}

//--- errors.mlir
func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.logical_not' op operand 0 expects element type i1, found f32}}
  weir.logical_not %x : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xi1>) {
  // expected-error@below {{'weir.logical_not' has no attribute 'axis'; it has device, stage}}
  weir.logical_not %x {axis = 1} : tensor<4xi1>
  return
}

// -----

func.func @error(%x: tensor<4xi1>, %z: tensor<4xi1>) {
  // expected-error@below {{'weir.logical_not' op expects at most 1 operands, found 2}}
  weir.logical_not %x, %z : tensor<4xi1>, tensor<4xi1>
  return
}
