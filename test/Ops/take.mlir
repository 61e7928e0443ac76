// take: elements of a tensor that a list picks along an axis.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/take.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/take.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/take.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.take %a, %b : tensor<5x3xf32>, tensor<4xi64>
// COST: rows: tensor<4x3xf32>, 0 flops, 140 bytes, library no cpu kernel for weir.take of f32
func.func @rows(%a: tensor<5x3xf32>, %b: tensor<4xi64>) -> tensor<4x3xf32> {
  %y = weir.take %a, %b : tensor<5x3xf32>, tensor<4xi64>
  return %y : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @columns(
// CHECK: %y = weir.take %a, %b {axis = -1 : i64} : tensor<2x3x4xf32>, tensor<6xi32>
// COST: columns: tensor<2x3x6xf32>, 0 flops, 264 bytes, library no cpu kernel for weir.take of f32
func.func @columns(%a: tensor<2x3x4xf32>, %b: tensor<6xi32>)
    -> tensor<2x3x6xf32> {
  %y = weir.take %a, %b {axis = -1} : tensor<2x3x4xf32>, tensor<6xi32>
  return %y : tensor<2x3x6xf32>
}

// CHECK-LABEL: func.func @middle(
// CHECK: %y = weir.take %a, %b {axis = 1 : i64} : tensor<2x5x1x3xbf16>, tensor<2xi64>
// COST: middle: tensor<2x2x1x3xbf16>, 0 flops, 100 bytes, library no cpu kernel for weir.take of bf16
func.func @middle(%a: tensor<2x5x1x3xbf16>, %b: tensor<2xi64>)
    -> tensor<2x2x1x3xbf16> {
  %y = weir.take %a, %b {axis = 1} : tensor<2x5x1x3xbf16>, tensor<2xi64>
  return %y : tensor<2x2x1x3xbf16>
}

// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.take %a, %b : tensor<7xf64>, tensor<3xi64>
// COST: vector: tensor<3xf64>, 0 flops, 104 bytes, library no cpu kernel for weir.take of f64
func.func @vector(%a: tensor<7xf64>, %b: tensor<3xi64>) -> tensor<3xf64> {
  %y = weir.take %a, %b : tensor<7xf64>, tensor<3xi64>
  return %y : tensor<3xf64>
}

// CHECK-LABEL: func.func @one(
// CHECK: %y = weir.take %a, %b : tensor<1x3xf16>, tensor<4xi16>
// COST: one: tensor<4x3xf16>, 0 flops, 38 bytes, library no cpu kernel for weir.take of f16
func.func @one(%a: tensor<1x3xf16>, %b: tensor<4xi16>) -> tensor<4x3xf16> {
  %y = weir.take %a, %b : tensor<1x3xf16>, tensor<4xi16>
  return %y : tensor<4x3xf16>
}

// An unsigned index counts from the start only.
// CHECK-LABEL: func.func @i8_of_u8(
// CHECK: %y = weir.take %a, %b : tensor<4x2xi8>, tensor<5xui8>
// COST: i8_of_u8: tensor<5x2xi8>, 0 flops, 23 bytes, library no cpu kernel for weir.take of i8
func.func @i8_of_u8(%a: tensor<4x2xi8>, %b: tensor<5xui8>) -> tensor<5x2xi8> {
  %y = weir.take %a, %b : tensor<4x2xi8>, tensor<5xui8>
  return %y : tensor<5x2xi8>
}

// CHECK-LABEL: func.func @truth(
// CHECK: %y = weir.take %a, %b {axis = 1 : i64} : tensor<3x2xi1>, tensor<4xi8>
// COST: truth: tensor<3x4xi1>, 0 flops, 22 bytes, library no cpu kernel for weir.take of i1
func.func @truth(%a: tensor<3x2xi1>, %b: tensor<4xi8>) -> tensor<3x4xi1> {
  %y = weir.take %a, %b {axis = 1} : tensor<3x2xi1>, tensor<4xi8>
  return %y : tensor<3x4xi1>
}

// CHECK-LABEL: func.func @no_index(
// CHECK: %y = weir.take %a, %b : tensor<3x2xf32>, tensor<0xi64>
// COST: no_index: tensor<0x2xf32>, 0 flops, 24 bytes, library no cpu kernel for weir.take of f32
func.func @no_index(%a: tensor<3x2xf32>, %b: tensor<0xi64>) -> tensor<0x2xf32> {
  %y = weir.take %a, %b : tensor<3x2xf32>, tensor<0xi64>
  return %y : tensor<0x2xf32>
}

// CHECK-LABEL: func.func @empty_rows(
// CHECK: %y = weir.take %a, %b {axis = 1 : i64} : tensor<0x4xf32>, tensor<2xi64>
// COST: empty_rows: tensor<0x2xf32>, 0 flops, 16 bytes, library no cpu kernel for weir.take of f32
func.func @empty_rows(%a: tensor<0x4xf32>, %b: tensor<2xi64>)
    -> tensor<0x2xf32> {
  %y = weir.take %a, %b {axis = 1} : tensor<0x4xf32>, tensor<2xi64>
  return %y : tensor<0x2xf32>
}

// CHECK-LABEL: func.func @nan_f32(
// CHECK: %y = weir.take %a, %b : tensor<6x2xf32>, tensor<3xi64>
// COST: nan_f32: tensor<3x2xf32>, 0 flops, 96 bytes, library no cpu kernel for weir.take of f32
func.func @nan_f32(%a: tensor<6x2xf32>, %b: tensor<3xi64>) -> tensor<3x2xf32> {
  %y = weir.take %a, %b : tensor<6x2xf32>, tensor<3xi64>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @u64_indices(
// CHECK: %y = weir.take %a, %b : tensor<5x3xf32>, tensor<4xui64>
// COST: u64_indices: tensor<4x3xf32>, 0 flops, 140 bytes, library no cpu kernel for weir.take of f32
func.func @u64_indices(%a: tensor<5x3xf32>, %b: tensor<4xui64>)
    -> tensor<4x3xf32> {
  %y = weir.take %a, %b : tensor<5x3xf32>, tensor<4xui64>
  return %y : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @u16_indices(
// CHECK: %y = weir.take %a, %b : tensor<5x3xui32>, tensor<4xui16>
// COST: u16_indices: tensor<4x3xui32>, 0 flops, 116 bytes, library no cpu kernel for weir.take of u32
func.func @u16_indices(%a: tensor<5x3xui32>, %b: tensor<4xui16>)
    -> tensor<4x3xui32> {
  %y = weir.take %a, %b : tensor<5x3xui32>, tensor<4xui16>
  return %y : tensor<4x3xui32>
}

//--- errors.mlir
func.func @error(%a: tensor<5x3xf32>, %b: tensor<4xf32>) {
  // expected-error@below {{'weir.take' op operand 1 expects an integer element type, found f32; insert a weir.cast}}
  weir.take %a, %b : tensor<5x3xf32>, tensor<4xf32>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<4xi64>) {
  // expected-error@below {{'weir.take' op attribute 'axis' expects a value from -2 to 1, found 2}}
  weir.take %a, %b {axis = 2} : tensor<5x3xf32>, tensor<4xi64>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<4x2xi64>) {
  // expected-error@below {{'weir.take' op operand 1 (4x2): expects rank 1, found rank 2}}
  weir.take %a, %b : tensor<5x3xf32>, tensor<4x2xi64>
  return
}

// -----

func.func @error(%a: tensor<f32>, %b: tensor<4xi64>) {
  // expected-error@below {{'weir.take' op attribute 'axis' names axis 0 of a scalar, expected a tensor of rank 1 or more}}
  weir.take %a, %b : tensor<f32>, tensor<4xi64>
  return
}

// -----

func.func @error(%a: tensor<0x3xf32>, %b: tensor<4xi64>) {
  // expected-error@below {{'weir.take' op dim 0 of operand 0 (0x3) has no element to pick, expected 1 or more}}
  weir.take %a, %b : tensor<0x3xf32>, tensor<4xi64>
  return
}

// -----

func.func @error(%x: tensor<5x3xf32>) {
  // expected-error@below {{'weir.take' op expects at least 2 operands, found 1}}
  weir.take %x : tensor<5x3xf32>
  return
}
