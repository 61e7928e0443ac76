// pack: tensors one behind the other, at multiples of 16 elements.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/pack.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/pack.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/pack.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @gaps(
// CHECK: %y = weir.pack %a, %b, %c : tensor<2x3xf32>, tensor<16xf32>, tensor<f32>
// COST: gaps: tensor<48xf32>, 0 flops, 284 bytes, library ok
func.func @gaps(%a: tensor<2x3xf32>, %b: tensor<16xf32>, %c: tensor<f32>)
    -> tensor<48xf32> {
  %y = weir.pack %a, %b, %c : tensor<2x3xf32>, tensor<16xf32>, tensor<f32>
  return %y : tensor<48xf32>
}

// CHECK-LABEL: func.func @one(
// CHECK: %y = weir.pack %x : tensor<4x8xbf16>
// COST: one: tensor<32xbf16>, 0 flops, 128 bytes, library ok
func.func @one(%x: tensor<4x8xbf16>) -> tensor<32xbf16> {
  %y = weir.pack %x : tensor<4x8xbf16>
  return %y : tensor<32xbf16>
}

// CHECK-LABEL: func.func @with_empty(
// CHECK: %y = weir.pack %a, %b : tensor<0x3xf32>, tensor<1x17xf32>
// COST: with_empty: tensor<32xf32>, 0 flops, 196 bytes, library ok
func.func @with_empty(%a: tensor<0x3xf32>, %b: tensor<1x17xf32>)
    -> tensor<32xf32> {
  %y = weir.pack %a, %b : tensor<0x3xf32>, tensor<1x17xf32>
  return %y : tensor<32xf32>
}

// CHECK-LABEL: func.func @i64(
// CHECK: %y = weir.pack %a, %b : tensor<3xi64>, tensor<2xi64>
// COST: i64: tensor<32xi64>, 0 flops, 296 bytes, library no cpu kernel for weir.concat of i64
func.func @i64(%a: tensor<3xi64>, %b: tensor<2xi64>) -> tensor<32xi64> {
  %y = weir.pack %a, %b : tensor<3xi64>, tensor<2xi64>
  return %y : tensor<32xi64>
}

//--- errors.mlir
func.func @error(%a: tensor<2x3xf32>, %b: tensor<2xf64>) {
  // expected-error@below {{'weir.pack' op operand 1 expects element type f32 like the operands before, found f64}}
  weir.pack %a, %b : tensor<2x3xf32>, tensor<2xf64>
  return
}

// -----

func.func @error(%a: tensor<2147483647x65536xf32>) {
  // expected-error@below {{'weir.pack' op dim 0 of the bucket is 422212464869376, expected 0 to 281474976710656}}
  weir.pack %a, %a, %a : tensor<2147483647x65536xf32>, tensor<2147483647x65536xf32>, tensor<2147483647x65536xf32>
  return
}

// -----

func.func @error(%a: tensor<4xf32>) {
  // expected-error@below {{'weir.pack' has no attribute 'axis'; it has device, stage}}
  weir.pack %a {axis = 0} : tensor<4xf32>
  return
}
