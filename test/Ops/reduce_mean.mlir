// reduce_mean: the mean over axes.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/reduce_mean.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/reduce_mean.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/reduce_mean.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @all(
// CHECK: %y = weir.reduce_mean %x : tensor<3x4xf32>
// COST: all: tensor<1x1xf32>, 13 flops, 52 bytes, library ok
func.func @all(%x: tensor<3x4xf32>) -> tensor<1x1xf32> {
  %y = weir.reduce_mean %x : tensor<3x4xf32>
  return %y : tensor<1x1xf32>
}

// CHECK-LABEL: func.func @last(
// CHECK: %y = weir.reduce_mean %x {axes = [2]} : tensor<2x3x5xf32>
// COST: last: tensor<2x3x1xf32>, 36 flops, 144 bytes, library ok
func.func @last(%x: tensor<2x3x5xf32>) -> tensor<2x3x1xf32> {
  %y = weir.reduce_mean %x {axes = [2]} : tensor<2x3x5xf32>
  return %y : tensor<2x3x1xf32>
}

// CHECK-LABEL: func.func @first_dropped(
// CHECK: %y = weir.reduce_mean %x {axes = [0], keepdims = false} : tensor<4x3xf32>
// COST: first_dropped: tensor<3xf32>, 15 flops, 60 bytes, library ok
func.func @first_dropped(%x: tensor<4x3xf32>) -> tensor<3xf32> {
  %y = weir.reduce_mean %x {axes = [0], keepdims = false} : tensor<4x3xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: func.func @outer(
// CHECK: %y = weir.reduce_mean %x {axes = [0, -1]} : tensor<2x3x4x2xf32>
// COST: outer: tensor<1x3x4x1xf32>, 60 flops, 240 bytes, library ok
func.func @outer(%x: tensor<2x3x4x2xf32>) -> tensor<1x3x4x1xf32> {
  %y = weir.reduce_mean %x {axes = [0, -1]} : tensor<2x3x4x2xf32>
  return %y : tensor<1x3x4x1xf32>
}

// CHECK-LABEL: func.func @unit_dim(
// CHECK: %y = weir.reduce_mean %x {axes = [1], keepdims = false} : tensor<3x1x2xf32>
// COST: unit_dim: tensor<3x2xf32>, 12 flops, 48 bytes, library ok
func.func @unit_dim(%x: tensor<3x1x2xf32>) -> tensor<3x2xf32> {
  %y = weir.reduce_mean %x {axes = [1], keepdims = false} : tensor<3x1x2xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: %y = weir.reduce_mean %x {axes = [-1]} : tensor<4x8xbf16>
// COST: bf16: tensor<4x1xbf16>, 36 flops, 72 bytes, library ok
func.func @bf16(%x: tensor<4x8xbf16>) -> tensor<4x1xbf16> {
  %y = weir.reduce_mean %x {axes = [-1]} : tensor<4x8xbf16>
  return %y : tensor<4x1xbf16>
}

// CHECK-LABEL: func.func @f64(
// CHECK: %y = weir.reduce_mean %x {keepdims = false} : tensor<5xf64>
// COST: f64: tensor<f64>, 6 flops, 48 bytes, library no cpu kernel for weir.reduce_sum of f64
func.func @f64(%x: tensor<5xf64>) -> tensor<f64> {
  %y = weir.reduce_mean %x {keepdims = false} : tensor<5xf64>
  return %y : tensor<f64>
}

// The sum is no f16, the mean is.
// CHECK-LABEL: func.func @huge_half(
// CHECK: %y = weir.reduce_mean %x {axes = [1]} : tensor<3x8xf16>
// COST: huge_half: tensor<3x1xf16>, 27 flops, 54 bytes, library no cpu kernel for weir.cast of f16
func.func @huge_half(%x: tensor<3x8xf16>) -> tensor<3x1xf16> {
  %y = weir.reduce_mean %x {axes = [1]} : tensor<3x8xf16>
  return %y : tensor<3x1xf16>
}

// CHECK-LABEL: func.func @infinite(
// CHECK: %y = weir.reduce_mean %x {axes = [1]} : tensor<6x1xf32>
// COST: infinite: tensor<6x1xf32>, 12 flops, 48 bytes, library ok
func.func @infinite(%x: tensor<6x1xf32>) -> tensor<6x1xf32> {
  %y = weir.reduce_mean %x {axes = [1]} : tensor<6x1xf32>
  return %y : tensor<6x1xf32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.reduce_mean %x : tensor<f32>
// COST: scalar: tensor<f32>, 1 flops, 8 bytes, library ok
func.func @scalar(%x: tensor<f32>) -> tensor<f32> {
  %y = weir.reduce_mean %x : tensor<f32>
  return %y : tensor<f32>
}

//--- errors.mlir
func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.reduce_mean' op attribute 'axes' expects values from -2 to 1, found 2}}
  weir.reduce_mean %x {axes = [2]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.reduce_mean' op attribute 'axes' expects every axis once, found 1 twice}}
  weir.reduce_mean %x {axes = [1, -1]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.reduce_mean' has no attribute 'axis'; it has axes, device, keepdims, stage}}
  weir.reduce_mean %x {axis = 1} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xi32>) {
  // expected-error@below {{'weir.reduce_mean' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.reduce_mean %x : tensor<2x3xi32>
  return
}
