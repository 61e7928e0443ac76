// global_average_pool: the mean over all spatial dims, which become 1.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/global_average_pool.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/global_average_pool.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/global_average_pool.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @two_dims(
// CHECK: %y = weir.global_average_pool %x : tensor<2x3x4x5xf32>
// COST: two_dims: tensor<2x3x1x1xf32>, 126 flops, 504 bytes, library ok
func.func @two_dims(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x1x1xf32> {
  %y = weir.global_average_pool %x : tensor<2x3x4x5xf32>
  return %y : tensor<2x3x1x1xf32>
}

// CHECK-LABEL: func.func @one_dim(
// CHECK: %y = weir.global_average_pool %x : tensor<1x2x7xf32>
// COST: one_dim: tensor<1x2x1xf32>, 16 flops, 64 bytes, library ok
func.func @one_dim(%x: tensor<1x2x7xf32>) -> tensor<1x2x1xf32> {
  %y = weir.global_average_pool %x : tensor<1x2x7xf32>
  return %y : tensor<1x2x1xf32>
}

// CHECK-LABEL: func.func @three_dims(
// CHECK: %y = weir.global_average_pool %x : tensor<1x2x2x3x2xf32>
// COST: three_dims: tensor<1x2x1x1x1xf32>, 26 flops, 104 bytes, library ok
func.func @three_dims(%x: tensor<1x2x2x3x2xf32>) -> tensor<1x2x1x1x1xf32> {
  %y = weir.global_average_pool %x : tensor<1x2x2x3x2xf32>
  return %y : tensor<1x2x1x1x1xf32>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.global_average_pool %x : tensor<1x1x1x1xf32>
// COST: unit_dims: tensor<1x1x1x1xf32>, 2 flops, 8 bytes, library ok
func.func @unit_dims(%x: tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32> {
  %y = weir.global_average_pool %x : tensor<1x1x1x1xf32>
  return %y : tensor<1x1x1x1xf32>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: %y = weir.global_average_pool %x : tensor<1x4x3x3xbf16>
// COST: bf16: tensor<1x4x1x1xbf16>, 40 flops, 80 bytes, library ok
func.func @bf16(%x: tensor<1x4x3x3xbf16>) -> tensor<1x4x1x1xbf16> {
  %y = weir.global_average_pool %x : tensor<1x4x3x3xbf16>
  return %y : tensor<1x4x1x1xbf16>
}

// CHECK-LABEL: func.func @channels_last(
// CHECK: %y = weir.global_average_pool %x : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>> -> tensor<1x3x1x1xf32, #weir.layout<[0, 2, 3, 1]>>
// COST: channels_last: tensor<1x3x1x1xf32, #weir.layout<[0, 2, 3, 1]>>, 51 flops, 204 bytes, library ok
func.func @channels_last(%x: tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>)
    -> tensor<1x3x1x1xf32, #weir.layout<[0, 2, 3, 1]>> {
  %y = weir.global_average_pool %x : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>> -> tensor<1x3x1x1xf32, #weir.layout<[0, 2, 3, 1]>>
  return %y : tensor<1x3x1x1xf32, #weir.layout<[0, 2, 3, 1]>>
}

// The sum is no f16, the mean is.
// CHECK-LABEL: func.func @huge_half(
// CHECK: %y = weir.global_average_pool %x : tensor<1x1x4x4xf16>
// COST: huge_half: tensor<1x1x1x1xf16>, 17 flops, 34 bytes, library no cpu kernel for weir.cast of f16
func.func @huge_half(%x: tensor<1x1x4x4xf16>) -> tensor<1x1x1x1xf16> {
  %y = weir.global_average_pool %x : tensor<1x1x4x4xf16>
  return %y : tensor<1x1x1x1xf16>
}

//--- errors.mlir
func.func @error(%x: tensor<3xf32>) {
  // expected-error@below {{'weir.global_average_pool' op operand 0 (3): expects rank at least 2, found rank 1}}
  weir.global_average_pool %x : tensor<3xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x3x3xi32>) {
  // expected-error@below {{'weir.global_average_pool' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.global_average_pool %x : tensor<1x2x3x3xi32>
  return
}

// -----

func.func @error(%x: tensor<1x2x2xf32>) {
  // expected-error@below {{'weir.global_average_pool' op expects at most 1 operands, found 2}}
  weir.global_average_pool %x, %x : tensor<1x2x2xf32>, tensor<1x2x2xf32>
  return
}
