// stop_gradient: the input, a constant for derivatives.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/stop_gradient.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/stop_gradient.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/stop_gradient.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.stop_gradient %x : tensor<7xf32>
// COST: vector: tensor<7xf32>, 0 flops, 56 bytes, library ok
func.func @vector(%x: tensor<7xf32>) -> tensor<7xf32> {
  %y = weir.stop_gradient %x : tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: func.func @matrix(
// CHECK: %y = weir.stop_gradient %x : tensor<3x5xbf16>
// COST: matrix: tensor<3x5xbf16>, 0 flops, 60 bytes, library ok
func.func @matrix(%x: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %y = weir.stop_gradient %x : tensor<3x5xbf16>
  return %y : tensor<3x5xbf16>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.stop_gradient %x : tensor<1x4x1xf32>
// COST: unit_dims: tensor<1x4x1xf32>, 0 flops, 32 bytes, library ok
func.func @unit_dims(%x: tensor<1x4x1xf32>) -> tensor<1x4x1xf32> {
  %y = weir.stop_gradient %x : tensor<1x4x1xf32>
  return %y : tensor<1x4x1xf32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.stop_gradient %x : tensor<f64>
// COST: scalar: tensor<f64>, 0 flops, 16 bytes, library ok
func.func @scalar(%x: tensor<f64>) -> tensor<f64> {
  %y = weir.stop_gradient %x : tensor<f64>
  return %y : tensor<f64>
}

// CHECK-LABEL: func.func @integers(
// CHECK: %y = weir.stop_gradient %x : tensor<2x3xi64>
// COST: integers: tensor<2x3xi64>, 0 flops, 96 bytes, library ok
func.func @integers(%x: tensor<2x3xi64>) -> tensor<2x3xi64> {
  %y = weir.stop_gradient %x : tensor<2x3xi64>
  return %y : tensor<2x3xi64>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.stop_gradient %x : tensor<0x3xf32>
// COST: empty: tensor<0x3xf32>, 0 flops, 0 bytes, library ok
func.func @empty(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %y = weir.stop_gradient %x : tensor<0x3xf32>
  return %y : tensor<0x3xf32>
}

//--- errors.mlir
func.func @two_operands(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.stop_gradient' op requires a single operand}}
  "weir.stop_gradient"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @no_attribute(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.stop_gradient' has no attribute 'axis'; it has }}
  weir.stop_gradient %x {axis = 1} : tensor<4xf32>
  return
}

// -----

func.func @other_type(%x: tensor<4xf32>) {
  // expected-error@below {{the result of 'weir.stop_gradient' is a 'tensor<4xf32>', but 'tensor<4xi32>' is written behind the '->'; make them equal, or leave it out}}
  "weir.stop_gradient"(%x) : (tensor<4xf32>) -> tensor<4xi32>
  return
}
