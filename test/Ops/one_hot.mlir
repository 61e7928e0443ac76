// one_hot: whether each position of a new axis is the one in the input.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/one_hot.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/one_hot.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/one_hot.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.one_hot %x {depth = 4 : i64} : tensor<5xi64>
// COST: vector: tensor<5x4xi1>, 35 flops, 60 bytes, library no cpu kernel for weir.add of i64
func.func @vector(%x: tensor<5xi64>) -> tensor<5x4xi1> {
  %y = weir.one_hot %x {depth = 4} : tensor<5xi64>
  return %y : tensor<5x4xi1>
}

// CHECK-LABEL: func.func @first(
// CHECK: %y = weir.one_hot %x {axis = 0 : i64, depth = 5 : i64} : tensor<2x3xi32>
// COST: first: tensor<5x2x3xi1>, 48 flops, 54 bytes, library no cpu kernel for weir.cast of i32
func.func @first(%x: tensor<2x3xi32>) -> tensor<5x2x3xi1> {
  %y = weir.one_hot %x {axis = 0, depth = 5} : tensor<2x3xi32>
  return %y : tensor<5x2x3xi1>
}

// CHECK-LABEL: func.func @middle(
// CHECK: %y = weir.one_hot %x {axis = -2 : i64, depth = 3 : i64} : tensor<2x1xi64>
// COST: middle: tensor<2x3x1xi1>, 12 flops, 22 bytes, library no cpu kernel for weir.add of i64
func.func @middle(%x: tensor<2x1xi64>) -> tensor<2x3x1xi1> {
  %y = weir.one_hot %x {axis = -2, depth = 3} : tensor<2x1xi64>
  return %y : tensor<2x3x1xi1>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.one_hot %x {depth = 3 : i64} : tensor<i64>
// COST: scalar: tensor<3xi1>, 6 flops, 11 bytes, library no cpu kernel for weir.add of i64
func.func @scalar(%x: tensor<i64>) -> tensor<3xi1> {
  %y = weir.one_hot %x {depth = 3} : tensor<i64>
  return %y : tensor<3xi1>
}

// CHECK-LABEL: func.func @outside(
// CHECK: %y = weir.one_hot %x {depth = 4 : i64} : tensor<9xi8>
// COST: outside: tensor<9x4xi1>, 63 flops, 45 bytes, library no cpu kernel for weir.cast of i8
func.func @outside(%x: tensor<9xi8>) -> tensor<9x4xi1> {
  %y = weir.one_hot %x {depth = 4} : tensor<9xi8>
  return %y : tensor<9x4xi1>
}

// More positions than the indices' type has numbers.
// CHECK-LABEL: func.func @wide_of_i8(
// CHECK: %y = weir.one_hot %x {depth = 300 : i64} : tensor<6xi8>
// COST: wide_of_i8: tensor<6x300xi1>, 1818 flops, 1806 bytes, library no cpu kernel for weir.cast of i8
func.func @wide_of_i8(%x: tensor<6xi8>) -> tensor<6x300xi1> {
  %y = weir.one_hot %x {depth = 300} : tensor<6xi8>
  return %y : tensor<6x300xi1>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.one_hot %x {depth = 2 : i64} : tensor<0xi64>
// COST: empty: tensor<0x2xi1>, 0 flops, 0 bytes, library no cpu kernel for weir.add of i64
func.func @empty(%x: tensor<0xi64>) -> tensor<0x2xi1> {
  %y = weir.one_hot %x {depth = 2} : tensor<0xi64>
  return %y : tensor<0x2xi1>
}

// What no i64 holds is outside, not the last position.
// CHECK-LABEL: func.func @huge_u64(
// CHECK: %y = weir.one_hot %x {depth = 4 : i64} : tensor<5xui64>
// COST: huge_u64: tensor<5x4xi1>, 40 flops, 60 bytes, library no cpu kernel for weir.min of u64
func.func @huge_u64(%x: tensor<5xui64>) -> tensor<5x4xi1> {
  %y = weir.one_hot %x {depth = 4} : tensor<5xui64>
  return %y : tensor<5x4xi1>
}

//--- errors.mlir
func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.one_hot' op operand 0 expects an integer element type, found f32; insert a weir.cast}}
  weir.one_hot %x {depth = 3} : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xi64>) {
  // expected-error@below {{'weir.one_hot' requires attribute 'depth'}}
  weir.one_hot %x : tensor<4xi64>
  return
}

// -----

func.func @error(%x: tensor<4xi64>) {
  // expected-error@below {{'weir.one_hot' op attribute 'axis' expects a value from -2 to 1, found 2}}
  weir.one_hot %x {axis = 2, depth = 3} : tensor<4xi64>
  return
}

// -----

func.func @error(%x: tensor<4xi64>) {
  // expected-error@below {{'weir.one_hot' op attribute 'depth' expects at least 1, found 0}}
  weir.one_hot %x {depth = 0} : tensor<4xi64>
  return
}
