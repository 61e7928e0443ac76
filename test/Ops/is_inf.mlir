// is_inf: whether an element is infinite.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/is_inf.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/is_inf.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/is_inf.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.is_inf %x : tensor<7xf32>
// COST: vector: tensor<7xi1>, 14 flops, 35 bytes, library no cpu kernel for weir.is_inf of f32
func.func @vector(%x: tensor<7xf32>) -> tensor<7xi1> {
  %y = weir.is_inf %x : tensor<7xf32>
  return %y : tensor<7xi1>
}

// CHECK-LABEL: func.func @matrix(
// CHECK: %y = weir.is_inf %x : tensor<3x5xbf16>
// COST: matrix: tensor<3x5xi1>, 30 flops, 45 bytes, library no cpu kernel for weir.is_inf of bf16
func.func @matrix(%x: tensor<3x5xbf16>) -> tensor<3x5xi1> {
  %y = weir.is_inf %x : tensor<3x5xbf16>
  return %y : tensor<3x5xi1>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.is_inf %x : tensor<1x4x1xf32>
// COST: unit_dims: tensor<1x4x1xi1>, 8 flops, 20 bytes, library no cpu kernel for weir.is_inf of f32
func.func @unit_dims(%x: tensor<1x4x1xf32>) -> tensor<1x4x1xi1> {
  %y = weir.is_inf %x : tensor<1x4x1xf32>
  return %y : tensor<1x4x1xi1>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.is_inf %x : tensor<f64>
// COST: scalar: tensor<i1>, 2 flops, 9 bytes, library no cpu kernel for weir.is_inf of f64
func.func @scalar(%x: tensor<f64>) -> tensor<i1> {
  %y = weir.is_inf %x : tensor<f64>
  return %y : tensor<i1>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.is_inf %x : tensor<2x3xf16>
// COST: half: tensor<2x3xi1>, 12 flops, 18 bytes, library no cpu kernel for weir.is_inf of f16
func.func @half(%x: tensor<2x3xf16>) -> tensor<2x3xi1> {
  %y = weir.is_inf %x : tensor<2x3xf16>
  return %y : tensor<2x3xi1>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.is_inf %x : tensor<0x3xf32>
// COST: empty: tensor<0x3xi1>, 0 flops, 0 bytes, library no cpu kernel for weir.is_inf of f32
func.func @empty(%x: tensor<0x3xf32>) -> tensor<0x3xi1> {
  %y = weir.is_inf %x : tensor<0x3xf32>
  return %y : tensor<0x3xi1>
}

// CHECK-LABEL: func.func @infinite(
// CHECK: %y = weir.is_inf %x : tensor<6xf32>
// COST: infinite: tensor<6xi1>, 12 flops, 30 bytes, library no cpu kernel for weir.is_inf of f32
func.func @infinite(%x: tensor<6xf32>) -> tensor<6xi1> {
  %y = weir.is_inf %x : tensor<6xf32>
  return %y : tensor<6xi1>
}

// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.is_inf %x : tensor<6xf32>
// COST: nan: tensor<6xi1>, 12 flops, 30 bytes, library no cpu kernel for weir.is_inf of f32
func.func @nan(%x: tensor<6xf32>) -> tensor<6xi1> {
  %y = weir.is_inf %x : tensor<6xf32>
  return %y : tensor<6xi1>
}

// CHECK-LABEL: func.func @huge_f64(
// CHECK: %y = weir.is_inf %x : tensor<3xf64>
// COST: huge_f64: tensor<3xi1>, 6 flops, 27 bytes, library no cpu kernel for weir.is_inf of f64
func.func @huge_f64(%x: tensor<3xf64>) -> tensor<3xi1> {
  %y = weir.is_inf %x : tensor<3xf64>
  return %y : tensor<3xi1>
}

//--- errors.mlir
func.func @error(%x: tensor<4xi32>) {
  // expected-error@below {{'weir.is_inf' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.is_inf %x : tensor<4xi32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.is_inf' has no attribute 'axis'; it has device, stage}}
  weir.is_inf %x {axis = 1} : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{the result of 'weir.is_inf' is a 'tensor<4xi1>', but 'tensor<5xi1>' is written behind the '->'; make them equal, or leave it out}}
  %y = weir.is_inf %x : tensor<4xf32> -> tensor<5xi1>
  return
}
