// relayout: the same tensor in another order in memory.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/relayout.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/relayout.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/relayout.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @to_channels_last(
// CHECK: %y = weir.relayout %x : tensor<1x3x2x4xf32> -> tensor<1x3x2x4xf32, #weir.layout<[0, 2, 3, 1]>>
// COST: to_channels_last: tensor<1x3x2x4xf32, #weir.layout<[0, 2, 3, 1]>>, 0 flops, 192 bytes, library ok
func.func @to_channels_last(%x: tensor<1x3x2x4xf32>)
    -> tensor<1x3x2x4xf32, #weir.layout<[0, 2, 3, 1]>> {
  %y = weir.relayout %x : tensor<1x3x2x4xf32> -> tensor<1x3x2x4xf32, #weir.layout<[0, 2, 3, 1]>>
  return %y : tensor<1x3x2x4xf32, #weir.layout<[0, 2, 3, 1]>>
}

// CHECK-LABEL: func.func @batched(
// CHECK: %y = weir.relayout %x : tensor<2x5x3x1xbf16> -> tensor<2x5x3x1xbf16, #weir.layout<[0, 2, 3, 1]>>
// COST: batched: tensor<2x5x3x1xbf16, #weir.layout<[0, 2, 3, 1]>>, 0 flops, 120 bytes, library ok
func.func @batched(%x: tensor<2x5x3x1xbf16>)
    -> tensor<2x5x3x1xbf16, #weir.layout<[0, 2, 3, 1]>> {
  %y = weir.relayout %x : tensor<2x5x3x1xbf16> -> tensor<2x5x3x1xbf16, #weir.layout<[0, 2, 3, 1]>>
  return %y : tensor<2x5x3x1xbf16, #weir.layout<[0, 2, 3, 1]>>
}

// CHECK-LABEL: func.func @from_channels_last(
// CHECK: %y = weir.relayout %x : tensor<1x3x2x2xf32, #weir.layout<[0, 2, 3, 1]>>
// COST: from_channels_last: tensor<1x3x2x2xf32>, 0 flops, 96 bytes, library ok
func.func @from_channels_last(%x: tensor<1x3x2x2xf32, #weir.layout<[0, 2, 3, 1]>>)
    -> tensor<1x3x2x2xf32> {
  %y = weir.relayout %x : tensor<1x3x2x2xf32, #weir.layout<[0, 2, 3, 1]>>
  return %y : tensor<1x3x2x2xf32>
}

// CHECK-LABEL: func.func @matrix(
// CHECK: %y = weir.relayout %x : tensor<2x3xf32> -> tensor<2x3xf32, #weir.layout<[1, 0]>>
// COST: matrix: tensor<2x3xf32, #weir.layout<[1, 0]>>, 0 flops, 48 bytes, library ok
func.func @matrix(%x: tensor<2x3xf32>)
    -> tensor<2x3xf32, #weir.layout<[1, 0]>> {
  %y = weir.relayout %x : tensor<2x3xf32> -> tensor<2x3xf32, #weir.layout<[1, 0]>>
  return %y : tensor<2x3xf32, #weir.layout<[1, 0]>>
}

//--- errors.mlir
func.func @error(%x: tensor<1x3x2x4xf32>) {
  // expected-error@below {{the result of 'weir.relayout' is a 'tensor<1x3x2x4xf32>', but 'tensor<1x2x3x4xf32, #weir.layout<[0, 2, 3, 1]>>' is written behind the '->'; make them equal, or leave it out}}
  %y = weir.relayout %x : tensor<1x3x2x4xf32> -> tensor<1x2x3x4xf32, #weir.layout<[0, 2, 3, 1]>>
  return
}

// -----

// expected-error@below {{layout [0, 2, 2, 1] expects each dim of a tensor of rank 4 once}}
func.func @error(%x: tensor<1x3x2x4xf32, #weir.layout<[0, 2, 2, 1]>>) {
  return
}

// -----

func.func @error(%x: tensor<2x3xf32>) {
  // expected-error@below {{'weir.relayout' has no attribute 'to'; it has}}
  weir.relayout %x {to = bf16} : tensor<2x3xf32>
  return
}
