// reduce_log_sum_exp: the logarithm of the sum of exponentials over axes.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/reduce_log_sum_exp.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/reduce_log_sum_exp.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/reduce_log_sum_exp.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @all(
// CHECK: %y = weir.reduce_log_sum_exp %x : tensor<3x4xf32>
// COST: all: tensor<1x1xf32>, 52 flops, 52 bytes, library ok
func.func @all(%x: tensor<3x4xf32>) -> tensor<1x1xf32> {
  %y = weir.reduce_log_sum_exp %x : tensor<3x4xf32>
  return %y : tensor<1x1xf32>
}

// CHECK-LABEL: func.func @last(
// CHECK: %y = weir.reduce_log_sum_exp %x {axes = [2]} : tensor<2x3x5xf32>
// COST: last: tensor<2x3x1xf32>, 144 flops, 144 bytes, library ok
func.func @last(%x: tensor<2x3x5xf32>) -> tensor<2x3x1xf32> {
  %y = weir.reduce_log_sum_exp %x {axes = [2]} : tensor<2x3x5xf32>
  return %y : tensor<2x3x1xf32>
}

// CHECK-LABEL: func.func @first_dropped(
// CHECK: %y = weir.reduce_log_sum_exp %x {axes = [0], keepdims = false} : tensor<4x3xf32>
// COST: first_dropped: tensor<3xf32>, 60 flops, 60 bytes, library ok
func.func @first_dropped(%x: tensor<4x3xf32>) -> tensor<3xf32> {
  %y = weir.reduce_log_sum_exp %x {axes = [0], keepdims = false} : tensor<4x3xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: func.func @outer(
// CHECK: %y = weir.reduce_log_sum_exp %x {axes = [0, -1]} : tensor<2x3x4x2xf32>
// COST: outer: tensor<1x3x4x1xf32>, 240 flops, 240 bytes, library ok
func.func @outer(%x: tensor<2x3x4x2xf32>) -> tensor<1x3x4x1xf32> {
  %y = weir.reduce_log_sum_exp %x {axes = [0, -1]} : tensor<2x3x4x2xf32>
  return %y : tensor<1x3x4x1xf32>
}

// CHECK-LABEL: func.func @unit_dim(
// CHECK: %y = weir.reduce_log_sum_exp %x {axes = [1], keepdims = false} : tensor<3x1x2xf32>
// COST: unit_dim: tensor<3x2xf32>, 48 flops, 48 bytes, library ok
func.func @unit_dim(%x: tensor<3x1x2xf32>) -> tensor<3x2xf32> {
  %y = weir.reduce_log_sum_exp %x {axes = [1], keepdims = false} : tensor<3x1x2xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: %y = weir.reduce_log_sum_exp %x {axes = [-1]} : tensor<4x8xbf16>
// COST: bf16: tensor<4x1xbf16>, 144 flops, 72 bytes, library ok
func.func @bf16(%x: tensor<4x8xbf16>) -> tensor<4x1xbf16> {
  %y = weir.reduce_log_sum_exp %x {axes = [-1]} : tensor<4x8xbf16>
  return %y : tensor<4x1xbf16>
}

// CHECK-LABEL: func.func @f64(
// CHECK: %y = weir.reduce_log_sum_exp %x {keepdims = false} : tensor<5xf64>
// COST: f64: tensor<f64>, 24 flops, 48 bytes, library no cpu kernel for weir.reduce_max of f64
func.func @f64(%x: tensor<5xf64>) -> tensor<f64> {
  %y = weir.reduce_log_sum_exp %x {keepdims = false} : tensor<5xf64>
  return %y : tensor<f64>
}

// Infinities alone stay what they are.
// CHECK-LABEL: func.func @infinite(
// CHECK: %y = weir.reduce_log_sum_exp %x {axes = [1]} : tensor<6x1xf32>
// COST: infinite: tensor<6x1xf32>, 48 flops, 48 bytes, library ok
func.func @infinite(%x: tensor<6x1xf32>) -> tensor<6x1xf32> {
  %y = weir.reduce_log_sum_exp %x {axes = [1]} : tensor<6x1xf32>
  return %y : tensor<6x1xf32>
}

// CHECK-LABEL: func.func @masked(
// CHECK: %y = weir.reduce_log_sum_exp %x {axes = [1]} : tensor<2x4xf32>
// COST: masked: tensor<2x1xf32>, 40 flops, 40 bytes, library ok
func.func @masked(%x: tensor<2x4xf32>) -> tensor<2x1xf32> {
  %y = weir.reduce_log_sum_exp %x {axes = [1]} : tensor<2x4xf32>
  return %y : tensor<2x1xf32>
}

// CHECK-LABEL: func.func @huge(
// CHECK: %y = weir.reduce_log_sum_exp %x {axes = [1]} : tensor<2x4xf32>
// COST: huge: tensor<2x1xf32>, 40 flops, 40 bytes, library ok
func.func @huge(%x: tensor<2x4xf32>) -> tensor<2x1xf32> {
  %y = weir.reduce_log_sum_exp %x {axes = [1]} : tensor<2x4xf32>
  return %y : tensor<2x1xf32>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.reduce_log_sum_exp %x {axes = [0]} : tensor<3x4xf16>
// COST: half: tensor<1x4xf16>, 64 flops, 32 bytes, library no cpu kernel for weir.cast of f16
func.func @half(%x: tensor<3x4xf16>) -> tensor<1x4xf16> {
  %y = weir.reduce_log_sum_exp %x {axes = [0]} : tensor<3x4xf16>
  return %y : tensor<1x4xf16>
}

// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.reduce_log_sum_exp %x {axes = [1]} : tensor<4x2xf32>
// COST: nan: tensor<4x1xf32>, 48 flops, 48 bytes, library differs
func.func @nan(%x: tensor<4x2xf32>) -> tensor<4x1xf32> {
  %y = weir.reduce_log_sum_exp %x {axes = [1]} : tensor<4x2xf32>
  return %y : tensor<4x1xf32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.reduce_log_sum_exp %x : tensor<f32>
// COST: scalar: tensor<f32>, 6 flops, 8 bytes, library ok
func.func @scalar(%x: tensor<f32>) -> tensor<f32> {
  %y = weir.reduce_log_sum_exp %x : tensor<f32>
  return %y : tensor<f32>
}

//--- errors.mlir
func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.reduce_log_sum_exp' op attribute 'axes' expects values from -2 to 1, found 2}}
  weir.reduce_log_sum_exp %x {axes = [2]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.reduce_log_sum_exp' op attribute 'axes' expects every axis once, found 1 twice}}
  weir.reduce_log_sum_exp %x {axes = [1, -1]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.reduce_log_sum_exp' has no attribute 'axis'; it has axes, device, keepdims, stage}}
  weir.reduce_log_sum_exp %x {axis = 1} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xi32>) {
  // expected-error@below {{'weir.reduce_log_sum_exp' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.reduce_log_sum_exp %x : tensor<2x3xi32>
  return
}
