// resample: weighted sums of elements along an axis.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/resample.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/resample.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/resample.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @one_tap(
// CHECK: %y = weir.resample %a, %b, %c : tensor<5x3xf32>, tensor<4x1xi64>, tensor<4x1xf32>
// COST: one_tap: tensor<4x3xf32>, 24 flops, 156 bytes, library no cpu kernel for weir.resample of f32
func.func @one_tap(%a: tensor<5x3xf32>,
    %b: tensor<4x1xi64>,
    %c: tensor<4x1xf32>)
    -> tensor<4x3xf32> {
  %y = weir.resample %a, %b, %c : tensor<5x3xf32>, tensor<4x1xi64>, tensor<4x1xf32>
  return %y : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @two_taps(
// CHECK: %y = weir.resample %a, %b, %c {axis = 2 : i64} : tensor<1x2x3x4xf32>, tensor<6x2xi32>, tensor<6x2xf32>
// COST: two_taps: tensor<1x2x6x4xf32>, 192 flops, 384 bytes, library no cpu kernel for weir.resample of f32
func.func @two_taps(%a: tensor<1x2x3x4xf32>,
    %b: tensor<6x2xi32>,
    %c: tensor<6x2xf32>)
    -> tensor<1x2x6x4xf32> {
  %y = weir.resample %a, %b, %c {axis = 2} : tensor<1x2x3x4xf32>, tensor<6x2xi32>, tensor<6x2xf32>
  return %y : tensor<1x2x6x4xf32>
}

// CHECK-LABEL: func.func @four_taps(
// CHECK: %y = weir.resample %a, %b, %c {axis = -1 : i64} : tensor<2x7xf32>, tensor<3x4xi64>, tensor<3x4xf32>
// COST: four_taps: tensor<2x3xf32>, 48 flops, 224 bytes, library no cpu kernel for weir.resample of f32
func.func @four_taps(%a: tensor<2x7xf32>,
    %b: tensor<3x4xi64>,
    %c: tensor<3x4xf32>)
    -> tensor<2x3xf32> {
  %y = weir.resample %a, %b, %c {axis = -1} : tensor<2x7xf32>, tensor<3x4xi64>, tensor<3x4xf32>
  return %y : tensor<2x3xf32>
}

// The weights may be of a wider type.
// CHECK-LABEL: func.func @bf16(
// CHECK: %y = weir.resample %a, %b, %c {axis = 1 : i64} : tensor<2x5x3xbf16>, tensor<4x2xi64>, tensor<4x2xf32>
// COST: bf16: tensor<2x4x3xbf16>, 96 flops, 204 bytes, library no cpu kernel for weir.resample of bf16
func.func @bf16(%a: tensor<2x5x3xbf16>,
    %b: tensor<4x2xi64>,
    %c: tensor<4x2xf32>)
    -> tensor<2x4x3xbf16> {
  %y = weir.resample %a, %b, %c {axis = 1} : tensor<2x5x3xbf16>, tensor<4x2xi64>, tensor<4x2xf32>
  return %y : tensor<2x4x3xbf16>
}

// CHECK-LABEL: func.func @f64(
// CHECK: %y = weir.resample %a, %b, %c : tensor<6xf64>, tensor<4x3xi64>, tensor<4x3xf64>
// COST: f64: tensor<4xf64>, 24 flops, 272 bytes, library no cpu kernel for weir.resample of f64
func.func @f64(%a: tensor<6xf64>, %b: tensor<4x3xi64>, %c: tensor<4x3xf64>)
    -> tensor<4xf64> {
  %y = weir.resample %a, %b, %c : tensor<6xf64>, tensor<4x3xi64>, tensor<4x3xf64>
  return %y : tensor<4xf64>
}

// CHECK-LABEL: func.func @no_tap(
// CHECK: %y = weir.resample %a, %b, %c : tensor<3x2xf32>, tensor<4x0xi64>, tensor<4x0xf32>
// COST: no_tap: tensor<4x2xf32>, 0 flops, 56 bytes, library no cpu kernel for weir.resample of f32
func.func @no_tap(%a: tensor<3x2xf32>, %b: tensor<4x0xi64>, %c: tensor<4x0xf32>)
    -> tensor<4x2xf32> {
  %y = weir.resample %a, %b, %c : tensor<3x2xf32>, tensor<4x0xi64>, tensor<4x0xf32>
  return %y : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.resample %a, %b, %c {axis = 1 : i64} : tensor<0x2xf32>, tensor<3x2xi64>, tensor<3x2xf32>
// COST: empty: tensor<0x3xf32>, 0 flops, 72 bytes, library no cpu kernel for weir.resample of f32
func.func @empty(%a: tensor<0x2xf32>, %b: tensor<3x2xi64>, %c: tensor<3x2xf32>)
    -> tensor<0x3xf32> {
  %y = weir.resample %a, %b, %c {axis = 1} : tensor<0x2xf32>, tensor<3x2xi64>, tensor<3x2xf32>
  return %y : tensor<0x3xf32>
}

//--- errors.mlir
func.func @error(%a: tensor<5x3xi32>, %b: tensor<4x1xi64>, %c: tensor<4x1xf32>) {
  // expected-error@below {{'weir.resample' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.resample %a, %b, %c : tensor<5x3xi32>, tensor<4x1xi64>, tensor<4x1xf32>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<4x1xi64>, %c: tensor<3x1xf32>) {
  // expected-error@below {{'weir.resample' op dim 'j' is 4 by operand 1 (4x1) but 3 by operand 2 (3x1)}}
  weir.resample %a, %b, %c : tensor<5x3xf32>, tensor<4x1xi64>, tensor<3x1xf32>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<4x1xi64>, %c: tensor<4x1xf32>) {
  // expected-error@below {{'weir.resample' op attribute 'axis' expects a value from -2 to 1, found 2}}
  weir.resample %a, %b, %c {axis = 2} : tensor<5x3xf32>, tensor<4x1xi64>, tensor<4x1xf32>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<4x1xi64>) {
  // expected-error@below {{'weir.resample' op expects at least 3 operands, found 2}}
  weir.resample %a, %b : tensor<5x3xf32>, tensor<4x1xi64>
  return
}
