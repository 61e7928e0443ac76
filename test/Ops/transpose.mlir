// transpose: dims in another order.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/transpose.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/transpose.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/transpose.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @matrix(
// CHECK: %y = weir.transpose %x {perm = [1, 0]} : tensor<2x3xf32>
// COST: matrix: tensor<3x2xf32>, 0 flops, 48 bytes, library ok
func.func @matrix(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %y = weir.transpose %x {perm = [1, 0]} : tensor<2x3xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @to_last(
// CHECK: %y = weir.transpose %x {perm = [0, 2, 3, 1]} : tensor<1x3x2x4xf32>
// COST: to_last: tensor<1x2x4x3xf32>, 0 flops, 192 bytes, library ok
func.func @to_last(%x: tensor<1x3x2x4xf32>) -> tensor<1x2x4x3xf32> {
  %y = weir.transpose %x {perm = [0, 2, 3, 1]} : tensor<1x3x2x4xf32>
  return %y : tensor<1x2x4x3xf32>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.transpose %x {perm = [2, 0, 1]} : tensor<1x5x1xbf16>
// COST: unit_dims: tensor<1x1x5xbf16>, 0 flops, 20 bytes, library ok
func.func @unit_dims(%x: tensor<1x5x1xbf16>) -> tensor<1x1x5xbf16> {
  %y = weir.transpose %x {perm = [2, 0, 1]} : tensor<1x5x1xbf16>
  return %y : tensor<1x1x5xbf16>
}

// CHECK-LABEL: func.func @kept(
// CHECK: %y = weir.transpose %x {perm = [0, 1]} : tensor<2x3xf64>
// COST: kept: tensor<2x3xf64>, 0 flops, 96 bytes, library ok
func.func @kept(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = weir.transpose %x {perm = [0, 1]} : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

// CHECK-LABEL: func.func @u8(
// CHECK: %y = weir.transpose %x {perm = [2, 1, 0]} : tensor<2x3x2xui8>
// COST: u8: tensor<2x3x2xui8>, 0 flops, 24 bytes, library no cpu kernel for weir.transpose of u8
func.func @u8(%x: tensor<2x3x2xui8>) -> tensor<2x3x2xui8> {
  %y = weir.transpose %x {perm = [2, 1, 0]} : tensor<2x3x2xui8>
  return %y : tensor<2x3x2xui8>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.transpose %x {perm = [1, 0]} : tensor<0x3xf32>
// COST: empty: tensor<3x0xf32>, 0 flops, 0 bytes, library ok
func.func @empty(%x: tensor<0x3xf32>) -> tensor<3x0xf32> {
  %y = weir.transpose %x {perm = [1, 0]} : tensor<0x3xf32>
  return %y : tensor<3x0xf32>
}

//--- errors.mlir
func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.transpose' op attribute 'perm' expects 2 values, found 1}}
  weir.transpose %x {perm = [0]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.transpose' op attribute 'perm' expects each of 0 to 1 once, found 0 twice}}
  weir.transpose %x {perm = [0, 0]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.transpose' op attribute 'perm' expects each of 0 to 1 once, found 2}}
  weir.transpose %x {perm = [0, 2]} : tensor<2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.transpose' requires attribute 'perm'}}
  weir.transpose %x : tensor<2x3xf32>
  return
}
