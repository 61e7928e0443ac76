// reduce_sum: the sum over axes.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/reduce_sum.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/reduce_sum.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/reduce_sum.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @all(
// CHECK: %y = weir.reduce_sum %x : tensor<3x4xf32>
// COST: all: tensor<1x1xf32>, 12 flops, 52 bytes, library ok
func.func @all(%x: tensor<3x4xf32>) -> tensor<1x1xf32> {
  %y = weir.reduce_sum %x : tensor<3x4xf32>
  return %y : tensor<1x1xf32>
}

// CHECK-LABEL: func.func @last(
// CHECK: %y = weir.reduce_sum %x {axes = [2]} : tensor<2x3x5xf32>
// COST: last: tensor<2x3x1xf32>, 30 flops, 144 bytes, library ok
func.func @last(%x: tensor<2x3x5xf32>) -> tensor<2x3x1xf32> {
  %y = weir.reduce_sum %x {axes = [2]} : tensor<2x3x5xf32>
  return %y : tensor<2x3x1xf32>
}

// CHECK-LABEL: func.func @first_dropped(
// CHECK: %y = weir.reduce_sum %x {axes = [0], keepdims = false} : tensor<4x3xf32>
// COST: first_dropped: tensor<3xf32>, 12 flops, 60 bytes, library ok
func.func @first_dropped(%x: tensor<4x3xf32>) -> tensor<3xf32> {
  %y = weir.reduce_sum %x {axes = [0], keepdims = false} : tensor<4x3xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: func.func @outer(
// CHECK: %y = weir.reduce_sum %x {axes = [0, -1]} : tensor<2x3x4x2xf32>
// COST: outer: tensor<1x3x4x1xf32>, 48 flops, 240 bytes, library ok
func.func @outer(%x: tensor<2x3x4x2xf32>) -> tensor<1x3x4x1xf32> {
  %y = weir.reduce_sum %x {axes = [0, -1]} : tensor<2x3x4x2xf32>
  return %y : tensor<1x3x4x1xf32>
}

// CHECK-LABEL: func.func @unit_dim(
// CHECK: %y = weir.reduce_sum %x {axes = [1], keepdims = false} : tensor<3x1x2xf32>
// COST: unit_dim: tensor<3x2xf32>, 6 flops, 48 bytes, library ok
func.func @unit_dim(%x: tensor<3x1x2xf32>) -> tensor<3x2xf32> {
  %y = weir.reduce_sum %x {axes = [1], keepdims = false} : tensor<3x1x2xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: %y = weir.reduce_sum %x {axes = [-1]} : tensor<4x8xbf16>
// COST: bf16: tensor<4x1xbf16>, 32 flops, 72 bytes, library ok
func.func @bf16(%x: tensor<4x8xbf16>) -> tensor<4x1xbf16> {
  %y = weir.reduce_sum %x {axes = [-1]} : tensor<4x8xbf16>
  return %y : tensor<4x1xbf16>
}

// CHECK-LABEL: func.func @f64(
// CHECK: %y = weir.reduce_sum %x {keepdims = false} : tensor<5xf64>
// COST: f64: tensor<f64>, 5 flops, 48 bytes, library no cpu kernel for weir.reduce_sum of f64
func.func @f64(%x: tensor<5xf64>) -> tensor<f64> {
  %y = weir.reduce_sum %x {keepdims = false} : tensor<5xf64>
  return %y : tensor<f64>
}

// CHECK-LABEL: func.func @i32(
// CHECK: %y = weir.reduce_sum %x {axes = [1]} : tensor<2x3xi32>
// COST: i32: tensor<2x1xi32>, 6 flops, 32 bytes, library no cpu kernel for weir.reduce_sum of i32
func.func @i32(%x: tensor<2x3xi32>) -> tensor<2x1xi32> {
  %y = weir.reduce_sum %x {axes = [1]} : tensor<2x3xi32>
  return %y : tensor<2x1xi32>
}

// CHECK-LABEL: func.func @u8(
// CHECK: %y = weir.reduce_sum %x {axes = [0]} : tensor<2x3xui8>
// COST: u8: tensor<1x3xui8>, 6 flops, 9 bytes, library no cpu kernel for weir.reduce_sum of u8
func.func @u8(%x: tensor<2x3xui8>) -> tensor<1x3xui8> {
  %y = weir.reduce_sum %x {axes = [0]} : tensor<2x3xui8>
  return %y : tensor<1x3xui8>
}

// CHECK-LABEL: func.func @i1(
// CHECK: %y = weir.reduce_sum %x {axes = [1]} : tensor<2x3xi1>
// COST: i1: tensor<2x1xi1>, 6 flops, 8 bytes, library no cpu kernel for weir.reduce_sum of i1
func.func @i1(%x: tensor<2x3xi1>) -> tensor<2x1xi1> {
  %y = weir.reduce_sum %x {axes = [1]} : tensor<2x3xi1>
  return %y : tensor<2x1xi1>
}

// CHECK-LABEL: func.func @nothing(
// CHECK: %y = weir.reduce_sum %x {axes = [0]} : tensor<0x3xf32>
// COST: nothing: tensor<1x3xf32>, 0 flops, 12 bytes, library kernel 'reduction' does not support operands without elements
func.func @nothing(%x: tensor<0x3xf32>) -> tensor<1x3xf32> {
  %y = weir.reduce_sum %x {axes = [0]} : tensor<0x3xf32>
  return %y : tensor<1x3xf32>
}

// Integers wrap.
// CHECK-LABEL: func.func @huge_i32(
// CHECK: %y = weir.reduce_sum %x {axes = [1]} : tensor<2x3xi32>
// COST: huge_i32: tensor<2x1xi32>, 6 flops, 32 bytes, library no cpu kernel for weir.reduce_sum of i32
func.func @huge_i32(%x: tensor<2x3xi32>) -> tensor<2x1xi32> {
  %y = weir.reduce_sum %x {axes = [1]} : tensor<2x3xi32>
  return %y : tensor<2x1xi32>
}

// CHECK-LABEL: func.func @huge_u64(
// CHECK: %y = weir.reduce_sum %x {axes = [1]} : tensor<3x4xui64>
// COST: huge_u64: tensor<3x1xui64>, 12 flops, 120 bytes, library no cpu kernel for weir.reduce_sum of u64
func.func @huge_u64(%x: tensor<3x4xui64>) -> tensor<3x1xui64> {
  %y = weir.reduce_sum %x {axes = [1]} : tensor<3x4xui64>
  return %y : tensor<3x1xui64>
}

// CHECK-LABEL: func.func @huge_u16(
// CHECK: %y = weir.reduce_sum %x {axes = [0]} : tensor<3x4xui16>
// COST: huge_u16: tensor<1x4xui16>, 12 flops, 32 bytes, library no cpu kernel for weir.reduce_sum of u16
func.func @huge_u16(%x: tensor<3x4xui16>) -> tensor<1x4xui16> {
  %y = weir.reduce_sum %x {axes = [0]} : tensor<3x4xui16>
  return %y : tensor<1x4xui16>
}

//--- errors.mlir
func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.reduce_sum' op attribute 'axes' expects values from -2 to 1, found 2}}
  weir.reduce_sum %x {axes = [2]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.reduce_sum' op attribute 'axes' expects every axis once, found 1 twice}}
  weir.reduce_sum %x {axes = [1, -1]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.reduce_sum' has no attribute 'axis'; it has axes, device, keepdims, stage}}
  weir.reduce_sum %x {axis = 1} : tensor<2x3xf32>
  return
}
