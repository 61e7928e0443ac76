// pad: elements of one value around a tensor; negative pads crop.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/pad.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/pad.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/pad.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @around(
// CHECK: %y = weir.pad %x {pads = [1, 0, 2, 1]} : tensor<2x3xf32>
// COST: around: tensor<5x4xf32>, 0 flops, 104 bytes, library no cpu kernel for weir.pad of f32
func.func @around(%x: tensor<2x3xf32>) -> tensor<5x4xf32> {
  %y = weir.pad %x {pads = [1, 0, 2, 1]} : tensor<2x3xf32>
  return %y : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @value(
// CHECK: %y = weir.pad %x {pads = [0, 2, 1, 0], value = 1.500000e+00 : f64} : tensor<1x3xf32>
// COST: value: tensor<2x5xf32>, 0 flops, 52 bytes, library no cpu kernel for weir.pad of f32
func.func @value(%x: tensor<1x3xf32>) -> tensor<2x5xf32> {
  %y = weir.pad %x {pads = [0, 2, 1, 0], value = 1.5} : tensor<1x3xf32>
  return %y : tensor<2x5xf32>
}

// CHECK-LABEL: func.func @crops(
// CHECK: %y = weir.pad %x {pads = [-1, 1, 0, -2]} : tensor<4x5xf32>
// COST: crops: tensor<3x4xf32>, 0 flops, 128 bytes, library no cpu kernel for weir.pad of f32
func.func @crops(%x: tensor<4x5xf32>) -> tensor<3x4xf32> {
  %y = weir.pad %x {pads = [-1, 1, 0, -2]} : tensor<4x5xf32>
  return %y : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @i32(
// CHECK: %y = weir.pad %x {pads = [1, 1], value = 7.000000e+00 : f64} : tensor<3xi32>
// COST: i32: tensor<5xi32>, 0 flops, 32 bytes, library no cpu kernel for weir.pad of i32
func.func @i32(%x: tensor<3xi32>) -> tensor<5xi32> {
  %y = weir.pad %x {pads = [1, 1], value = 7.0} : tensor<3xi32>
  return %y : tensor<5xi32>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: %y = weir.pad %x {pads = [0, 1, 1, 0, 1, 1]} : tensor<1x2x2xbf16>
// COST: bf16: tensor<1x4x4xbf16>, 0 flops, 40 bytes, library no cpu kernel for weir.pad of bf16
func.func @bf16(%x: tensor<1x2x2xbf16>) -> tensor<1x4x4xbf16> {
  %y = weir.pad %x {pads = [0, 1, 1, 0, 1, 1]} : tensor<1x2x2xbf16>
  return %y : tensor<1x4x4xbf16>
}

// CHECK-LABEL: func.func @nothing(
// CHECK: %y = weir.pad %x {pads = [0, 0]} : tensor<2xf64>
// COST: nothing: tensor<2xf64>, 0 flops, 32 bytes, library no cpu kernel for weir.pad of f64
func.func @nothing(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = weir.pad %x {pads = [0, 0]} : tensor<2xf64>
  return %y : tensor<2xf64>
}

// CHECK-LABEL: func.func @from_nothing(
// CHECK: %y = weir.pad %x {pads = [1, 0, 1, 0], value = 2.000000e+00 : f64} : tensor<0x2xf32>
// COST: from_nothing: tensor<2x2xf32>, 0 flops, 16 bytes, library no cpu kernel for weir.pad of f32
func.func @from_nothing(%x: tensor<0x2xf32>) -> tensor<2x2xf32> {
  %y = weir.pad %x {pads = [1, 0, 1, 0], value = 2.0} : tensor<0x2xf32>
  return %y : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.pad %x {pads = [0, 1, 0, 1], value = -1.500000e+00 : f64} : tensor<2x0xf32>
// COST: scalar: tensor<2x2xf32>, 0 flops, 16 bytes, library no cpu kernel for weir.pad of f32
func.func @scalar(%x: tensor<2x0xf32>) -> tensor<2x2xf32> {
  %y = weir.pad %x {pads = [0, 1, 0, 1], value = -1.5} : tensor<2x0xf32>
  return %y : tensor<2x2xf32>
}

//--- errors.mlir
func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.pad' op attribute 'pads' expects 4 values, the begins then the ends of the dims, found 2}}
  weir.pad %x {pads = [1, 1]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.pad' op attribute 'pads' leaves -1 elements of dim 0 of operand 0 (2x3); expected 0 or more}}
  weir.pad %x {pads = [-2, 0, -1, 0]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.pad' requires attribute 'pads'}}
  weir.pad %x : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2xi64>) {
  // expected-error@below {{'weir.pad' op attribute 'value' is 9007199254740992, but from 2^53 on it does not hold every 'i64' exactly; use weir.concat with a weir.constant}}
  weir.pad %x {pads = [0, 1], value = 9007199254740993.0} : tensor<2xi64>
  return
}

// -----

func.func @error(%x: tensor<2xi64>) {
  // expected-error@below {{'weir.pad' op attribute 'value' is 9223372036854775808, but from 2^53 on it does not hold every 'i64' exactly; use weir.concat with a weir.constant}}
  weir.pad %x {pads = [0, 1], value = 9223372036854775807.0} : tensor<2xi64>
  return
}
