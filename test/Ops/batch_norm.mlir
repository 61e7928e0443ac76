// batch_norm: each channel by given statistics, then scaled and shifted.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/batch_norm.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/batch_norm.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/batch_norm.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @two_dims(
// CHECK: %y = weir.batch_norm %x, %scale, %bias, %mean, %variance : tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
// COST: two_dims: tensor<2x3x4x5xf32>, 369 flops, 1008 bytes, library ok
func.func @two_dims(%x: tensor<2x3x4x5xf32>,
    %scale: tensor<3xf32>,
    %bias: tensor<3xf32>,
    %mean: tensor<3xf32>,
    %variance: tensor<3xf32>)
    -> tensor<2x3x4x5xf32> {
  %y = weir.batch_norm %x, %scale, %bias, %mean, %variance : tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  return %y : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: func.func @no_spatial(
// CHECK: %y = weir.batch_norm %x, %scale, %bias, %mean, %variance {epsilon = 1.000000e-03 : f64} : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
// COST: no_spatial: tensor<4x3xf32>, 45 flops, 144 bytes, library ok
func.func @no_spatial(%x: tensor<4x3xf32>,
    %scale: tensor<3xf32>,
    %bias: tensor<3xf32>,
    %mean: tensor<3xf32>,
    %variance: tensor<3xf32>)
    -> tensor<4x3xf32> {
  %y = weir.batch_norm %x, %scale, %bias, %mean, %variance {epsilon = 0.001} : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  return %y : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @three_dims(
// CHECK: %y = weir.batch_norm %x, %scale, %bias, %mean, %variance : tensor<1x2x2x3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
// COST: three_dims: tensor<1x2x2x3x2xf32>, 78 flops, 224 bytes, library ok
func.func @three_dims(%x: tensor<1x2x2x3x2xf32>,
    %scale: tensor<2xf32>,
    %bias: tensor<2xf32>,
    %mean: tensor<2xf32>,
    %variance: tensor<2xf32>)
    -> tensor<1x2x2x3x2xf32> {
  %y = weir.batch_norm %x, %scale, %bias, %mean, %variance : tensor<1x2x2x3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  return %y : tensor<1x2x2x3x2xf32>
}

// CHECK-LABEL: func.func @one_channel(
// CHECK: %y = weir.batch_norm %x, %scale, %bias, %mean, %variance : tensor<1x1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
// COST: one_channel: tensor<1x1x3xf32>, 12 flops, 40 bytes, library ok
func.func @one_channel(%x: tensor<1x1x3xf32>,
    %scale: tensor<1xf32>,
    %bias: tensor<1xf32>,
    %mean: tensor<1xf32>,
    %variance: tensor<1xf32>)
    -> tensor<1x1x3xf32> {
  %y = weir.batch_norm %x, %scale, %bias, %mean, %variance : tensor<1x1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
  return %y : tensor<1x1x3xf32>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: %y = weir.batch_norm %x, %scale, %bias, %mean, %variance : tensor<1x4x3x3xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>
// COST: bf16: tensor<1x4x3x3xbf16>, 120 flops, 176 bytes, library ok
func.func @bf16(%x: tensor<1x4x3x3xbf16>,
    %scale: tensor<4xbf16>,
    %bias: tensor<4xbf16>,
    %mean: tensor<4xbf16>,
    %variance: tensor<4xbf16>)
    -> tensor<1x4x3x3xbf16> {
  %y = weir.batch_norm %x, %scale, %bias, %mean, %variance : tensor<1x4x3x3xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>
  return %y : tensor<1x4x3x3xbf16>
}

// CHECK-LABEL: func.func @channels_last(
// CHECK: %y = weir.batch_norm %x, %scale, %bias, %mean, %variance : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>
// COST: channels_last: tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, 153 flops, 432 bytes, library ok
func.func @channels_last(%x: tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>,
    %scale: tensor<3xf32>,
    %bias: tensor<3xf32>,
    %mean: tensor<3xf32>,
    %variance: tensor<3xf32>)
    -> tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>> {
  %y = weir.batch_norm %x, %scale, %bias, %mean, %variance : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>
  return %y : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.batch_norm %x, %scale, %bias, %mean, %variance : tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>
// COST: half: tensor<2x3x4xf16>, 81 flops, 120 bytes, library no cpu kernel for weir.cast of f16
func.func @half(%x: tensor<2x3x4xf16>, %scale: tensor<3xf16>, %bias: tensor<3xf16>, %mean: tensor<3xf16>,
    %variance: tensor<3xf16>) -> tensor<2x3x4xf16> {
  %y = weir.batch_norm %x, %scale, %bias, %mean, %variance : tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>
  return %y : tensor<2x3x4xf16>
}

//--- errors.mlir
func.func @error(%x: tensor<2x3x4xf32>, %c: tensor<3xf32>) {
  // expected-error@below {{'weir.batch_norm' op attribute 'epsilon' expects a finite number from 0 on, found}}
  weir.batch_norm %x, %c, %c, %c, %c {epsilon = -1.0} : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3x4xf32>,
    %scale: tensor<4xf32>,
    %bias: tensor<3xf32>,
    %mean: tensor<3xf32>,
    %variance: tensor<3xf32>) {
  // expected-error@below {{'weir.batch_norm' op dim 'c' is 3 by operand 0 (2x3x4) but 4 by operand 1 (4)}}
  weir.batch_norm %x, %scale, %bias, %mean, %variance : tensor<2x3x4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3x4xf32>,
    %scale: tensor<3xf32>,
    %bias: tensor<3xf32>) {
  // expected-error@below {{'weir.batch_norm' op expects at least 5 operands, found 3}}
  weir.batch_norm %x, %scale, %bias : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3x4xi32>,
    %scale: tensor<3xi32>,
    %bias: tensor<3xi32>,
    %mean: tensor<3xi32>,
    %variance: tensor<3xi32>) {
  // expected-error@below {{'weir.batch_norm' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.batch_norm %x, %scale, %bias, %mean, %variance : tensor<2x3x4xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
  return
}
