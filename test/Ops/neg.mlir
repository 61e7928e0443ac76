// neg: the same distance from zero on the other side.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/neg.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/neg.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/neg.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.neg %x : tensor<7xf32>
// COST: vector: tensor<7xf32>, 7 flops, 56 bytes, library ok
func.func @vector(%x: tensor<7xf32>) -> tensor<7xf32> {
  %y = weir.neg %x : tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: func.func @matrix(
// CHECK: %y = weir.neg %x : tensor<3x5xbf16>
// COST: matrix: tensor<3x5xbf16>, 15 flops, 60 bytes, library ok
func.func @matrix(%x: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %y = weir.neg %x : tensor<3x5xbf16>
  return %y : tensor<3x5xbf16>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.neg %x : tensor<1x4x1xf32>
// COST: unit_dims: tensor<1x4x1xf32>, 4 flops, 32 bytes, library ok
func.func @unit_dims(%x: tensor<1x4x1xf32>) -> tensor<1x4x1xf32> {
  %y = weir.neg %x : tensor<1x4x1xf32>
  return %y : tensor<1x4x1xf32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.neg %x : tensor<f64>
// COST: scalar: tensor<f64>, 1 flops, 16 bytes, library no cpu kernel for weir.neg of f64
func.func @scalar(%x: tensor<f64>) -> tensor<f64> {
  %y = weir.neg %x : tensor<f64>
  return %y : tensor<f64>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.neg %x : tensor<2x3xf16>
// COST: half: tensor<2x3xf16>, 6 flops, 24 bytes, library no cpu kernel for weir.neg of f16
func.func @half(%x: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %y = weir.neg %x : tensor<2x3xf16>
  return %y : tensor<2x3xf16>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.neg %x : tensor<0x3xf32>
// COST: empty: tensor<0x3xf32>, 0 flops, 0 bytes, library ok
func.func @empty(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %y = weir.neg %x : tensor<0x3xf32>
  return %y : tensor<0x3xf32>
}

// CHECK-LABEL: func.func @i8(
// CHECK: %y = weir.neg %x : tensor<2x5xi8>
// COST: i8: tensor<2x5xi8>, 10 flops, 20 bytes, library no cpu kernel for weir.neg of i8
func.func @i8(%x: tensor<2x5xi8>) -> tensor<2x5xi8> {
  %y = weir.neg %x : tensor<2x5xi8>
  return %y : tensor<2x5xi8>
}

// CHECK-LABEL: func.func @i64(
// CHECK: %y = weir.neg %x : tensor<3xi64>
// COST: i64: tensor<3xi64>, 3 flops, 48 bytes, library no cpu kernel for weir.neg of i64
func.func @i64(%x: tensor<3xi64>) -> tensor<3xi64> {
  %y = weir.neg %x : tensor<3xi64>
  return %y : tensor<3xi64>
}

// CHECK-LABEL: func.func @infinite(
// CHECK: %y = weir.neg %x : tensor<6xf32>
// COST: infinite: tensor<6xf32>, 6 flops, 48 bytes, library ok
func.func @infinite(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = weir.neg %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.neg %x : tensor<6xf32>
// COST: nan: tensor<6xf32>, 6 flops, 48 bytes, library ok
func.func @nan(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = weir.neg %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

// The lowest integer stays.
// CHECK-LABEL: func.func @huge_i8(
// CHECK: %y = weir.neg %x : tensor<5xi8>
// COST: huge_i8: tensor<5xi8>, 5 flops, 10 bytes, library no cpu kernel for weir.neg of i8
func.func @huge_i8(%x: tensor<5xi8>) -> tensor<5xi8> {
  %y = weir.neg %x : tensor<5xi8>
  return %y : tensor<5xi8>
}

// CHECK-LABEL: func.func @huge_u64(
// CHECK: %y = weir.neg %x : tensor<5xui64>
// COST: huge_u64: tensor<5xui64>, 5 flops, 80 bytes, library no cpu kernel for weir.neg of u64
func.func @huge_u64(%x: tensor<5xui64>) -> tensor<5xui64> {
  %y = weir.neg %x : tensor<5xui64>
  return %y : tensor<5xui64>
}

//--- errors.mlir
func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.neg' has no attribute 'axis'; it has }}
  weir.neg %x {axis = 1} : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{the result of 'weir.neg' is a 'tensor<4xf32>', but 'tensor<5xf32>' is written behind the '->'; make them equal, or leave it out}}
  %y = weir.neg %x : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @error(%x: tensor<4xi4>) {
  // expected-error@below {{'weir.neg' op operand 0 expects an element type of Weir (f32, f16, bf16, f64, i8, ui8, i16, i32, i64, i1, ui16, ui32, ui64), found i4}}
  weir.neg %x : tensor<4xi4>
  return
}

// -----

func.func @error(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@below {{'weir.neg' op expects at most 1 operands, found 2}}
  weir.neg %x, %y : tensor<4xf32>, tensor<4xf32>
  return
}
