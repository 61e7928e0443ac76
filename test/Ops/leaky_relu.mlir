// leaky_relu: x, scaled by alpha below zero.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/leaky_relu.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/leaky_relu.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/leaky_relu.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.leaky_relu %x {alpha = 2.500000e-01 : f64} : tensor<7xf32>
// COST: vector: tensor<7xf32>, 21 flops, 56 bytes, library ok
func.func @vector(%x: tensor<7xf32>) -> tensor<7xf32> {
  %y = weir.leaky_relu %x {alpha = 0.25} : tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: func.func @matrix(
// CHECK: %y = weir.leaky_relu %x : tensor<3x5xbf16>
// COST: matrix: tensor<3x5xbf16>, 45 flops, 60 bytes, library ok
func.func @matrix(%x: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %y = weir.leaky_relu %x : tensor<3x5xbf16>
  return %y : tensor<3x5xbf16>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.leaky_relu %x : tensor<1x4x1xf32>
// COST: unit_dims: tensor<1x4x1xf32>, 12 flops, 32 bytes, library ok
func.func @unit_dims(%x: tensor<1x4x1xf32>) -> tensor<1x4x1xf32> {
  %y = weir.leaky_relu %x : tensor<1x4x1xf32>
  return %y : tensor<1x4x1xf32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.leaky_relu %x : tensor<f64>
// COST: scalar: tensor<f64>, 3 flops, 16 bytes, library no cpu kernel for weir.leaky_relu of f64
func.func @scalar(%x: tensor<f64>) -> tensor<f64> {
  %y = weir.leaky_relu %x : tensor<f64>
  return %y : tensor<f64>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.leaky_relu %x : tensor<2x3xf16>
// COST: half: tensor<2x3xf16>, 18 flops, 24 bytes, library no cpu kernel for weir.leaky_relu of f16
func.func @half(%x: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %y = weir.leaky_relu %x : tensor<2x3xf16>
  return %y : tensor<2x3xf16>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.leaky_relu %x : tensor<0x3xf32>
// COST: empty: tensor<0x3xf32>, 0 flops, 0 bytes, library ok
func.func @empty(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %y = weir.leaky_relu %x : tensor<0x3xf32>
  return %y : tensor<0x3xf32>
}

// CHECK-LABEL: func.func @steep(
// CHECK: %y = weir.leaky_relu %x {alpha = 1.500000e+00 : f64} : tensor<2x3xf32>
// COST: steep: tensor<2x3xf32>, 18 flops, 48 bytes, library ok
func.func @steep(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = weir.leaky_relu %x {alpha = 1.5} : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @infinite(
// CHECK: %y = weir.leaky_relu %x : tensor<6xf32>
// COST: infinite: tensor<6xf32>, 18 flops, 48 bytes, library ok
func.func @infinite(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = weir.leaky_relu %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.leaky_relu %x : tensor<6xf32>
// COST: nan: tensor<6xf32>, 18 flops, 48 bytes, library ok
func.func @nan(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = weir.leaky_relu %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

//--- errors.mlir
func.func @error(%x: tensor<4xi32>) {
  // expected-error@below {{'weir.leaky_relu' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.leaky_relu %x : tensor<4xi32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.leaky_relu' has no attribute 'axis'; it has }}
  weir.leaky_relu %x {axis = 1} : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{the result of 'weir.leaky_relu' is a 'tensor<4xf32>', but 'tensor<5xf32>' is written behind the '->'; make them equal, or leave it out}}
  %y = weir.leaky_relu %x : tensor<4xf32> -> tensor<5xf32>
  return
}
