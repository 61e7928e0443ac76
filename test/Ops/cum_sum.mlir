// cum_sum: sums of all elements up to each along an axis.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/cum_sum.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/cum_sum.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/cum_sum.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.cum_sum %x : tensor<7xf32>
// COST: vector: tensor<7xf32>, 7 flops, 56 bytes, library no cpu kernel for weir.cum_sum of f32
func.func @vector(%x: tensor<7xf32>) -> tensor<7xf32> {
  %y = weir.cum_sum %x : tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.cum_sum %x : tensor<5x3xf32>
// COST: rows: tensor<5x3xf32>, 15 flops, 120 bytes, library no cpu kernel for weir.cum_sum of f32
func.func @rows(%x: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %y = weir.cum_sum %x : tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// CHECK-LABEL: func.func @columns(
// CHECK: %y = weir.cum_sum %x {axis = -1 : i64} : tensor<2x3x16xf32>
// COST: columns: tensor<2x3x16xf32>, 96 flops, 768 bytes, library no cpu kernel for weir.cum_sum of f32
func.func @columns(%x: tensor<2x3x16xf32>) -> tensor<2x3x16xf32> {
  %y = weir.cum_sum %x {axis = -1} : tensor<2x3x16xf32>
  return %y : tensor<2x3x16xf32>
}

// CHECK-LABEL: func.func @exclusive(
// CHECK: %y = weir.cum_sum %x {axis = 1 : i64, exclusive = true} : tensor<2x9xf64>
// COST: exclusive: tensor<2x9xf64>, 18 flops, 288 bytes, library no cpu kernel for weir.cum_sum of f64
func.func @exclusive(%x: tensor<2x9xf64>) -> tensor<2x9xf64> {
  %y = weir.cum_sum %x {axis = 1, exclusive = true} : tensor<2x9xf64>
  return %y : tensor<2x9xf64>
}

// CHECK-LABEL: func.func @reverse(
// CHECK: %y = weir.cum_sum %x {axis = 1 : i64, reverse = true} : tensor<2x9xbf16>
// COST: reverse: tensor<2x9xbf16>, 18 flops, 72 bytes, library no cpu kernel for weir.cum_sum of bf16
func.func @reverse(%x: tensor<2x9xbf16>) -> tensor<2x9xbf16> {
  %y = weir.cum_sum %x {axis = 1, reverse = true} : tensor<2x9xbf16>
  return %y : tensor<2x9xbf16>
}

// CHECK-LABEL: func.func @both(
// CHECK: %y = weir.cum_sum %x {axis = 1 : i64, exclusive = true, reverse = true} : tensor<3x5xi32>
// COST: both: tensor<3x5xi32>, 15 flops, 120 bytes, library no cpu kernel for weir.cum_sum of i32
func.func @both(%x: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %y = weir.cum_sum %x {axis = 1, exclusive = true, reverse = true} : tensor<3x5xi32>
  return %y : tensor<3x5xi32>
}

// CHECK-LABEL: func.func @one(
// CHECK: %y = weir.cum_sum %x : tensor<1x4xf16>
// COST: one: tensor<1x4xf16>, 4 flops, 16 bytes, library no cpu kernel for weir.cum_sum of f16
func.func @one(%x: tensor<1x4xf16>) -> tensor<1x4xf16> {
  %y = weir.cum_sum %x : tensor<1x4xf16>
  return %y : tensor<1x4xf16>
}

// CHECK-LABEL: func.func @one_exclusive(
// CHECK: %y = weir.cum_sum %x {exclusive = true} : tensor<1x4xi64>
// COST: one_exclusive: tensor<1x4xi64>, 4 flops, 64 bytes, library no cpu kernel for weir.cum_sum of i64
func.func @one_exclusive(%x: tensor<1x4xi64>) -> tensor<1x4xi64> {
  %y = weir.cum_sum %x {exclusive = true} : tensor<1x4xi64>
  return %y : tensor<1x4xi64>
}

// Integers wrap.
// CHECK-LABEL: func.func @huge_i8(
// CHECK: %y = weir.cum_sum %x : tensor<12xi8>
// COST: huge_i8: tensor<12xi8>, 12 flops, 24 bytes, library no cpu kernel for weir.cum_sum of i8
func.func @huge_i8(%x: tensor<12xi8>) -> tensor<12xi8> {
  %y = weir.cum_sum %x : tensor<12xi8>
  return %y : tensor<12xi8>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.cum_sum %x : tensor<0x3xf32>
// COST: empty: tensor<0x3xf32>, 0 flops, 0 bytes, library no cpu kernel for weir.cum_sum of f32
func.func @empty(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %y = weir.cum_sum %x : tensor<0x3xf32>
  return %y : tensor<0x3xf32>
}

//--- errors.mlir
func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.cum_sum' op attribute 'axis' expects a value from -1 to 0, found 1}}
  weir.cum_sum %x {axis = 1} : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<f32>) {
  // expected-error@below {{'weir.cum_sum' op attribute 'axis' names axis 0 of a scalar, expected a tensor of rank 1 or more}}
  weir.cum_sum %x : tensor<f32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.cum_sum' has no attribute 'axes'; it has axis, device, exclusive, reverse, stage}}
  weir.cum_sum %x {axes = [0]} : tensor<4xf32>
  return
}
