// expand: dims of 1 repeated until they fit a shape.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/expand.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/expand.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/expand.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.expand %x {shape = [2, 3]} : tensor<1x3xf32>
// COST: rows: tensor<2x3xf32>, 0 flops, 36 bytes, library ok
func.func @rows(%x: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %y = weir.expand %x {shape = [2, 3]} : tensor<1x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @new_dims(
// CHECK: %y = weir.expand %x {shape = [2, 1, 4]} : tensor<3x1xf32>
// COST: new_dims: tensor<2x3x4xf32>, 0 flops, 108 bytes, library ok
func.func @new_dims(%x: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %y = weir.expand %x {shape = [2, 1, 4]} : tensor<3x1xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @kept(
// CHECK: %y = weir.expand %x {shape = [1, 1]} : tensor<2x3xf32>
// COST: kept: tensor<2x3xf32>, 0 flops, 48 bytes, library ok
func.func @kept(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = weir.expand %x {shape = [1, 1]} : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.expand %x {shape = [2, 2]} : tensor<f64>
// COST: scalar: tensor<2x2xf64>, 0 flops, 40 bytes, library no cpu kernel for weir.expand of f64
func.func @scalar(%x: tensor<f64>) -> tensor<2x2xf64> {
  %y = weir.expand %x {shape = [2, 2]} : tensor<f64>
  return %y : tensor<2x2xf64>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: %y = weir.expand %x {shape = [3, 2]} : tensor<2x1x1xbf16>
// COST: bf16: tensor<2x3x2xbf16>, 0 flops, 28 bytes, library ok
func.func @bf16(%x: tensor<2x1x1xbf16>) -> tensor<2x3x2xbf16> {
  %y = weir.expand %x {shape = [3, 2]} : tensor<2x1x1xbf16>
  return %y : tensor<2x3x2xbf16>
}

// CHECK-LABEL: func.func @i64(
// CHECK: %y = weir.expand %x {shape = [3]} : tensor<1xi64>
// COST: i64: tensor<3xi64>, 0 flops, 32 bytes, library no cpu kernel for weir.expand of i64
func.func @i64(%x: tensor<1xi64>) -> tensor<3xi64> {
  %y = weir.expand %x {shape = [3]} : tensor<1xi64>
  return %y : tensor<3xi64>
}

// CHECK-LABEL: func.func @to_nothing(
// CHECK: %y = weir.expand %x {shape = [0, 3]} : tensor<1x3xf32>
// COST: to_nothing: tensor<0x3xf32>, 0 flops, 12 bytes, library ok
func.func @to_nothing(%x: tensor<1x3xf32>) -> tensor<0x3xf32> {
  %y = weir.expand %x {shape = [0, 3]} : tensor<1x3xf32>
  return %y : tensor<0x3xf32>
}

//--- errors.mlir
func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.expand' op dim 0 of operand 0 (2x3) is 2, expected 1 or 4}}
  weir.expand %x {shape = [4, 3]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.expand' op attribute 'shape' expects values from 0 to 281474976710656, found -1}}
  weir.expand %x {shape = [-1, 3]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.expand' requires attribute 'shape'}}
  weir.expand %x : tensor<2x3xf32>
  return
}
