// first_tap: which element of each window is a certain one.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/first_tap.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/first_tap.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/first_tap.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @image(
// CHECK: %y = weir.first_tap %a, %b, %c {kernel_shape = [2, 3]} : tensor<1x2x4x5xf32>, tensor<1x2x3x3xf32>, tensor<4x5xi64>
// COST: image: tensor<1x2x3x3xi64>, 540 flops, 536 bytes, library no cpu kernel for weir.first_tap of f32
func.func @image(%a: tensor<1x2x4x5xf32>,
    %b: tensor<1x2x3x3xf32>,
    %c: tensor<4x5xi64>)
    -> tensor<1x2x3x3xi64> {
  %y = weir.first_tap %a, %b, %c {kernel_shape = [2, 3]} : tensor<1x2x4x5xf32>, tensor<1x2x3x3xf32>, tensor<4x5xi64>
  return %y : tensor<1x2x3x3xi64>
}

// CHECK-LABEL: func.func @padded(
// CHECK: %y = weir.first_tap %a, %b, %c {kernel_shape = [3], pads = [1, 1]} : tensor<2x1x5xf64>, tensor<2x1x5xf64>, tensor<5xi64>
// COST: padded: tensor<2x1x5xi64>, 150 flops, 280 bytes, library no cpu kernel for weir.first_tap of f64
func.func @padded(%a: tensor<2x1x5xf64>,
    %b: tensor<2x1x5xf64>,
    %c: tensor<5xi64>)
    -> tensor<2x1x5xi64> {
  %y = weir.first_tap %a, %b, %c {kernel_shape = [3], pads = [1, 1]} : tensor<2x1x5xf64>, tensor<2x1x5xf64>, tensor<5xi64>
  return %y : tensor<2x1x5xi64>
}

// CHECK-LABEL: func.func @strided(
// CHECK: %y = weir.first_tap %a, %b, %c {dilations = [2], kernel_shape = [3], strides = [2]} : tensor<1x1x9xi16>, tensor<1x1x3xi16>, tensor<9xi64>
// COST: strided: tensor<1x1x3xi64>, 45 flops, 120 bytes, library no cpu kernel for weir.first_tap of i16
func.func @strided(%a: tensor<1x1x9xi16>,
    %b: tensor<1x1x3xi16>,
    %c: tensor<9xi64>)
    -> tensor<1x1x3xi64> {
  %y = weir.first_tap %a, %b, %c {dilations = [2], kernel_shape = [3], strides = [2]} : tensor<1x1x9xi16>, tensor<1x1x3xi16>, tensor<9xi64>
  return %y : tensor<1x1x3xi64>
}

// CHECK-LABEL: func.func @truth(
// CHECK: %y = weir.first_tap %a, %b, %c {kernel_shape = [2], strides = [2]} : tensor<1x1x6xi1>, tensor<1x1x3xi1>, tensor<6xi64>
// COST: truth: tensor<1x1x3xi64>, 30 flops, 81 bytes, library no cpu kernel for weir.first_tap of i1
func.func @truth(%a: tensor<1x1x6xi1>, %b: tensor<1x1x3xi1>, %c: tensor<6xi64>)
    -> tensor<1x1x3xi64> {
  %y = weir.first_tap %a, %b, %c {kernel_shape = [2], strides = [2]} : tensor<1x1x6xi1>, tensor<1x1x3xi1>, tensor<6xi64>
  return %y : tensor<1x1x3xi64>
}

// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.first_tap %a, %b, %c {kernel_shape = [3], strides = [2]} : tensor<1x1x9xf32>, tensor<1x1x4xf32>, tensor<9xi64>
// COST: nan: tensor<1x1x4xi64>, 60 flops, 156 bytes, library no cpu kernel for weir.first_tap of f32
func.func @nan(%a: tensor<1x1x9xf32>, %b: tensor<1x1x4xf32>, %c: tensor<9xi64>)
    -> tensor<1x1x4xi64> {
  %y = weir.first_tap %a, %b, %c {kernel_shape = [3], strides = [2]} : tensor<1x1x9xf32>, tensor<1x1x4xf32>, tensor<9xi64>
  return %y : tensor<1x1x4xi64>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.first_tap %a, %b, %c {kernel_shape = [4]} : tensor<1x0x6xf32>, tensor<1x0x3xf32>, tensor<6xi64>
// COST: empty: tensor<1x0x3xi64>, 0 flops, 48 bytes, library no cpu kernel for weir.first_tap of f32
func.func @empty(%a: tensor<1x0x6xf32>,
    %b: tensor<1x0x3xf32>,
    %c: tensor<6xi64>)
    -> tensor<1x0x3xi64> {
  %y = weir.first_tap %a, %b, %c {kernel_shape = [4]} : tensor<1x0x6xf32>, tensor<1x0x3xf32>, tensor<6xi64>
  return %y : tensor<1x0x3xi64>
}

//--- errors.mlir
func.func @error(%a: tensor<1x1x6xf32>, %b: tensor<1x2x5xf32>, %c: tensor<6xi64>) {
  // expected-error@below {{'weir.first_tap' op dim 'c' is 1 by operand 0 (1x1x6) but 2 by operand 1 (1x2x5)}}
  weir.first_tap %a, %b, %c {kernel_shape = [2]} : tensor<1x1x6xf32>, tensor<1x2x5xf32>, tensor<6xi64>
  return
}

// -----

func.func @error(%a: tensor<1x1x6xf32>, %b: tensor<1x1x5xf32>, %c: tensor<6xi32>) {
  // expected-error@below {{'weir.first_tap' op operand 2 expects element type i64, found i32}}
  weir.first_tap %a, %b, %c {kernel_shape = [2]} : tensor<1x1x6xf32>, tensor<1x1x5xf32>, tensor<6xi32>
  return
}

// -----

func.func @error(%a: tensor<1x1x6xf32>, %b: tensor<1x1x5xf64>, %c: tensor<6xi64>) {
  // expected-error@below {{'weir.first_tap' op operand 1 expects element type f32 like the operands before, found f64; insert a weir.cast}}
  weir.first_tap %a, %b, %c {kernel_shape = [2]} : tensor<1x1x6xf32>, tensor<1x1x5xf64>, tensor<6xi64>
  return
}

// -----

func.func @error(%a: tensor<1x1x4xf32>, %b: tensor<1x1x5xf32>, %c: tensor<4xi64>) {
  // expected-error@below {{'weir.first_tap' op attribute 'pads' expects less than the 2 elements that a window spans in spatial dim 0, found 2}}
  weir.first_tap %a, %b, %c {kernel_shape = [2], pads = [2, 0]} : tensor<1x1x4xf32>, tensor<1x1x5xf32>, tensor<4xi64>
  return
}

// -----

func.func @error(%a: tensor<1x1x6xf32>, %b: tensor<1x1x5xf32>, %c: tensor<6xi64>) {
  // expected-error@below {{'weir.first_tap' requires attribute 'kernel_shape'}}
  weir.first_tap %a, %b, %c : tensor<1x1x6xf32>, tensor<1x1x5xf32>, tensor<6xi64>
  return
}
