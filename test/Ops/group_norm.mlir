// group_norm: each group of channels normalised by itself.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/group_norm.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/group_norm.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/group_norm.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @two_groups(
// CHECK: %y = weir.group_norm %x, %scale, %bias {groups = 2 : i64} : tensor<2x4x3x3xf32>, tensor<4xf32>, tensor<4xf32>
// COST: two_groups: tensor<2x4x3x3xf32>, 520 flops, 608 bytes, library ok
func.func @two_groups(%x: tensor<2x4x3x3xf32>,
    %scale: tensor<4xf32>,
    %bias: tensor<4xf32>)
    -> tensor<2x4x3x3xf32> {
  %y = weir.group_norm %x, %scale, %bias {groups = 2} : tensor<2x4x3x3xf32>, tensor<4xf32>, tensor<4xf32>
  return %y : tensor<2x4x3x3xf32>
}

// CHECK-LABEL: func.func @one_group(
// CHECK: %y = weir.group_norm %x, %scale, %bias {epsilon = 1.000000e-03 : f64, groups = 1 : i64} : tensor<1x3x5xf32>, tensor<3xf32>, tensor<3xf32>
// COST: one_group: tensor<1x3x5xf32>, 109 flops, 144 bytes, library ok
func.func @one_group(%x: tensor<1x3x5xf32>,
    %scale: tensor<3xf32>,
    %bias: tensor<3xf32>)
    -> tensor<1x3x5xf32> {
  %y = weir.group_norm %x, %scale, %bias {epsilon = 0.001, groups = 1} : tensor<1x3x5xf32>, tensor<3xf32>, tensor<3xf32>
  return %y : tensor<1x3x5xf32>
}

// CHECK-LABEL: func.func @instance(
// CHECK: %y = weir.group_norm %x, %scale, %bias {groups = 3 : i64} : tensor<2x3x4x1xf32>, tensor<3xf32>, tensor<3xf32>
// COST: instance: tensor<2x3x4x1xf32>, 192 flops, 216 bytes, library ok
func.func @instance(%x: tensor<2x3x4x1xf32>,
    %scale: tensor<3xf32>,
    %bias: tensor<3xf32>)
    -> tensor<2x3x4x1xf32> {
  %y = weir.group_norm %x, %scale, %bias {groups = 3} : tensor<2x3x4x1xf32>, tensor<3xf32>, tensor<3xf32>
  return %y : tensor<2x3x4x1xf32>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: %y = weir.group_norm %x, %scale, %bias {groups = 2 : i64} : tensor<1x4x4xbf16>, tensor<4xbf16>, tensor<4xbf16>
// COST: bf16: tensor<1x4x4xbf16>, 120 flops, 80 bytes, library ok
func.func @bf16(%x: tensor<1x4x4xbf16>,
    %scale: tensor<4xbf16>,
    %bias: tensor<4xbf16>)
    -> tensor<1x4x4xbf16> {
  %y = weir.group_norm %x, %scale, %bias {groups = 2} : tensor<1x4x4xbf16>, tensor<4xbf16>, tensor<4xbf16>
  return %y : tensor<1x4x4xbf16>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.group_norm %x, %scale, %bias {groups = 2 : i64} : tensor<2x4x3xf16>, tensor<4xf16>, tensor<4xf16>
// COST: half: tensor<2x4x3xf16>, 184 flops, 112 bytes, library no cpu kernel for weir.cast of f16
func.func @half(%x: tensor<2x4x3xf16>, %scale: tensor<4xf16>,
    %bias: tensor<4xf16>) -> tensor<2x4x3xf16> {
  %y = weir.group_norm %x, %scale, %bias {groups = 2} : tensor<2x4x3xf16>, tensor<4xf16>, tensor<4xf16>
  return %y : tensor<2x4x3xf16>
}

// Squares leave the range of f16.
// CHECK-LABEL: func.func @huge_half(
// CHECK: %y = weir.group_norm %x, %scale, %bias {groups = 1 : i64} : tensor<1x2x4xf16>, tensor<2xf16>, tensor<2xf16>
// COST: huge_half: tensor<1x2x4xf16>, 60 flops, 40 bytes, library no cpu kernel for weir.cast of f16
func.func @huge_half(%x: tensor<1x2x4xf16>, %scale: tensor<2xf16>,
    %bias: tensor<2xf16>) -> tensor<1x2x4xf16> {
  %y = weir.group_norm %x, %scale, %bias {groups = 1} : tensor<1x2x4xf16>, tensor<2xf16>, tensor<2xf16>
  return %y : tensor<1x2x4xf16>
}

// CHECK-LABEL: func.func @no_spatial(
// CHECK: %y = weir.group_norm %x, %scale, %bias {groups = 2 : i64} : tensor<3x8xf32>, tensor<8xf32>, tensor<8xf32>
// COST: no_spatial: tensor<3x8xf32>, 192 flops, 256 bytes, library ok
func.func @no_spatial(%x: tensor<3x8xf32>, %scale: tensor<8xf32>,
    %bias: tensor<8xf32>) -> tensor<3x8xf32> {
  %y = weir.group_norm %x, %scale, %bias {groups = 2} : tensor<3x8xf32>, tensor<8xf32>, tensor<8xf32>
  return %y : tensor<3x8xf32>
}

//--- errors.mlir
func.func @error(%x: tensor<1x4x3xf32>, %c: tensor<4xf32>) {
  // expected-error@below {{'weir.group_norm' op attribute 'epsilon' expects a finite number from 0 on, found}}
  weir.group_norm %x, %c, %c {epsilon = -1.0, groups = 2} : tensor<1x4x3xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<1x4x3xf32>,
    %scale: tensor<4xf32>,
    %bias: tensor<4xf32>) {
  // expected-error@below {{'weir.group_norm' op attribute 'groups' expects a divisor of the 4 channels, found 3}}
  weir.group_norm %x, %scale, %bias {groups = 3} : tensor<1x4x3xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<1x4x3xf32>,
    %scale: tensor<4xf32>,
    %bias: tensor<4xf32>) {
  // expected-error@below {{'weir.group_norm' op attribute 'groups' expects a divisor of the 4 channels, found 0}}
  weir.group_norm %x, %scale, %bias {groups = 0} : tensor<1x4x3xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<1x4x3xf32>,
    %scale: tensor<4xf32>,
    %bias: tensor<4xf32>) {
  // expected-error@below {{'weir.group_norm' requires attribute 'groups'}}
  weir.group_norm %x, %scale, %bias : tensor<1x4x3xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<1x4x3xf32>,
    %scale: tensor<4xf32>,
    %bias: tensor<5xf32>) {
  // expected-error@below {{'weir.group_norm' op dim 'c' is 4 by operand 0 (1x4x3) but 5 by operand 2 (5)}}
  weir.group_norm %x, %scale, %bias {groups = 2} : tensor<1x4x3xf32>, tensor<4xf32>, tensor<5xf32>
  return
}

// -----

func.func @error(%x: tensor<1x4x3xbf16>, %s: tensor<4xf64>) {
  // expected-error@below {{'weir.group_norm' op operand 1 expects element type bf16 like the operands before, found f64; insert a weir.cast}}
  weir.group_norm %x, %s, %s {groups = 2} : tensor<1x4x3xbf16>, tensor<4xf64>, tensor<4xf64>
  return
}
