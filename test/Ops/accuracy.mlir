// accuracy: the share of rows whose label has one of the largest scores.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/accuracy.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/accuracy.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/accuracy.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.accuracy %x, %t : tensor<8x5xf32>, tensor<8xi64>
// COST: rows: tensor<f32>, 378 flops, 228 bytes, library {{.*}}
func.func @rows(%x: tensor<8x5xf32>, %t: tensor<8xi64>) -> tensor<f32> {
  %y = weir.accuracy %x, %t : tensor<8x5xf32>, tensor<8xi64>
  return %y : tensor<f32>
}

// Equal scores count in the order of classes.
// CHECK-LABEL: func.func @top_three(
// CHECK: %y = weir.accuracy %x, %t {k = 3 : i64} : tensor<2x9x7xf64>, tensor<2x9xi32>
// COST: top_three: tensor<f32>, 1100 flops, 1084 bytes, library {{.*}}
func.func @top_three(%x: tensor<2x9x7xf64>, %t: tensor<2x9xi32>) -> tensor<f32> {
  %y = weir.accuracy %x, %t {k = 3} : tensor<2x9x7xf64>, tensor<2x9xi32>
  return %y : tensor<f32>
}

// CHECK-LABEL: func.func @ignored(
// CHECK: %y = weir.accuracy %x, %t {ignored = 1 : i64, k = 2 : i64} : tensor<20x4xf32>, tensor<20xi8>
// COST: ignored: tensor<f32>, 762 flops, 344 bytes, library {{.*}}
func.func @ignored(%x: tensor<20x4xf32>, %t: tensor<20xi8>) -> tensor<f32> {
  %y = weir.accuracy %x, %t {ignored = 1, k = 2} : tensor<20x4xf32>, tensor<20xi8>
  return %y : tensor<f32>
}

// NaN is larger than all.
// CHECK-LABEL: func.func @nan_scores(
// CHECK: %y = weir.accuracy %x, %t : tensor<4x3xf32>, tensor<4xi64>
// COST: nan_scores: tensor<f32>, 134 flops, 84 bytes, library {{.*}}
func.func @nan_scores(%x: tensor<4x3xf32>, %t: tensor<4xi64>) -> tensor<f32> {
  %y = weir.accuracy %x, %t : tensor<4x3xf32>, tensor<4xi64>
  return %y : tensor<f32>
}

// CHECK-LABEL: func.func @one_row(
// CHECK: %y = weir.accuracy %x, %t : tensor<6xbf16>, tensor<i64>
// COST: one_row: tensor<f32>, 56 flops, 24 bytes, library {{.*}}
func.func @one_row(%x: tensor<6xbf16>, %t: tensor<i64>) -> tensor<f32> {
  %y = weir.accuracy %x, %t : tensor<6xbf16>, tensor<i64>
  return %y : tensor<f32>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.accuracy %x, %t : tensor<0x3xf32>, tensor<0xi64>
// COST: empty: tensor<f32>, 2 flops, 4 bytes, library {{.*}}
func.func @empty(%x: tensor<0x3xf32>, %t: tensor<0xi64>) -> tensor<f32> {
  %y = weir.accuracy %x, %t : tensor<0x3xf32>, tensor<0xi64>
  return %y : tensor<f32>
}

//--- errors.mlir
func.func @other_rows(%x: tensor<3x5xf32>, %y: tensor<1xi64>) {
  // expected-error@below {{'weir.accuracy' op expects operand 1 of 3, a target for each row of operand 0, found 'tensor<1xi64>'}}
  weir.accuracy %x, %y : tensor<3x5xf32>, tensor<1xi64>
  return
}

// -----

func.func @float_labels(%x: tensor<3x5xf32>, %y: tensor<3xf32>) {
  // expected-error@below {{'weir.accuracy' op operand 1 expects an integer element type, found f32; insert a weir.cast}}
  weir.accuracy %x, %y : tensor<3x5xf32>, tensor<3xf32>
  return
}

// -----

func.func @no_classes(%x: tensor<f32>, %y: tensor<i64>) {
  // expected-error@below {{'weir.accuracy' op expects operand 0 with a dim of classes, found a scalar}}
  weir.accuracy %x, %y : tensor<f32>, tensor<i64>
  return
}

// -----

func.func @none(%x: tensor<3x5xf32>, %y: tensor<3xi64>) {
  // expected-error@below {{'weir.accuracy' op attribute 'k' expects a number of classes from 1 on, found 0}}
  weir.accuracy %x, %y {k = 0} : tensor<3x5xf32>, tensor<3xi64>
  return
}
