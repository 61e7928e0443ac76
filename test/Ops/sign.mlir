// sign: 1, -1 or 0 by the sign of the element; NaN stays.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/sign.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/sign.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/sign.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.sign %x : tensor<7xf32>
// COST: vector: tensor<7xf32>, 35 flops, 56 bytes, library no cpu kernel for weir.sign of f32
func.func @vector(%x: tensor<7xf32>) -> tensor<7xf32> {
  %y = weir.sign %x : tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: func.func @matrix(
// CHECK: %y = weir.sign %x : tensor<3x5xbf16>
// COST: matrix: tensor<3x5xbf16>, 75 flops, 60 bytes, library no cpu kernel for weir.sign of bf16
func.func @matrix(%x: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %y = weir.sign %x : tensor<3x5xbf16>
  return %y : tensor<3x5xbf16>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.sign %x : tensor<1x4x1xf32>
// COST: unit_dims: tensor<1x4x1xf32>, 20 flops, 32 bytes, library no cpu kernel for weir.sign of f32
func.func @unit_dims(%x: tensor<1x4x1xf32>) -> tensor<1x4x1xf32> {
  %y = weir.sign %x : tensor<1x4x1xf32>
  return %y : tensor<1x4x1xf32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.sign %x : tensor<f64>
// COST: scalar: tensor<f64>, 5 flops, 16 bytes, library no cpu kernel for weir.sign of f64
func.func @scalar(%x: tensor<f64>) -> tensor<f64> {
  %y = weir.sign %x : tensor<f64>
  return %y : tensor<f64>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.sign %x : tensor<2x3xf16>
// COST: half: tensor<2x3xf16>, 30 flops, 24 bytes, library no cpu kernel for weir.sign of f16
func.func @half(%x: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %y = weir.sign %x : tensor<2x3xf16>
  return %y : tensor<2x3xf16>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.sign %x : tensor<0x3xf32>
// COST: empty: tensor<0x3xf32>, 0 flops, 0 bytes, library no cpu kernel for weir.sign of f32
func.func @empty(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %y = weir.sign %x : tensor<0x3xf32>
  return %y : tensor<0x3xf32>
}

// CHECK-LABEL: func.func @infinite(
// CHECK: %y = weir.sign %x : tensor<6xf32>
// COST: infinite: tensor<6xf32>, 30 flops, 48 bytes, library no cpu kernel for weir.sign of f32
func.func @infinite(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = weir.sign %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.sign %x : tensor<6xf32>
// COST: nan: tensor<6xf32>, 30 flops, 48 bytes, library no cpu kernel for weir.sign of f32
func.func @nan(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = weir.sign %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @i8(
// CHECK: %y = weir.sign %x : tensor<2x3xi8>
// COST: i8: tensor<2x3xi8>, 30 flops, 12 bytes, library no cpu kernel for weir.sign of i8
func.func @i8(%x: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %y = weir.sign %x : tensor<2x3xi8>
  return %y : tensor<2x3xi8>
}

// CHECK-LABEL: func.func @u8(
// CHECK: %y = weir.sign %x : tensor<4xui8>
// COST: u8: tensor<4xui8>, 20 flops, 8 bytes, library no cpu kernel for weir.sign of u8
func.func @u8(%x: tensor<4xui8>) -> tensor<4xui8> {
  %y = weir.sign %x : tensor<4xui8>
  return %y : tensor<4xui8>
}

// CHECK-LABEL: func.func @huge_i64(
// CHECK: %y = weir.sign %x : tensor<3xi64>
// COST: huge_i64: tensor<3xi64>, 15 flops, 48 bytes, library no cpu kernel for weir.sign of i64
func.func @huge_i64(%x: tensor<3xi64>) -> tensor<3xi64> {
  %y = weir.sign %x : tensor<3xi64>
  return %y : tensor<3xi64>
}

//--- errors.mlir
func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.sign' has no attribute 'axis'; it has device, stage}}
  weir.sign %x {axis = 1} : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{the result of 'weir.sign' is a 'tensor<4xf32>', but 'tensor<5xf32>' is written behind the '->'; make them equal, or leave it out}}
  %y = weir.sign %x : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>, %z: tensor<4xf32>) {
  // expected-error@below {{'weir.sign' op expects at most 1 operands, found 2}}
  weir.sign %x, %z : tensor<4xf32>, tensor<4xf32>
  return
}
