// global_max_pool: the maximum over all spatial dims, which become 1.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/global_max_pool.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/global_max_pool.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/global_max_pool.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @two_dims(
// CHECK: %y = weir.global_max_pool %x : tensor<2x3x4x5xf32>
// COST: two_dims: tensor<2x3x1x1xf32>, 120 flops, 504 bytes, library ok
func.func @two_dims(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x1x1xf32> {
  %y = weir.global_max_pool %x : tensor<2x3x4x5xf32>
  return %y : tensor<2x3x1x1xf32>
}

// CHECK-LABEL: func.func @one_dim(
// CHECK: %y = weir.global_max_pool %x : tensor<1x2x7xf32>
// COST: one_dim: tensor<1x2x1xf32>, 14 flops, 64 bytes, library ok
func.func @one_dim(%x: tensor<1x2x7xf32>) -> tensor<1x2x1xf32> {
  %y = weir.global_max_pool %x : tensor<1x2x7xf32>
  return %y : tensor<1x2x1xf32>
}

// CHECK-LABEL: func.func @three_dims(
// CHECK: %y = weir.global_max_pool %x : tensor<1x2x2x3x2xf32>
// COST: three_dims: tensor<1x2x1x1x1xf32>, 24 flops, 104 bytes, library ok
func.func @three_dims(%x: tensor<1x2x2x3x2xf32>) -> tensor<1x2x1x1x1xf32> {
  %y = weir.global_max_pool %x : tensor<1x2x2x3x2xf32>
  return %y : tensor<1x2x1x1x1xf32>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.global_max_pool %x : tensor<1x1x1x1xf32>
// COST: unit_dims: tensor<1x1x1x1xf32>, 1 flops, 8 bytes, library ok
func.func @unit_dims(%x: tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32> {
  %y = weir.global_max_pool %x : tensor<1x1x1x1xf32>
  return %y : tensor<1x1x1x1xf32>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: %y = weir.global_max_pool %x : tensor<1x4x3x3xbf16>
// COST: bf16: tensor<1x4x1x1xbf16>, 36 flops, 80 bytes, library ok
func.func @bf16(%x: tensor<1x4x3x3xbf16>) -> tensor<1x4x1x1xbf16> {
  %y = weir.global_max_pool %x : tensor<1x4x3x3xbf16>
  return %y : tensor<1x4x1x1xbf16>
}

// CHECK-LABEL: func.func @channels_last(
// CHECK: %y = weir.global_max_pool %x : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>> -> tensor<1x3x1x1xf32, #weir.layout<[0, 2, 3, 1]>>
// COST: channels_last: tensor<1x3x1x1xf32, #weir.layout<[0, 2, 3, 1]>>, 48 flops, 204 bytes, library ok
func.func @channels_last(%x: tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>)
    -> tensor<1x3x1x1xf32, #weir.layout<[0, 2, 3, 1]>> {
  %y = weir.global_max_pool %x : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>> -> tensor<1x3x1x1xf32, #weir.layout<[0, 2, 3, 1]>>
  return %y : tensor<1x3x1x1xf32, #weir.layout<[0, 2, 3, 1]>>
}

// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.global_max_pool %x : tensor<1x2x2x2xf32>
// COST: nan: tensor<1x2x1x1xf32>, 8 flops, 40 bytes, library differs
func.func @nan(%x: tensor<1x2x2x2xf32>) -> tensor<1x2x1x1xf32> {
  %y = weir.global_max_pool %x : tensor<1x2x2x2xf32>
  return %y : tensor<1x2x1x1xf32>
}

// CHECK-LABEL: func.func @i8(
// CHECK: %y = weir.global_max_pool %x : tensor<1x2x2x2xi8>
// COST: i8: tensor<1x2x1x1xi8>, 8 flops, 10 bytes, library no cpu kernel for weir.global_max_pool of i8
func.func @i8(%x: tensor<1x2x2x2xi8>) -> tensor<1x2x1x1xi8> {
  %y = weir.global_max_pool %x : tensor<1x2x2x2xi8>
  return %y : tensor<1x2x1x1xi8>
}

//--- errors.mlir
func.func @error(%x: tensor<3xf32>) {
  // expected-error@below {{'weir.global_max_pool' op operand 0 (3): expects rank at least 2, found rank 1}}
  weir.global_max_pool %x : tensor<3xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x3x3xf32>) {
  // expected-error@below {{'weir.global_max_pool' has no attribute 'kernel_shape'; it has}}
  weir.global_max_pool %x {kernel_shape = [3, 3]} : tensor<1x2x3x3xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x2xf32>) {
  // expected-error@below {{'weir.global_max_pool' op expects at most 1 operands, found 2}}
  weir.global_max_pool %x, %x : tensor<1x2x2xf32>, tensor<1x2x2xf32>
  return
}
