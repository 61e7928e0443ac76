// log_softmax: the logarithm of softmax.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/log_softmax.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/log_softmax.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/log_softmax.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @last_axis(
// CHECK: %y = weir.log_softmax %x : tensor<2x3x5xf32>
// COST: last_axis: tensor<2x3x5xf32>, 156 flops, 240 bytes, library ok
func.func @last_axis(%x: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %y = weir.log_softmax %x : tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// CHECK-LABEL: func.func @first_axis(
// CHECK: %y = weir.log_softmax %x {axis = 0 : i64} : tensor<4x3xf32>
// COST: first_axis: tensor<4x3xf32>, 63 flops, 96 bytes, library ok
func.func @first_axis(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %y = weir.log_softmax %x {axis = 0} : tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @middle_axis(
// CHECK: %y = weir.log_softmax %x {axis = -2 : i64} : tensor<2x5x1xf32>
// COST: middle_axis: tensor<2x5x1xf32>, 52 flops, 80 bytes, library ok
func.func @middle_axis(%x: tensor<2x5x1xf32>) -> tensor<2x5x1xf32> {
  %y = weir.log_softmax %x {axis = -2} : tensor<2x5x1xf32>
  return %y : tensor<2x5x1xf32>
}

// CHECK-LABEL: func.func @one_class(
// CHECK: %y = weir.log_softmax %x : tensor<3x1xf32>
// COST: one_class: tensor<3x1xf32>, 18 flops, 24 bytes, library ok
func.func @one_class(%x: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %y = weir.log_softmax %x : tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.log_softmax %x : tensor<7xf32>
// COST: vector: tensor<7xf32>, 36 flops, 56 bytes, library ok
func.func @vector(%x: tensor<7xf32>) -> tensor<7xf32> {
  %y = weir.log_softmax %x : tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: %y = weir.log_softmax %x : tensor<2x8xbf16>
// COST: bf16: tensor<2x8xbf16>, 82 flops, 64 bytes, library ok
func.func @bf16(%x: tensor<2x8xbf16>) -> tensor<2x8xbf16> {
  %y = weir.log_softmax %x : tensor<2x8xbf16>
  return %y : tensor<2x8xbf16>
}

// CHECK-LABEL: func.func @no_rows(
// CHECK: %y = weir.log_softmax %x : tensor<0x4xf32>
// COST: no_rows: tensor<0x4xf32>, 0 flops, 0 bytes, library ok
func.func @no_rows(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %y = weir.log_softmax %x : tensor<0x4xf32>
  return %y : tensor<0x4xf32>
}

// CHECK-LABEL: func.func @huge(
// CHECK: %y = weir.log_softmax %x : tensor<2x5xf32>
// COST: huge: tensor<2x5xf32>, 52 flops, 80 bytes, library ok
func.func @huge(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %y = weir.log_softmax %x : tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// CHECK-LABEL: func.func @masked(
// CHECK: %y = weir.log_softmax %x : tensor<6xf32>
// COST: masked: tensor<6xf32>, 31 flops, 48 bytes, library ok
func.func @masked(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = weir.log_softmax %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.log_softmax %x {axis = 0 : i64} : tensor<3x4xf16>
// COST: half: tensor<3x4xf16>, 64 flops, 48 bytes, library no cpu kernel for weir.cast of f16
func.func @half(%x: tensor<3x4xf16>) -> tensor<3x4xf16> {
  %y = weir.log_softmax %x {axis = 0} : tensor<3x4xf16>
  return %y : tensor<3x4xf16>
}

// CHECK-LABEL: func.func @f64(
// CHECK: %y = weir.log_softmax %x : tensor<2x3xf64>
// COST: f64: tensor<2x3xf64>, 32 flops, 96 bytes, library no cpu kernel for weir.reduce_max of f64
func.func @f64(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = weir.log_softmax %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

//--- errors.mlir
func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.log_softmax' op attribute 'axis' expects a value from -2 to 1, found 2}}
  weir.log_softmax %x {axis = 2} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xi32>) {
  // expected-error@below {{'weir.log_softmax' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.log_softmax %x : tensor<2x3xi32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.log_softmax' has no attribute 'axes'; it has axis, device, stage}}
  weir.log_softmax %x {axes = [1]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{attribute 'axis' expects an integer, found 0.0}}
  weir.log_softmax %x {axis = 0.0} : tensor<2x3xf32>
  return
}
