// slice: a regular part of a tensor, also backwards.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/slice.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/slice.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/slice.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.slice %x {sizes = [2, 3], starts = [1, 0]} : tensor<4x3xf32>
// COST: rows: tensor<2x3xf32>, 0 flops, 72 bytes, library ok
func.func @rows(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %y = weir.slice %x {sizes = [2, 3], starts = [1, 0]} : tensor<4x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @steps(
// CHECK: %y = weir.slice %x {sizes = [3, 2], starts = [1, 0], steps = [2, 4]} : tensor<7x5xf32>
// COST: steps: tensor<3x2xf32>, 0 flops, 164 bytes, library ok
func.func @steps(%x: tensor<7x5xf32>) -> tensor<3x2xf32> {
  %y = weir.slice %x {sizes = [3, 2], starts = [1, 0], steps = [2, 4]} : tensor<7x5xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @backwards(
// CHECK: %y = weir.slice %x {sizes = [5, 1], starts = [4, 0], steps = [-1, 1]} : tensor<5x1xf32>
// COST: backwards: tensor<5x1xf32>, 0 flops, 40 bytes, library its kernel does not support negative steps
func.func @backwards(%x: tensor<5x1xf32>) -> tensor<5x1xf32> {
  %y = weir.slice %x {sizes = [5, 1], starts = [4, 0], steps = [-1, 1]} : tensor<5x1xf32>
  return %y : tensor<5x1xf32>
}

// CHECK-LABEL: func.func @prefix(
// CHECK: %y = weir.slice %x {sizes = [2, 3], starts = [0, 0]} : tensor<4x5xf32>
// COST: prefix: tensor<2x3xf32>, 0 flops, 104 bytes, library ok
func.func @prefix(%x: tensor<4x5xf32>) -> tensor<2x3xf32> {
  %y = weir.slice %x {sizes = [2, 3], starts = [0, 0]} : tensor<4x5xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @one(
// CHECK: %y = weir.slice %x {sizes = [1, 1], starts = [2, 3]} : tensor<3x4xbf16>
// COST: one: tensor<1x1xbf16>, 0 flops, 26 bytes, library ok
func.func @one(%x: tensor<3x4xbf16>) -> tensor<1x1xbf16> {
  %y = weir.slice %x {sizes = [1, 1], starts = [2, 3]} : tensor<3x4xbf16>
  return %y : tensor<1x1xbf16>
}

// CHECK-LABEL: func.func @i64(
// CHECK: %y = weir.slice %x {sizes = [2], starts = [4]} : tensor<6xi64>
// COST: i64: tensor<2xi64>, 0 flops, 64 bytes, library no cpu kernel for weir.slice of i64
func.func @i64(%x: tensor<6xi64>) -> tensor<2xi64> {
  %y = weir.slice %x {sizes = [2], starts = [4]} : tensor<6xi64>
  return %y : tensor<2xi64>
}

// CHECK-LABEL: func.func @nothing(
// CHECK: %y = weir.slice %x {sizes = [0], starts = [2]} : tensor<4xf32>
// COST: nothing: tensor<0xf32>, 0 flops, 16 bytes, library ok
func.func @nothing(%x: tensor<4xf32>) -> tensor<0xf32> {
  %y = weir.slice %x {sizes = [0], starts = [2]} : tensor<4xf32>
  return %y : tensor<0xf32>
}

//--- errors.mlir
func.func @error(%x: tensor<4x3xf32>) {
  // expected-error@below {{'weir.slice' op elements 3 to 4 of dim 0 of operand 0 (4x3) are asked for, expected 0 to 3}}
  weir.slice %x {sizes = [2, 3], starts = [3, 0]} : tensor<4x3xf32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.slice' op elements -1 to 1 of dim 0 of operand 0 (4) are asked for, expected 0 to 3}}
  weir.slice %x {sizes = [3], starts = [1], steps = [-1]} : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4x3xf32>) {
  // expected-error@below {{'weir.slice' op attribute 'sizes' expects 2 values, one per dim, found 1}}
  weir.slice %x {sizes = [2], starts = [0, 0]} : tensor<4x3xf32>
  return
}

// -----

func.func @error(%x: tensor<4x3xf32>) {
  // expected-error@below {{'weir.slice' op attribute 'starts' expects 2 values, one per dim, found 1}}
  weir.slice %x {sizes = [2, 3], starts = [0]} : tensor<4x3xf32>
  return
}

// -----

func.func @error(%x: tensor<4x3xf32>) {
  // expected-error@below {{'weir.slice' op attribute 'sizes' expects values from 0 to 281474976710656, found -3}}
  weir.slice %x {sizes = [2, -3], starts = [0, 0]} : tensor<4x3xf32>
  return
}

// -----

func.func @error(%x: tensor<4x3xf32>) {
  // expected-error@below {{'weir.slice' requires attribute 'sizes'}}
  weir.slice %x {starts = [0, 0]} : tensor<4x3xf32>
  return
}

// -----

func.func @error(%x: tensor<4x3xf32>) {
  // expected-error@below {{attribute 'steps' expects numbers other than 0, found [0, 1]}}
  weir.slice %x {sizes = [2, 3], starts = [0, 0], steps = [0, 1]} : tensor<4x3xf32>
  return
}

// -----

func.func @of_a_scalar(%x: tensor<f32>) {
  // expected-error@+1 {{'weir.slice' op attribute 'starts' expects no values, because operand 0 (scalar) has no dims; found 1}}
  %z = weir.slice %x {starts = [0], sizes = []} : tensor<f32>
  return
}
