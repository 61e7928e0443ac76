// triu: matrices with zeros below a diagonal.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/triu.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/triu.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/triu.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @square(
// CHECK: %y = weir.triu %x : tensor<4x4xf32>
// COST: square: tensor<4x4xf32>, 48 flops, 128 bytes, library no cpu kernel for weir.triu of f32
func.func @square(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = weir.triu %x : tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @wide(
// CHECK: %y = weir.triu %x {k = 1 : i64} : tensor<2x3x5xbf16>
// COST: wide: tensor<2x3x5xbf16>, 90 flops, 120 bytes, library no cpu kernel for weir.triu of bf16
func.func @wide(%x: tensor<2x3x5xbf16>) -> tensor<2x3x5xbf16> {
  %y = weir.triu %x {k = 1} : tensor<2x3x5xbf16>
  return %y : tensor<2x3x5xbf16>
}

// CHECK-LABEL: func.func @tall(
// CHECK: %y = weir.triu %x {k = -2 : i64} : tensor<1x5x2xf64>
// COST: tall: tensor<1x5x2xf64>, 30 flops, 160 bytes, library no cpu kernel for weir.triu of f64
func.func @tall(%x: tensor<1x5x2xf64>) -> tensor<1x5x2xf64> {
  %y = weir.triu %x {k = -2} : tensor<1x5x2xf64>
  return %y : tensor<1x5x2xf64>
}

// CHECK-LABEL: func.func @far(
// CHECK: %y = weir.triu %x {k = 4611686018427387904 : i64} : tensor<3x4xi32>
// COST: far: tensor<3x4xi32>, 36 flops, 96 bytes, library no cpu kernel for weir.triu of i32
func.func @far(%x: tensor<3x4xi32>) -> tensor<3x4xi32> {
  %y = weir.triu %x {k = 4611686018427387904} : tensor<3x4xi32>
  return %y : tensor<3x4xi32>
}

// CHECK-LABEL: func.func @far_below(
// CHECK: %y = weir.triu %x {k = -4611686018427387904 : i64} : tensor<3x4xf32>
// COST: far_below: tensor<3x4xf32>, 36 flops, 96 bytes, library no cpu kernel for weir.triu of f32
func.func @far_below(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %y = weir.triu %x {k = -4611686018427387904} : tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @truth(
// CHECK: %y = weir.triu %x : tensor<3x3xi1>
// COST: truth: tensor<3x3xi1>, 27 flops, 18 bytes, library no cpu kernel for weir.triu of i1
func.func @truth(%x: tensor<3x3xi1>) -> tensor<3x3xi1> {
  %y = weir.triu %x : tensor<3x3xi1>
  return %y : tensor<3x3xi1>
}

// What is cut off is zero, whatever it was.
// CHECK-LABEL: func.func @nan_f32(
// CHECK: %y = weir.triu %x : tensor<3x3xf32>
// COST: nan_f32: tensor<3x3xf32>, 27 flops, 72 bytes, library no cpu kernel for weir.triu of f32
func.func @nan_f32(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %y = weir.triu %x : tensor<3x3xf32>
  return %y : tensor<3x3xf32>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.triu %x : tensor<0x3xf32>
// COST: empty: tensor<0x3xf32>, 0 flops, 0 bytes, library no cpu kernel for weir.triu of f32
func.func @empty(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %y = weir.triu %x : tensor<0x3xf32>
  return %y : tensor<0x3xf32>
}

// Positions may be below 0, elements beyond 2^63.
// CHECK-LABEL: func.func @huge_u64(
// CHECK: %y = weir.triu %x {k = -1 : i64} : tensor<4x5xui64>
// COST: huge_u64: tensor<4x5xui64>, 60 flops, 320 bytes, library no cpu kernel for weir.triu of u64
func.func @huge_u64(%x: tensor<4x5xui64>) -> tensor<4x5xui64> {
  %y = weir.triu %x {k = -1} : tensor<4x5xui64>
  return %y : tensor<4x5xui64>
}

//--- errors.mlir
func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.triu' op operand 0 (4): expects rank at least 2, found rank 1}}
  weir.triu %x : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4x4xf32>) {
  // expected-error@below {{'weir.triu' has no attribute 'axis'; it has device, k, stage}}
  weir.triu %x {axis = 1} : tensor<4x4xf32>
  return
}

// -----

func.func @error(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) {
  // expected-error@below {{'weir.triu' op expects at most 1 operands, found 2}}
  weir.triu %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
  return
}
