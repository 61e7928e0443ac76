// softmax_cross_entropy: cross entropy with a target distribution.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/softmax_cross_entropy.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/softmax_cross_entropy.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/softmax_cross_entropy.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.softmax_cross_entropy %x, %t : tensor<3x5xf32>, tensor<3x5xf32>
// COST: rows: tensor<3xf32>, 111 flops, 132 bytes, library ok
func.func @rows(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>) -> tensor<3xf32> {
  %y = weir.softmax_cross_entropy %x, %t : tensor<3x5xf32>, tensor<3x5xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: func.func @batch(
// CHECK: %y = weir.softmax_cross_entropy %x, %t : tensor<2x3x4xf32>, tensor<2x3x4xf32>
// COST: batch: tensor<2x3xf32>, 180 flops, 216 bytes, library ok
func.func @batch(%x: tensor<2x3x4xf32>, %t: tensor<2x3x4xf32>) -> tensor<2x3xf32> {
  %y = weir.softmax_cross_entropy %x, %t : tensor<2x3x4xf32>, tensor<2x3x4xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @one_row(
// CHECK: %y = weir.softmax_cross_entropy %x, %t : tensor<4xf64>, tensor<4xf64>
// COST: one_row: tensor<f64>, 30 flops, 72 bytes, library no cpu kernel for weir.reduce_max of f64, and the topology file excludes kernel 'generated'
func.func @one_row(%x: tensor<4xf64>, %t: tensor<4xf64>) -> tensor<f64> {
  %y = weir.softmax_cross_entropy %x, %t : tensor<4xf64>, tensor<4xf64>
  return %y : tensor<f64>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.softmax_cross_entropy %x, %t : tensor<1x1x6xbf16>, tensor<1x1x6xbf16>
// COST: unit_dims: tensor<1x1xbf16>, 44 flops, 26 bytes, library ok
func.func @unit_dims(%x: tensor<1x1x6xbf16>, %t: tensor<1x1x6xbf16>) -> tensor<1x1xbf16> {
  %y = weir.softmax_cross_entropy %x, %t : tensor<1x1x6xbf16>, tensor<1x1x6xbf16>
  return %y : tensor<1x1xbf16>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.softmax_cross_entropy %x, %t : tensor<2x3xf16>, tensor<2x3xf16>
// COST: half: tensor<2xf16>, 46 flops, 28 bytes, library no cpu kernel for weir.cast of f16, and the topology file excludes kernel 'generated'
func.func @half(%x: tensor<2x3xf16>, %t: tensor<2x3xf16>) -> tensor<2xf16> {
  %y = weir.softmax_cross_entropy %x, %t : tensor<2x3xf16>, tensor<2x3xf16>
  return %y : tensor<2xf16>
}

// CHECK-LABEL: func.func @huge(
// CHECK: %y = weir.softmax_cross_entropy %x, %t : tensor<2x5xf32>, tensor<2x5xf32>
// COST: huge: tensor<2xf32>, 74 flops, 88 bytes, library ok
func.func @huge(%x: tensor<2x5xf32>, %t: tensor<2x5xf32>) -> tensor<2xf32> {
  %y = weir.softmax_cross_entropy %x, %t : tensor<2x5xf32>, tensor<2x5xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.softmax_cross_entropy %x, %t : tensor<0x3xf32>, tensor<0x3xf32>
// COST: empty: tensor<0xf32>, 0 flops, 0 bytes, library ok
func.func @empty(%x: tensor<0x3xf32>, %t: tensor<0x3xf32>) -> tensor<0xf32> {
  %y = weir.softmax_cross_entropy %x, %t : tensor<0x3xf32>, tensor<0x3xf32>
  return %y : tensor<0xf32>
}

//--- errors.mlir
func.func @other_rows(%x: tensor<3x5xf32>, %y: tensor<1x5xf32>) {
  // expected-error@below {{'weir.softmax_cross_entropy' op expects operand 1 of 3x5, a target for each row of operand 0, found 'tensor<1x5xf32>'}}
  weir.softmax_cross_entropy %x, %y : tensor<3x5xf32>, tensor<1x5xf32>
  return
}

// -----

func.func @labels(%x: tensor<3x5xf32>, %y: tensor<3x5xi64>) {
  // expected-error@below {{'weir.softmax_cross_entropy' op operand 1 expects a float element type, found i64; insert a weir.cast}}
  weir.softmax_cross_entropy %x, %y : tensor<3x5xf32>, tensor<3x5xi64>
  return
}

// -----

func.func @no_attribute(%x: tensor<3x5xf32>) {
  // expected-error@below {{'weir.softmax_cross_entropy' has no attribute 'axis'; it has }}
  weir.softmax_cross_entropy %x, %x {axis = 1} : tensor<3x5xf32>, tensor<3x5xf32>
  return
}
