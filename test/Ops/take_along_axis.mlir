// take_along_axis: for each index the element at it along an axis.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/take_along_axis.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/take_along_axis.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/take_along_axis.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.take_along_axis %a, %b : tensor<5x3xf32>, tensor<2x3xi64>
// COST: rows: tensor<2x3xf32>, 0 flops, 132 bytes, library no cpu kernel for weir.take_along_axis of f32
func.func @rows(%a: tensor<5x3xf32>, %b: tensor<2x3xi64>) -> tensor<2x3xf32> {
  %y = weir.take_along_axis %a, %b : tensor<5x3xf32>, tensor<2x3xi64>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @columns(
// CHECK: %y = weir.take_along_axis %a, %b {axis = -1 : i64} : tensor<2x3x4xf32>, tensor<2x3x6xi32>
// COST: columns: tensor<2x3x6xf32>, 0 flops, 384 bytes, library no cpu kernel for weir.take_along_axis of f32
func.func @columns(%a: tensor<2x3x4xf32>, %b: tensor<2x3x6xi32>)
    -> tensor<2x3x6xf32> {
  %y = weir.take_along_axis %a, %b {axis = -1} : tensor<2x3x4xf32>, tensor<2x3x6xi32>
  return %y : tensor<2x3x6xf32>
}

// CHECK-LABEL: func.func @middle(
// CHECK: %y = weir.take_along_axis %a, %b {axis = 1 : i64} : tensor<2x5x1x3xbf16>, tensor<2x7x1x3xi64>
// COST: middle: tensor<2x7x1x3xbf16>, 0 flops, 480 bytes, library no cpu kernel for weir.take_along_axis of bf16
func.func @middle(%a: tensor<2x5x1x3xbf16>, %b: tensor<2x7x1x3xi64>)
    -> tensor<2x7x1x3xbf16> {
  %y = weir.take_along_axis %a, %b {axis = 1} : tensor<2x5x1x3xbf16>, tensor<2x7x1x3xi64>
  return %y : tensor<2x7x1x3xbf16>
}

// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.take_along_axis %a, %b : tensor<7xf64>, tensor<3xi64>
// COST: vector: tensor<3xf64>, 0 flops, 104 bytes, library no cpu kernel for weir.take_along_axis of f64
func.func @vector(%a: tensor<7xf64>, %b: tensor<3xi64>) -> tensor<3xf64> {
  %y = weir.take_along_axis %a, %b : tensor<7xf64>, tensor<3xi64>
  return %y : tensor<3xf64>
}

// CHECK-LABEL: func.func @integers(
// CHECK: %y = weir.take_along_axis %a, %b : tensor<4x3xi16>, tensor<1x3xi64>
// COST: integers: tensor<1x3xi16>, 0 flops, 54 bytes, library no cpu kernel for weir.take_along_axis of i16
func.func @integers(%a: tensor<4x3xi16>, %b: tensor<1x3xi64>)
    -> tensor<1x3xi16> {
  %y = weir.take_along_axis %a, %b : tensor<4x3xi16>, tensor<1x3xi64>
  return %y : tensor<1x3xi16>
}

// CHECK-LABEL: func.func @truth(
// CHECK: %y = weir.take_along_axis %a, %b {axis = 1 : i64} : tensor<3x4xi1>, tensor<3x2xi64>
// COST: truth: tensor<3x2xi1>, 0 flops, 66 bytes, library no cpu kernel for weir.take_along_axis of i1
func.func @truth(%a: tensor<3x4xi1>, %b: tensor<3x2xi64>) -> tensor<3x2xi1> {
  %y = weir.take_along_axis %a, %b {axis = 1} : tensor<3x4xi1>, tensor<3x2xi64>
  return %y : tensor<3x2xi1>
}

// CHECK-LABEL: func.func @no_index(
// CHECK: %y = weir.take_along_axis %a, %b : tensor<3x2xf32>, tensor<0x2xi64>
// COST: no_index: tensor<0x2xf32>, 0 flops, 24 bytes, library no cpu kernel for weir.take_along_axis of f32
func.func @no_index(%a: tensor<3x2xf32>, %b: tensor<0x2xi64>)
    -> tensor<0x2xf32> {
  %y = weir.take_along_axis %a, %b : tensor<3x2xf32>, tensor<0x2xi64>
  return %y : tensor<0x2xf32>
}

//--- errors.mlir
func.func @error(%a: tensor<5x3xf32>, %b: tensor<4x3xf32>) {
  // expected-error@below {{'weir.take_along_axis' op operand 1 expects an integer element type, found f32; insert a weir.cast}}
  weir.take_along_axis %a, %b : tensor<5x3xf32>, tensor<4x3xf32>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<4x3xi64>) {
  // expected-error@below {{'weir.take_along_axis' op attribute 'axis' expects a value from -2 to 1, found -3}}
  weir.take_along_axis %a, %b {axis = -3} : tensor<5x3xf32>, tensor<4x3xi64>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<4x2xi64>) {
  // expected-error@below {{'weir.take_along_axis' op dim 'x1' is 3 by operand 0 (5x3) but 2 by operand 1 (4x2)}}
  weir.take_along_axis %a, %b : tensor<5x3xf32>, tensor<4x2xi64>
  return
}

// -----

func.func @error(%a: tensor<0x3xf32>, %b: tensor<4x3xi64>) {
  // expected-error@below {{'weir.take_along_axis' op dim 0 of operand 0 (0x3) has no element to pick, expected 1 or more}}
  weir.take_along_axis %a, %b : tensor<0x3xf32>, tensor<4x3xi64>
  return
}
