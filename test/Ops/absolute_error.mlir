// absolute_error: the distance of each element from its target.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/absolute_error.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/absolute_error.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/absolute_error.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.absolute_error %x, %t : tensor<7xf32>, tensor<7xf32>
// COST: vector: tensor<7xf32>, 14 flops, 84 bytes, library no cpu kernel for weir.absolute_error of f32, and the topology file excludes kernel 'generated'
func.func @vector(%x: tensor<7xf32>, %t: tensor<7xf32>) -> tensor<7xf32> {
  %y = weir.absolute_error %x, %t : tensor<7xf32>, tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: func.func @matrix(
// CHECK: %y = weir.absolute_error %x, %t : tensor<3x5xbf16>, tensor<3x5xbf16>
// COST: matrix: tensor<3x5xbf16>, 30 flops, 90 bytes, library no cpu kernel for weir.absolute_error of bf16, and the topology file excludes kernel 'generated'
func.func @matrix(%x: tensor<3x5xbf16>, %t: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %y = weir.absolute_error %x, %t : tensor<3x5xbf16>, tensor<3x5xbf16>
  return %y : tensor<3x5xbf16>
}

// CHECK-LABEL: func.func @broadcast(
// CHECK: %y = weir.absolute_error %x, %t : tensor<2x3x4xf32>, tensor<3x1xf32>
// COST: broadcast: tensor<2x3x4xf32>, 48 flops, 204 bytes, library no cpu kernel for weir.absolute_error of f32, and the topology file excludes kernel 'generated'
func.func @broadcast(%x: tensor<2x3x4xf32>, %t: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %y = weir.absolute_error %x, %t : tensor<2x3x4xf32>, tensor<3x1xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.absolute_error %x, %t : tensor<f64>, tensor<f64>
// COST: scalar: tensor<f64>, 2 flops, 24 bytes, library no cpu kernel for weir.absolute_error of f64, and the topology file excludes kernel 'generated'
func.func @scalar(%x: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  %y = weir.absolute_error %x, %t : tensor<f64>, tensor<f64>
  return %y : tensor<f64>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.absolute_error %x, %t : tensor<2x3xf16>, tensor<2x3xf16>
// COST: half: tensor<2x3xf16>, 12 flops, 36 bytes, library no cpu kernel for weir.absolute_error of f16, and the topology file excludes kernel 'generated'
func.func @half(%x: tensor<2x3xf16>, %t: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %y = weir.absolute_error %x, %t : tensor<2x3xf16>, tensor<2x3xf16>
  return %y : tensor<2x3xf16>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.absolute_error %x, %t : tensor<0x3xf32>, tensor<0x3xf32>
// COST: empty: tensor<0x3xf32>, 0 flops, 0 bytes, library no cpu kernel for weir.absolute_error of f32, and the topology file excludes kernel 'generated'
func.func @empty(%x: tensor<0x3xf32>, %t: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %y = weir.absolute_error %x, %t : tensor<0x3xf32>, tensor<0x3xf32>
  return %y : tensor<0x3xf32>
}

//--- errors.mlir
func.func @integers(%x: tensor<4xi32>, %y: tensor<4xi32>) {
  // expected-error@below {{'weir.absolute_error' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.absolute_error %x, %y : tensor<4xi32>, tensor<4xi32>
  return
}

// -----

func.func @other_shape(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error@below {{'weir.absolute_error' op dim 0 of operand 1 (3) is 3, expected 1 or 4}}
  weir.absolute_error %x, %y : tensor<4xf32>, tensor<3xf32>
  return
}

// -----

func.func @no_attribute(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@below {{'weir.absolute_error' has no attribute 'axis'; it has }}
  weir.absolute_error %x, %y {axis = 1} : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @each_with_each(%x: tensor<10x1xf32>, %y: tensor<10xf32>) {
  // expected-error@below {{'weir.absolute_error' op expects a target for each element of operand 0 (10x1), found operand 1 (10), and broadcasting repeats both to 10x10; reshape operand 1 with weir.reshape {shape = [10, 1]}, or make one of them 10x10 with weir.expand if each is meant to meet each}}
  weir.absolute_error %x, %y : tensor<10x1xf32>, tensor<10xf32>
  return
}
