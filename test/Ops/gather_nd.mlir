// gather_nd: parts of a tensor at places of several indices.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/gather_nd.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/gather_nd.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/gather_nd.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @elements(
// CHECK: %y = weir.gather_nd %a, %b : tensor<3x4xf32>, tensor<5x2xi64>
// COST: elements: tensor<5xf32>, 60 flops, 148 bytes, library no cpu kernel for weir.slice of i64
func.func @elements(%a: tensor<3x4xf32>, %b: tensor<5x2xi64>) -> tensor<5xf32> {
  %y = weir.gather_nd %a, %b : tensor<3x4xf32>, tensor<5x2xi64>
  return %y : tensor<5xf32>
}

// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.gather_nd %a, %b : tensor<3x4x2xf32>, tensor<2x3x1xi64>
// COST: rows: tensor<2x3x4x2xf32>, 30 flops, 336 bytes, library no cpu kernel for weir.add of i64
func.func @rows(%a: tensor<3x4x2xf32>, %b: tensor<2x3x1xi64>)
    -> tensor<2x3x4x2xf32> {
  %y = weir.gather_nd %a, %b : tensor<3x4x2xf32>, tensor<2x3x1xi64>
  return %y : tensor<2x3x4x2xf32>
}

// CHECK-LABEL: func.func @batched(
// CHECK: %y = weir.gather_nd %a, %b {batch_dims = 1 : i64} : tensor<2x3x4xf32>, tensor<2x5x1xi32>
// COST: batched: tensor<2x5x4xf32>, 62 flops, 296 bytes, library no cpu kernel for weir.cast of i32
func.func @batched(%a: tensor<2x3x4xf32>, %b: tensor<2x5x1xi32>)
    -> tensor<2x5x4xf32> {
  %y = weir.gather_nd %a, %b {batch_dims = 1} : tensor<2x3x4xf32>, tensor<2x5x1xi32>
  return %y : tensor<2x5x4xf32>
}

// CHECK-LABEL: func.func @batched_elements(
// CHECK: %y = weir.gather_nd %a, %b {batch_dims = 2 : i64} : tensor<2x1x3x4xbf16>, tensor<2x1x2xi64>
// COST: batched_elements: tensor<2x1xbf16>, 28 flops, 84 bytes, library no cpu kernel for weir.slice of i64
func.func @batched_elements(%a: tensor<2x1x3x4xbf16>, %b: tensor<2x1x2xi64>)
    -> tensor<2x1xbf16> {
  %y = weir.gather_nd %a, %b {batch_dims = 2} : tensor<2x1x3x4xbf16>, tensor<2x1x2xi64>
  return %y : tensor<2x1xbf16>
}

// CHECK-LABEL: func.func @one(
// CHECK: %y = weir.gather_nd %a, %b : tensor<3x4xi16>, tensor<2xi64>
// COST: one: tensor<i16>, 12 flops, 42 bytes, library no cpu kernel for weir.slice of i64
func.func @one(%a: tensor<3x4xi16>, %b: tensor<2xi64>) -> tensor<i16> {
  %y = weir.gather_nd %a, %b : tensor<3x4xi16>, tensor<2xi64>
  return %y : tensor<i16>
}

// CHECK-LABEL: func.func @no_place(
// CHECK: %y = weir.gather_nd %a, %b : tensor<3x4xf32>, tensor<0x2xi64>
// COST: no_place: tensor<0xf32>, 0 flops, 48 bytes, library no cpu kernel for weir.slice of i64
func.func @no_place(%a: tensor<3x4xf32>, %b: tensor<0x2xi64>) -> tensor<0xf32> {
  %y = weir.gather_nd %a, %b : tensor<3x4xf32>, tensor<0x2xi64>
  return %y : tensor<0xf32>
}

// An index outside stands for the nearest one inside.
// CHECK-LABEL: func.func @outside(
// CHECK: %y = weir.gather_nd %a, %b : tensor<3x4xf32>, tensor<8x2xi64>
// COST: outside: tensor<8xf32>, 96 flops, 208 bytes, library no cpu kernel for weir.slice of i64
func.func @outside(%a: tensor<3x4xf32>, %b: tensor<8x2xi64>) -> tensor<8xf32> {
  %y = weir.gather_nd %a, %b : tensor<3x4xf32>, tensor<8x2xi64>
  return %y : tensor<8xf32>
}

//--- errors.mlir
func.func @error(%a: tensor<5x3xf32>, %b: tensor<4x2xf32>) {
  // expected-error@below {{'weir.gather_nd' op operand 1 expects an integer element type, found f32; insert a weir.cast}}
  weir.gather_nd %a, %b : tensor<5x3xf32>, tensor<4x2xf32>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<4x3xi64>) {
  // expected-error@below {{'weir.gather_nd' op the last dim of operand 1 (4x3) expects a size from 1 to 2}}
  weir.gather_nd %a, %b : tensor<5x3xf32>, tensor<4x3xi64>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<4x1xi64>) {
  // expected-error@below {{'weir.gather_nd' op dim 0 of operand 1 (4x1) is 4, expected 5 as in operand 0}}
  weir.gather_nd %a, %b {batch_dims = 1} : tensor<5x3xf32>, tensor<4x1xi64>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<4x1xi64>) {
  // expected-error@below {{'weir.gather_nd' op operands 0 (5x3) and 1 (4x1) expect more than 2 dims}}
  weir.gather_nd %a, %b {batch_dims = 2} : tensor<5x3xf32>, tensor<4x1xi64>
  return
}

// -----

func.func @error(%a: tensor<0x3xf32>, %b: tensor<4x1xi64>) {
  // expected-error@below {{'weir.gather_nd' op operand 0 (0x3) has no element to pick, expected 1 or more}}
  weir.gather_nd %a, %b : tensor<0x3xf32>, tensor<4x1xi64>
  return
}
