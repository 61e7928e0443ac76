// layer_norm: the trailing dims brought to mean 0 and variance 1, scaled, shifted.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/layer_norm.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/layer_norm.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/layer_norm.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @last_dim(
// CHECK: %y = weir.layer_norm %x, %scale, %bias : tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>
// COST: last_dim: tensor<2x3x8xf32>, 360 flops, 448 bytes, library ok
func.func @last_dim(%x: tensor<2x3x8xf32>,
    %scale: tensor<8xf32>,
    %bias: tensor<8xf32>)
    -> tensor<2x3x8xf32> {
  %y = weir.layer_norm %x, %scale, %bias : tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>
  return %y : tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func @two_dims(
// CHECK: %y = weir.layer_norm %x, %scale, %bias {axis = 1 : i64} : tensor<2x3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
// COST: two_dims: tensor<2x3x4xf32>, 176 flops, 288 bytes, library ok
func.func @two_dims(%x: tensor<2x3x4xf32>,
    %scale: tensor<3x4xf32>,
    %bias: tensor<3x4xf32>)
    -> tensor<2x3x4xf32> {
  %y = weir.layer_norm %x, %scale, %bias {axis = 1} : tensor<2x3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @no_bias(
// CHECK: %y = weir.layer_norm %x, %scale {epsilon = 1.000000e-03 : f64} : tensor<5x6xf32>, tensor<6xf32>
// COST: no_bias: tensor<5x6xf32>, 200 flops, 264 bytes, library ok
func.func @no_bias(%x: tensor<5x6xf32>, %scale: tensor<6xf32>)
    -> tensor<5x6xf32> {
  %y = weir.layer_norm %x, %scale {epsilon = 0.001} : tensor<5x6xf32>, tensor<6xf32>
  return %y : tensor<5x6xf32>
}

// CHECK-LABEL: func.func @one_row(
// CHECK: %y = weir.layer_norm %x, %scale, %bias : tensor<1x7xf32>, tensor<7xf32>, tensor<7xf32>
// COST: one_row: tensor<1x7xf32>, 53 flops, 112 bytes, library ok
func.func @one_row(%x: tensor<1x7xf32>,
    %scale: tensor<7xf32>,
    %bias: tensor<7xf32>)
    -> tensor<1x7xf32> {
  %y = weir.layer_norm %x, %scale, %bias : tensor<1x7xf32>, tensor<7xf32>, tensor<7xf32>
  return %y : tensor<1x7xf32>
}

// CHECK-LABEL: func.func @all_dims(
// CHECK: %y = weir.layer_norm %x, %scale, %bias {axis = -2 : i64} : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
// COST: all_dims: tensor<2x3xf32>, 46 flops, 96 bytes, library ok
func.func @all_dims(%x: tensor<2x3xf32>,
    %scale: tensor<2x3xf32>,
    %bias: tensor<2x3xf32>)
    -> tensor<2x3xf32> {
  %y = weir.layer_norm %x, %scale, %bias {axis = -2} : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: %y = weir.layer_norm %x, %scale, %bias : tensor<3x16xbf16>, tensor<16xbf16>, tensor<16xbf16>
// COST: bf16: tensor<3x16xbf16>, 348 flops, 256 bytes, library ok
func.func @bf16(%x: tensor<3x16xbf16>,
    %scale: tensor<16xbf16>,
    %bias: tensor<16xbf16>)
    -> tensor<3x16xbf16> {
  %y = weir.layer_norm %x, %scale, %bias : tensor<3x16xbf16>, tensor<16xbf16>, tensor<16xbf16>
  return %y : tensor<3x16xbf16>
}

// Statistics of small floats are computed in f32.
// CHECK-LABEL: func.func @narrow_bf16(
// CHECK: %y = weir.layer_norm %x, %scale, %bias : tensor<5x4x4x2xbf16>, tensor<2xbf16>, tensor<2xbf16>
// COST: narrow_bf16: tensor<5x4x4x2xbf16>, 1440 flops, 648 bytes, library ok
func.func @narrow_bf16(%x: tensor<5x4x4x2xbf16>, %scale: tensor<2xbf16>,
    %bias: tensor<2xbf16>) -> tensor<5x4x4x2xbf16> {
  %y = weir.layer_norm %x, %scale, %bias {axis = -1} : tensor<5x4x4x2xbf16>, tensor<2xbf16>, tensor<2xbf16>
  return %y : tensor<5x4x4x2xbf16>
}

// Squares leave the range of f16.
// CHECK-LABEL: func.func @huge_half(
// CHECK: %y = weir.layer_norm %x, %scale : tensor<3x8xf16>, tensor<8xf16>
// COST: huge_half: tensor<3x8xf16>, 156 flops, 112 bytes, library no cpu kernel for weir.cast of f16
func.func @huge_half(%x: tensor<3x8xf16>, %scale: tensor<8xf16>)
    -> tensor<3x8xf16> {
  %y = weir.layer_norm %x, %scale : tensor<3x8xf16>, tensor<8xf16>
  return %y : tensor<3x8xf16>
}

//--- errors.mlir
func.func @error(%x: tensor<2x8xf32>, %c: tensor<8xf32>) {
  // expected-error@below {{'weir.layer_norm' op attribute 'epsilon' expects a finite number from 0 on, found}}
  weir.layer_norm %x, %c {epsilon = -1.0} : tensor<2x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @error(%x: tensor<2x8xf32>,
    %scale: tensor<7xf32>,
    %bias: tensor<7xf32>) {
  // expected-error@below {{'weir.layer_norm' op dim 0 of operand 1 (7) is 7, expected 1 or 8}}
  weir.layer_norm %x, %scale, %bias : tensor<2x8xf32>, tensor<7xf32>, tensor<7xf32>
  return
}

// -----

func.func @error(%x: tensor<2x8xf32>, %scale: tensor<1xf32>) {
  // expected-error@below {{'weir.layer_norm' op scale and bias expect shape 8 of the dims from 'axis' on, found 1}}
  weir.layer_norm %x, %scale : tensor<2x8xf32>, tensor<1xf32>
  return
}

// -----

func.func @error(%x: tensor<2x8xf32>, %scale: tensor<8xf32>) {
  // expected-error@below {{'weir.layer_norm' op attribute 'axis' expects a value from -2 to 1, found 2}}
  weir.layer_norm %x, %scale {axis = 2} : tensor<2x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @error(%x: tensor<2x8xf32>, %scale: tensor<8xbf16>) {
  // expected-error@below {{'weir.layer_norm' op operand 1 expects element type f32 like the operands before, found bf16; insert a weir.cast}}
  weir.layer_norm %x, %scale : tensor<2x8xf32>, tensor<8xbf16>
  return
}
