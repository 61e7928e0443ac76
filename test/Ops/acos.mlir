// acos: arc cosine; NaN outside of [-1, 1].
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/acos.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/acos.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/acos.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.acos %x : tensor<7xf32>
// COST: vector: tensor<7xf32>, 7 flops, 56 bytes, library no cpu kernel for weir.acos of f32
func.func @vector(%x: tensor<7xf32>) -> tensor<7xf32> {
  %y = weir.acos %x : tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: func.func @matrix(
// CHECK: %y = weir.acos %x : tensor<3x5xbf16>
// COST: matrix: tensor<3x5xbf16>, 15 flops, 60 bytes, library no cpu kernel for weir.acos of bf16
func.func @matrix(%x: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %y = weir.acos %x : tensor<3x5xbf16>
  return %y : tensor<3x5xbf16>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.acos %x : tensor<1x4x1xf32>
// COST: unit_dims: tensor<1x4x1xf32>, 4 flops, 32 bytes, library no cpu kernel for weir.acos of f32
func.func @unit_dims(%x: tensor<1x4x1xf32>) -> tensor<1x4x1xf32> {
  %y = weir.acos %x : tensor<1x4x1xf32>
  return %y : tensor<1x4x1xf32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.acos %x : tensor<f64>
// COST: scalar: tensor<f64>, 1 flops, 16 bytes, library no cpu kernel for weir.acos of f64
func.func @scalar(%x: tensor<f64>) -> tensor<f64> {
  %y = weir.acos %x : tensor<f64>
  return %y : tensor<f64>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.acos %x : tensor<2x3xf16>
// COST: half: tensor<2x3xf16>, 6 flops, 24 bytes, library no cpu kernel for weir.acos of f16
func.func @half(%x: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %y = weir.acos %x : tensor<2x3xf16>
  return %y : tensor<2x3xf16>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.acos %x : tensor<0x3xf32>
// COST: empty: tensor<0x3xf32>, 0 flops, 0 bytes, library no cpu kernel for weir.acos of f32
func.func @empty(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %y = weir.acos %x : tensor<0x3xf32>
  return %y : tensor<0x3xf32>
}

// CHECK-LABEL: func.func @infinite(
// CHECK: %y = weir.acos %x : tensor<6xf32>
// COST: infinite: tensor<6xf32>, 6 flops, 48 bytes, library no cpu kernel for weir.acos of f32
func.func @infinite(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = weir.acos %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.acos %x : tensor<6xf32>
// COST: nan: tensor<6xf32>, 6 flops, 48 bytes, library no cpu kernel for weir.acos of f32
func.func @nan(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = weir.acos %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @zero_domain(
// CHECK: %y = weir.acos %x : tensor<2x5xf32>
// COST: zero_domain: tensor<2x5xf32>, 10 flops, 80 bytes, library no cpu kernel for weir.acos of f32
func.func @zero_domain(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %y = weir.acos %x : tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

//--- errors.mlir
func.func @error(%x: tensor<4xi32>) {
  // expected-error@below {{'weir.acos' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.acos %x : tensor<4xi32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.acos' has no attribute 'axis'; it has device, stage}}
  weir.acos %x {axis = 1} : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{the result of 'weir.acos' is a 'tensor<4xf32>', but 'tensor<5xf32>' is written behind the '->'; make them equal, or leave it out}}
  %y = weir.acos %x : tensor<4xf32> -> tensor<5xf32>
  return
}
