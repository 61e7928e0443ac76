// reshape: the same elements under another shape.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/reshape.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/reshape.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/reshape.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @flat(
// CHECK: %y = weir.reshape %x {shape = [6]} : tensor<2x3xf32>
// COST: flat: tensor<6xf32>, 0 flops, 48 bytes, library ok
func.func @flat(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %y = weir.reshape %x {shape = [6]} : tensor<2x3xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @left_over(
// CHECK: %y = weir.reshape %x {shape = [0, -1]} : tensor<2x3x4xbf16>
// COST: left_over: tensor<2x12xbf16>, 0 flops, 96 bytes, library ok
func.func @left_over(%x: tensor<2x3x4xbf16>) -> tensor<2x12xbf16> {
  %y = weir.reshape %x {shape = [0, -1]} : tensor<2x3x4xbf16>
  return %y : tensor<2x12xbf16>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.reshape %x {shape = [1, 2, 3, 1]} : tensor<6xf32>
// COST: unit_dims: tensor<1x2x3x1xf32>, 0 flops, 48 bytes, library ok
func.func @unit_dims(%x: tensor<6xf32>) -> tensor<1x2x3x1xf32> {
  %y = weir.reshape %x {shape = [1, 2, 3, 1]} : tensor<6xf32>
  return %y : tensor<1x2x3x1xf32>
}

// CHECK-LABEL: func.func @to_scalar(
// CHECK: %y = weir.reshape %x {shape = []} : tensor<1x1xf32>
// COST: to_scalar: tensor<f32>, 0 flops, 8 bytes, library ok
func.func @to_scalar(%x: tensor<1x1xf32>) -> tensor<f32> {
  %y = weir.reshape %x {shape = []} : tensor<1x1xf32>
  return %y : tensor<f32>
}

// CHECK-LABEL: func.func @from_scalar(
// CHECK: %y = weir.reshape %x {shape = [1]} : tensor<f64>
// COST: from_scalar: tensor<1xf64>, 0 flops, 16 bytes, library ok
func.func @from_scalar(%x: tensor<f64>) -> tensor<1xf64> {
  %y = weir.reshape %x {shape = [1]} : tensor<f64>
  return %y : tensor<1xf64>
}

// CHECK-LABEL: func.func @i8(
// CHECK: %y = weir.reshape %x {shape = [2, 4]} : tensor<4x2xi8>
// COST: i8: tensor<2x4xi8>, 0 flops, 16 bytes, library ok
func.func @i8(%x: tensor<4x2xi8>) -> tensor<2x4xi8> {
  %y = weir.reshape %x {shape = [2, 4]} : tensor<4x2xi8>
  return %y : tensor<2x4xi8>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.reshape %x {shape = [0, 3, 1]} : tensor<0x3xf32>
// COST: empty: tensor<0x3x1xf32>, 0 flops, 0 bytes, library ok
func.func @empty(%x: tensor<0x3xf32>) -> tensor<0x3x1xf32> {
  %y = weir.reshape %x {shape = [0, 3, 1]} : tensor<0x3xf32>
  return %y : tensor<0x3x1xf32>
}

// A copied dim of size 0 leaves the quotient of the others.
// CHECK-LABEL: func.func @empty_left_over(
// CHECK: %y = weir.reshape %x {shape = [0, -1]} : tensor<0x3x4xf32>
// COST: empty_left_over: tensor<0x12xf32>, 0 flops, 0 bytes, library ok
func.func @empty_left_over(%x: tensor<0x3x4xf32>) -> tensor<0x12xf32> {
  %y = weir.reshape %x {shape = [0, -1]} : tensor<0x3x4xf32>
  return %y : tensor<0x12xf32>
}

//--- errors.mlir
func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.reshape' op the input (2x3) has 6 elements, which do not fit shape 4}}
  weir.reshape %x {shape = [4]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.reshape' op attribute 'shape' expects at most one -1}}
  weir.reshape %x {shape = [-1, -1]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.reshape' op the input (2x3) has 6 elements, which do not fit shape 4x?}}
  weir.reshape %x {shape = [4, -1]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.reshape' op attribute 'shape' has 0 at position 2, but the input (2x3) has no such dim}}
  weir.reshape %x {shape = [1, 1, 0]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.reshape' op attribute 'shape' expects sizes, 0 or -1, found -2}}
  weir.reshape %x {shape = [-2]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.reshape' requires attribute 'shape'}}
  weir.reshape %x : tensor<2x3xf32>
  return
}
