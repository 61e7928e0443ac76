// gather: parts of a tensor that indices pick along an axis.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/gather.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/gather.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/gather.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.gather %a, %b : tensor<5x3xf32>, tensor<2x4xi64>
// COST: rows: tensor<2x4x3xf32>, 0 flops, 220 bytes, library no cpu kernel for weir.take of f32
func.func @rows(%a: tensor<5x3xf32>, %b: tensor<2x4xi64>) -> tensor<2x4x3xf32> {
  %y = weir.gather %a, %b : tensor<5x3xf32>, tensor<2x4xi64>
  return %y : tensor<2x4x3xf32>
}

// CHECK-LABEL: func.func @columns(
// CHECK: %y = weir.gather %a, %b {axis = -1 : i64} : tensor<2x3x4xf32>, tensor<1x2xi32>
// COST: columns: tensor<2x3x1x2xf32>, 0 flops, 152 bytes, library no cpu kernel for weir.take of f32
func.func @columns(%a: tensor<2x3x4xf32>, %b: tensor<1x2xi32>)
    -> tensor<2x3x1x2xf32> {
  %y = weir.gather %a, %b {axis = -1} : tensor<2x3x4xf32>, tensor<1x2xi32>
  return %y : tensor<2x3x1x2xf32>
}

// CHECK-LABEL: func.func @one(
// CHECK: %y = weir.gather %a, %b {axis = 1 : i64} : tensor<2x5x3xbf16>, tensor<i64>
// COST: one: tensor<2x3xbf16>, 0 flops, 80 bytes, library no cpu kernel for weir.take of bf16
func.func @one(%a: tensor<2x5x3xbf16>, %b: tensor<i64>) -> tensor<2x3xbf16> {
  %y = weir.gather %a, %b {axis = 1} : tensor<2x5x3xbf16>, tensor<i64>
  return %y : tensor<2x3xbf16>
}

// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.gather %a, %b : tensor<7xf64>, tensor<3xi64>
// COST: vector: tensor<3xf64>, 0 flops, 104 bytes, library no cpu kernel for weir.take of f64
func.func @vector(%a: tensor<7xf64>, %b: tensor<3xi64>) -> tensor<3xf64> {
  %y = weir.gather %a, %b : tensor<7xf64>, tensor<3xi64>
  return %y : tensor<3xf64>
}

// CHECK-LABEL: func.func @to_scalar(
// CHECK: %y = weir.gather %a, %b : tensor<7xi32>, tensor<i64>
// COST: to_scalar: tensor<i32>, 0 flops, 40 bytes, library no cpu kernel for weir.take of i32
func.func @to_scalar(%a: tensor<7xi32>, %b: tensor<i64>) -> tensor<i32> {
  %y = weir.gather %a, %b : tensor<7xi32>, tensor<i64>
  return %y : tensor<i32>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.gather %a, %b : tensor<3x2xf16>, tensor<2x1xi8>
// COST: half: tensor<2x1x2xf16>, 0 flops, 22 bytes, library no cpu kernel for weir.take of f16
func.func @half(%a: tensor<3x2xf16>, %b: tensor<2x1xi8>) -> tensor<2x1x2xf16> {
  %y = weir.gather %a, %b : tensor<3x2xf16>, tensor<2x1xi8>
  return %y : tensor<2x1x2xf16>
}

// CHECK-LABEL: func.func @no_index(
// CHECK: %y = weir.gather %a, %b : tensor<3x2xf32>, tensor<0x2xi64>
// COST: no_index: tensor<0x2x2xf32>, 0 flops, 24 bytes, library no cpu kernel for weir.take of f32
func.func @no_index(%a: tensor<3x2xf32>, %b: tensor<0x2xi64>)
    -> tensor<0x2x2xf32> {
  %y = weir.gather %a, %b : tensor<3x2xf32>, tensor<0x2xi64>
  return %y : tensor<0x2x2xf32>
}

//--- errors.mlir
func.func @error(%a: tensor<5x3xf32>, %b: tensor<4xf32>) {
  // expected-error@below {{'weir.gather' op operand 1 expects an integer element type, found f32; insert a weir.cast}}
  weir.gather %a, %b : tensor<5x3xf32>, tensor<4xf32>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<4xi64>) {
  // expected-error@below {{'weir.gather' op attribute 'axis' expects a value from -2 to 1, found 2}}
  weir.gather %a, %b {axis = 2} : tensor<5x3xf32>, tensor<4xi64>
  return
}

// -----

func.func @error(%a: tensor<f32>, %b: tensor<4xi64>) {
  // expected-error@below {{'weir.gather' op attribute 'axis' is 0 for a scalar, expected a tensor of rank 1 or more}}
  weir.gather %a, %b : tensor<f32>, tensor<4xi64>
  return
}

// -----

func.func @error(%a: tensor<0x3xf32>, %b: tensor<4xi64>) {
  // expected-error@below {{'weir.gather' op dim 0 of operand 0 (0x3) has no element to pick, expected 1 or more}}
  weir.gather %a, %b : tensor<0x3xf32>, tensor<4xi64>
  return
}

// -----

func.func @error(%x: tensor<5x3xf32>) {
  // expected-error@below {{'weir.gather' op expects 2 operands, found 1}}
  weir.gather %x : tensor<5x3xf32>
  return
}
