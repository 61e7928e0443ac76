// sparse_softmax_cross_entropy: -log(softmax) at the label of each row.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/sparse_softmax_cross_entropy.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/sparse_softmax_cross_entropy.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/sparse_softmax_cross_entropy.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<3x5xf32>, tensor<3xi64>
// COST: rows: tensor<3xf32>, 96 flops, 96 bytes, library {{.*}}
func.func @rows(%x: tensor<3x5xf32>, %t: tensor<3xi64>) -> tensor<3xf32> {
  %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<3x5xf32>, tensor<3xi64>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: func.func @batch(
// CHECK: %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<2x3x4xf32>, tensor<2x3xi32>
// COST: batch: tensor<2x3xf32>, 162 flops, 144 bytes, library {{.*}}
func.func @batch(%x: tensor<2x3x4xf32>, %t: tensor<2x3xi32>) -> tensor<2x3xf32> {
  %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<2x3x4xf32>, tensor<2x3xi32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @one_row(
// CHECK: %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<4xf64>, tensor<i64>
// COST: one_row: tensor<f64>, 27 flops, 48 bytes, library {{.*}}
func.func @one_row(%x: tensor<4xf64>, %t: tensor<i64>) -> tensor<f64> {
  %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<4xf64>, tensor<i64>
  return %y : tensor<f64>
}

// CHECK-LABEL: func.func @ignored(
// CHECK: %y = weir.sparse_softmax_cross_entropy %x, %t {ignored = 1 : i64} : tensor<6x3xf32>, tensor<6xi64>
// COST: ignored: tensor<6xf32>, 126 flops, 144 bytes, library {{.*}}
func.func @ignored(%x: tensor<6x3xf32>, %t: tensor<6xi64>) -> tensor<6xf32> {
  %y = weir.sparse_softmax_cross_entropy %x, %t {ignored = 1 : i64} : tensor<6x3xf32>, tensor<6xi64>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<2x3xf16>, tensor<2xi8>
// COST: half: tensor<2xf16>, 44 flops, 18 bytes, library {{.*}}
func.func @half(%x: tensor<2x3xf16>, %t: tensor<2xi8>) -> tensor<2xf16> {
  %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<2x3xf16>, tensor<2xi8>
  return %y : tensor<2xf16>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<1x1x6xbf16>, tensor<1x1xui8>
// COST: unit_dims: tensor<1x1xbf16>, 37 flops, 15 bytes, library {{.*}}
func.func @unit_dims(%x: tensor<1x1x6xbf16>, %t: tensor<1x1xui8>) -> tensor<1x1xbf16> {
  %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<1x1x6xbf16>, tensor<1x1xui8>
  return %y : tensor<1x1xbf16>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<0x3xf32>, tensor<0xi64>
// COST: empty: tensor<0xf32>, 0 flops, 0 bytes, library {{.*}}
func.func @empty(%x: tensor<0x3xf32>, %t: tensor<0xi64>) -> tensor<0xf32> {
  %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<0x3xf32>, tensor<0xi64>
  return %y : tensor<0xf32>
}

//--- errors.mlir
func.func @other_rows(%x: tensor<3x5xf32>, %y: tensor<1xi64>) {
  // expected-error@below {{'weir.sparse_softmax_cross_entropy' op expects operand 1 of 3, a target for each row of operand 0, found 'tensor<1xi64>'}}
  weir.sparse_softmax_cross_entropy %x, %y : tensor<3x5xf32>, tensor<1xi64>
  return
}

// -----

func.func @float_labels(%x: tensor<3x5xf32>, %y: tensor<3xf32>) {
  // expected-error@below {{'weir.sparse_softmax_cross_entropy' op operand 1 expects an integer element type, found f32; insert a weir.cast}}
  weir.sparse_softmax_cross_entropy %x, %y : tensor<3x5xf32>, tensor<3xf32>
  return
}

// -----

func.func @no_class(%x: tensor<3x0xf32>, %y: tensor<3xi64>) {
  // expected-error@below {{'weir.sparse_softmax_cross_entropy' op expects at least one class, found operand 0 of 'tensor<3x0xf32>'}}
  weir.sparse_softmax_cross_entropy %x, %y : tensor<3x0xf32>, tensor<3xi64>
  return
}

// -----

func.func @huge_label(%x: tensor<3x5xf32>, %y: tensor<3xi64>) {
  // expected-error@below {{'weir.sparse_softmax_cross_entropy' op attribute 'ignored' expects a label from -2^53 to 2^53, found 9007199254740993; ignore another label}}
  weir.sparse_softmax_cross_entropy %x, %y {ignored = 9007199254740993} : tensor<3x5xf32>, tensor<3xi64>
  return
}

// -----

func.func @column(%x: tensor<3x5xf32>, %y: tensor<3x1xi64>) {
  // expected-error@below {{'weir.sparse_softmax_cross_entropy' op expects operand 1 of 3, a target for each row of operand 0, found 'tensor<3x1xi64>'; reshape operand 1 with weir.reshape {shape = [3]}}}
  weir.sparse_softmax_cross_entropy %x, %y : tensor<3x5xf32>, tensor<3x1xi64>
  return
}
