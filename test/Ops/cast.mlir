// cast: conversion to another element type; truncates, clamps and takes NaN for 0.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/cast.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/cast.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/cast.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @f32_to_bf16(
// CHECK: %y = weir.cast %x {to = bf16} : tensor<3x5xf32>
// COST: f32_to_bf16: tensor<3x5xbf16>, 0 flops, 90 bytes, library ok
func.func @f32_to_bf16(%x: tensor<3x5xf32>) -> tensor<3x5xbf16> {
  %y = weir.cast %x {to = bf16} : tensor<3x5xf32>
  return %y : tensor<3x5xbf16>
}

// CHECK-LABEL: func.func @bf16_to_f32(
// CHECK: %y = weir.cast %x {to = f32} : tensor<1x4x1xbf16>
// COST: bf16_to_f32: tensor<1x4x1xf32>, 0 flops, 24 bytes, library ok
func.func @bf16_to_f32(%x: tensor<1x4x1xbf16>) -> tensor<1x4x1xf32> {
  %y = weir.cast %x {to = f32} : tensor<1x4x1xbf16>
  return %y : tensor<1x4x1xf32>
}

// CHECK-LABEL: func.func @f32_to_f32(
// CHECK: %y = weir.cast %x {to = f32} : tensor<7xf32>
// COST: f32_to_f32: tensor<7xf32>, 0 flops, 56 bytes, library ok
func.func @f32_to_f32(%x: tensor<7xf32>) -> tensor<7xf32> {
  %y = weir.cast %x {to = f32} : tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: func.func @f32_to_i8_clamps(
// CHECK: %y = weir.cast %x {to = i8} : tensor<32xf32>
// COST: f32_to_i8_clamps: tensor<32xi8>, 0 flops, 160 bytes, library kernel 'reorder' does not write i8
func.func @f32_to_i8_clamps(%x: tensor<32xf32>) -> tensor<32xi8> {
  %y = weir.cast %x {to = i8} : tensor<32xf32>
  return %y : tensor<32xi8>
}

// CHECK-LABEL: func.func @f32_to_u8_clamps(
// CHECK: %y = weir.cast %x {to = ui8} : tensor<32xf32>
// COST: f32_to_u8_clamps: tensor<32xui8>, 0 flops, 160 bytes, library kernel 'reorder' does not write u8
func.func @f32_to_u8_clamps(%x: tensor<32xf32>) -> tensor<32xui8> {
  %y = weir.cast %x {to = ui8} : tensor<32xf32>
  return %y : tensor<32xui8>
}

// CHECK-LABEL: func.func @nan_to_i32(
// CHECK: %y = weir.cast %x {to = i32} : tensor<6xf32>
// COST: nan_to_i32: tensor<6xi32>, 0 flops, 48 bytes, library kernel 'reorder' does not write i32
func.func @nan_to_i32(%x: tensor<6xf32>) -> tensor<6xi32> {
  %y = weir.cast %x {to = i32} : tensor<6xf32>
  return %y : tensor<6xi32>
}

// CHECK-LABEL: func.func @nan_to_i64(
// CHECK: %y = weir.cast %x {to = i64} : tensor<6xf64>
// COST: nan_to_i64: tensor<6xi64>, 0 flops, 96 bytes, library no cpu kernel for weir.cast of f64
func.func @nan_to_i64(%x: tensor<6xf64>) -> tensor<6xi64> {
  %y = weir.cast %x {to = i64} : tensor<6xf64>
  return %y : tensor<6xi64>
}

// CHECK-LABEL: func.func @nan_to_i1(
// CHECK: %y = weir.cast %x {to = i1} : tensor<6xf32>
// COST: nan_to_i1: tensor<6xi1>, 0 flops, 30 bytes, library kernel 'reorder' does not write i1
func.func @nan_to_i1(%x: tensor<6xf32>) -> tensor<6xi1> {
  %y = weir.cast %x {to = i1} : tensor<6xf32>
  return %y : tensor<6xi1>
}

// CHECK-LABEL: func.func @i32_to_f32(
// CHECK: %y = weir.cast %x {to = f32} : tensor<2x3xi32>
// COST: i32_to_f32: tensor<2x3xf32>, 0 flops, 48 bytes, library no cpu kernel for weir.cast of i32
func.func @i32_to_f32(%x: tensor<2x3xi32>) -> tensor<2x3xf32> {
  %y = weir.cast %x {to = f32} : tensor<2x3xi32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @u8_to_i32(
// CHECK: %y = weir.cast %x {to = i32} : tensor<2x3xui8>
// COST: u8_to_i32: tensor<2x3xi32>, 0 flops, 30 bytes, library no cpu kernel for weir.cast of u8
func.func @u8_to_i32(%x: tensor<2x3xui8>) -> tensor<2x3xi32> {
  %y = weir.cast %x {to = i32} : tensor<2x3xui8>
  return %y : tensor<2x3xi32>
}

// CHECK-LABEL: func.func @i32_to_i8_wraps(
// CHECK: %y = weir.cast %x {to = i8} : tensor<5xi32>
// COST: i32_to_i8_wraps: tensor<5xi8>, 0 flops, 25 bytes, library no cpu kernel for weir.cast of i32
func.func @i32_to_i8_wraps(%x: tensor<5xi32>) -> tensor<5xi8> {
  %y = weir.cast %x {to = i8} : tensor<5xi32>
  return %y : tensor<5xi8>
}

// CHECK-LABEL: func.func @i1_to_f32(
// CHECK: %y = weir.cast %x {to = f32} : tensor<5xi1>
// COST: i1_to_f32: tensor<5xf32>, 0 flops, 25 bytes, library no cpu kernel for weir.cast of i1
func.func @i1_to_f32(%x: tensor<5xi1>) -> tensor<5xf32> {
  %y = weir.cast %x {to = f32} : tensor<5xi1>
  return %y : tensor<5xf32>
}

// CHECK-LABEL: func.func @f64_to_f16(
// CHECK: %y = weir.cast %x {to = f16} : tensor<f64>
// COST: f64_to_f16: tensor<f16>, 0 flops, 10 bytes, library no cpu kernel for weir.cast of f64
func.func @f64_to_f16(%x: tensor<f64>) -> tensor<f16> {
  %y = weir.cast %x {to = f16} : tensor<f64>
  return %y : tensor<f16>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.cast %x {to = bf16} : tensor<0x3xf32>
// COST: empty: tensor<0x3xbf16>, 0 flops, 0 bytes, library ok
func.func @empty(%x: tensor<0x3xf32>) -> tensor<0x3xbf16> {
  %y = weir.cast %x {to = bf16} : tensor<0x3xf32>
  return %y : tensor<0x3xbf16>
}

// CHECK-LABEL: func.func @huge_i64_to_f32(
// CHECK: %y = weir.cast %x {to = f32} : tensor<4xi64>
// COST: huge_i64_to_f32: tensor<4xf32>, 0 flops, 48 bytes, library no cpu kernel for weir.cast of i64
func.func @huge_i64_to_f32(%x: tensor<4xi64>) -> tensor<4xf32> {
  %y = weir.cast %x {to = f32} : tensor<4xi64>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @huge_i32_to_i16(
// CHECK: %y = weir.cast %x {to = i16} : tensor<4xi32>
// COST: huge_i32_to_i16: tensor<4xi16>, 0 flops, 24 bytes, library no cpu kernel for weir.cast of i32
func.func @huge_i32_to_i16(%x: tensor<4xi32>) -> tensor<4xi16> {
  %y = weir.cast %x {to = i16} : tensor<4xi32>
  return %y : tensor<4xi16>
}

// CHECK-LABEL: func.func @bf16_to_f16(
// CHECK: %y = weir.cast %x {to = f16} : tensor<6xbf16>
// COST: bf16_to_f16: tensor<6xf16>, 0 flops, 24 bytes, library kernel 'reorder' does not write f16
func.func @bf16_to_f16(%x: tensor<6xbf16>) -> tensor<6xf16> {
  %y = weir.cast %x {to = f16} : tensor<6xbf16>
  return %y : tensor<6xf16>
}

// CHECK-LABEL: func.func @u8_to_f32(
// CHECK: %y = weir.cast %x {to = f32} : tensor<5xui8>
// COST: u8_to_f32: tensor<5xf32>, 0 flops, 25 bytes, library no cpu kernel for weir.cast of u8
func.func @u8_to_f32(%x: tensor<5xui8>) -> tensor<5xf32> {
  %y = weir.cast %x {to = f32} : tensor<5xui8>
  return %y : tensor<5xf32>
}

// CHECK-LABEL: func.func @nan_f16_to_i8(
// CHECK: %y = weir.cast %x {to = i8} : tensor<6xf16>
// COST: nan_f16_to_i8: tensor<6xi8>, 0 flops, 18 bytes, library no cpu kernel for weir.cast of f16
func.func @nan_f16_to_i8(%x: tensor<6xf16>) -> tensor<6xi8> {
  %y = weir.cast %x {to = i8} : tensor<6xf16>
  return %y : tensor<6xi8>
}

// CHECK-LABEL: func.func @f32_to_u16_clamps(
// CHECK: %y = weir.cast %x {to = ui16} : tensor<32xf32>
// COST: f32_to_u16_clamps: tensor<32xui16>, 0 flops, 192 bytes, library kernel 'reorder' does not write u16
func.func @f32_to_u16_clamps(%x: tensor<32xf32>) -> tensor<32xui16> {
  %y = weir.cast %x {to = ui16} : tensor<32xf32>
  return %y : tensor<32xui16>
}

// CHECK-LABEL: func.func @huge_f32_to_u32(
// CHECK: %y = weir.cast %x {to = ui32} : tensor<8xf32>
// COST: huge_f32_to_u32: tensor<8xui32>, 0 flops, 64 bytes, library kernel 'reorder' does not write u32
func.func @huge_f32_to_u32(%x: tensor<8xf32>) -> tensor<8xui32> {
  %y = weir.cast %x {to = ui32} : tensor<8xf32>
  return %y : tensor<8xui32>
}

// CHECK-LABEL: func.func @nan_to_u64(
// CHECK: %y = weir.cast %x {to = ui64} : tensor<6xf64>
// COST: nan_to_u64: tensor<6xui64>, 0 flops, 96 bytes, library no cpu kernel for weir.cast of f64
func.func @nan_to_u64(%x: tensor<6xf64>) -> tensor<6xui64> {
  %y = weir.cast %x {to = ui64} : tensor<6xf64>
  return %y : tensor<6xui64>
}

// Numbers that u64 holds and i64 does not.
// CHECK-LABEL: func.func @vast_f64_to_u64(
// CHECK: %y = weir.cast %x {to = ui64} : tensor<16xf64>
// COST: vast_f64_to_u64: tensor<16xui64>, 0 flops, 256 bytes, library no cpu kernel for weir.cast of f64
func.func @vast_f64_to_u64(%x: tensor<16xf64>) -> tensor<16xui64> {
  %y = weir.cast %x {to = ui64} : tensor<16xf64>
  return %y : tensor<16xui64>
}

// CHECK-LABEL: func.func @vast_f32_to_u64(
// CHECK: %y = weir.cast %x {to = ui64} : tensor<16xf32>
// COST: vast_f32_to_u64: tensor<16xui64>, 0 flops, 192 bytes, library kernel 'reorder' does not write u64
func.func @vast_f32_to_u64(%x: tensor<16xf32>) -> tensor<16xui64> {
  %y = weir.cast %x {to = ui64} : tensor<16xf32>
  return %y : tensor<16xui64>
}

// CHECK-LABEL: func.func @huge_u64_to_f32(
// CHECK: %y = weir.cast %x {to = f32} : tensor<6xui64>
// COST: huge_u64_to_f32: tensor<6xf32>, 0 flops, 72 bytes, library no cpu kernel for weir.cast of u64
func.func @huge_u64_to_f32(%x: tensor<6xui64>) -> tensor<6xf32> {
  %y = weir.cast %x {to = f32} : tensor<6xui64>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @huge_u64_to_f64(
// CHECK: %y = weir.cast %x {to = f64} : tensor<6xui64>
// COST: huge_u64_to_f64: tensor<6xf64>, 0 flops, 96 bytes, library no cpu kernel for weir.cast of u64
func.func @huge_u64_to_f64(%x: tensor<6xui64>) -> tensor<6xf64> {
  %y = weir.cast %x {to = f64} : tensor<6xui64>
  return %y : tensor<6xf64>
}

// CHECK-LABEL: func.func @huge_u64_to_f16(
// CHECK: %y = weir.cast %x {to = f16} : tensor<6xui64>
// COST: huge_u64_to_f16: tensor<6xf16>, 0 flops, 60 bytes, library no cpu kernel for weir.cast of u64
func.func @huge_u64_to_f16(%x: tensor<6xui64>) -> tensor<6xf16> {
  %y = weir.cast %x {to = f16} : tensor<6xui64>
  return %y : tensor<6xf16>
}

// CHECK-LABEL: func.func @huge_u64_to_i32(
// CHECK: %y = weir.cast %x {to = i32} : tensor<6xui64>
// COST: huge_u64_to_i32: tensor<6xi32>, 0 flops, 72 bytes, library no cpu kernel for weir.cast of u64
func.func @huge_u64_to_i32(%x: tensor<6xui64>) -> tensor<6xi32> {
  %y = weir.cast %x {to = i32} : tensor<6xui64>
  return %y : tensor<6xi32>
}

// CHECK-LABEL: func.func @huge_u32_to_i64(
// CHECK: %y = weir.cast %x {to = i64} : tensor<6xui32>
// COST: huge_u32_to_i64: tensor<6xi64>, 0 flops, 72 bytes, library no cpu kernel for weir.cast of u32
func.func @huge_u32_to_i64(%x: tensor<6xui32>) -> tensor<6xi64> {
  %y = weir.cast %x {to = i64} : tensor<6xui32>
  return %y : tensor<6xi64>
}

// CHECK-LABEL: func.func @huge_u32_to_f32(
// CHECK: %y = weir.cast %x {to = f32} : tensor<6xui32>
// COST: huge_u32_to_f32: tensor<6xf32>, 0 flops, 48 bytes, library no cpu kernel for weir.cast of u32
func.func @huge_u32_to_f32(%x: tensor<6xui32>) -> tensor<6xf32> {
  %y = weir.cast %x {to = f32} : tensor<6xui32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @huge_i8_to_u64(
// CHECK: %y = weir.cast %x {to = ui64} : tensor<6xi8>
// COST: huge_i8_to_u64: tensor<6xui64>, 0 flops, 54 bytes, library no cpu kernel for weir.cast of i8
func.func @huge_i8_to_u64(%x: tensor<6xi8>) -> tensor<6xui64> {
  %y = weir.cast %x {to = ui64} : tensor<6xi8>
  return %y : tensor<6xui64>
}

// CHECK-LABEL: func.func @huge_u16_to_bf16(
// CHECK: %y = weir.cast %x {to = bf16} : tensor<6xui16>
// COST: huge_u16_to_bf16: tensor<6xbf16>, 0 flops, 24 bytes, library no cpu kernel for weir.cast of u16
func.func @huge_u16_to_bf16(%x: tensor<6xui16>) -> tensor<6xbf16> {
  %y = weir.cast %x {to = bf16} : tensor<6xui16>
  return %y : tensor<6xbf16>
}

// CHECK-LABEL: func.func @u64_to_i1(
// CHECK: %y = weir.cast %x {to = i1} : tensor<6xui64>
// COST: u64_to_i1: tensor<6xi1>, 0 flops, 54 bytes, library no cpu kernel for weir.cast of u64
func.func @u64_to_i1(%x: tensor<6xui64>) -> tensor<6xi1> {
  %y = weir.cast %x {to = i1} : tensor<6xui64>
  return %y : tensor<6xi1>
}

//--- errors.mlir
func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.cast' has no attribute 'axis'; it has }}
  weir.cast %x {axis = 1, to = i32} : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.cast' requires attribute 'to'}}
  weir.cast %x : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.cast' op attribute 'to' expects an element type}}
  weir.cast %x {to = i4} : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{the result of 'weir.cast' is a 'tensor<4xi32>', but 'tensor<4xi64>' is written behind the '->'; make them equal, or leave it out}}
  %y = weir.cast %x {to = i32} : tensor<4xf32> -> tensor<4xi64>
  return
}
