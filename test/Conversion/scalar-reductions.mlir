// A long reduction to a scalar becomes partial results over tiles, and their
// combination in a function of its own. The rest that is in no tile comes first.
// RUN: graph-opt %s -convert-weir-to-linalg -convert-linalg-to-kernels | FileCheck %s

// CHECK-LABEL: func.func @tiles(
// CHECK-SAME: memref<1048576xf32>, %{{[a-z0-9_]+}}: memref<64xf32>
// CHECK-LABEL: func.func @tiles.1(
// CHECK-SAME: memref<64xf32>, %{{[a-z0-9_]+}}: memref<f32>
func.func @tiles(%x: tensor<1048576xf32>) -> tensor<f32> {
  %y = weir.reduce_sum %x {axes = [0], keepdims = false} : tensor<1048576xf32>
  return %y : tensor<f32>
}

// CHECK-LABEL: func.func @rest(
// CHECK-SAME: memref<1048583xf32>
// CHECK-LABEL: func.func @rest.1(
// CHECK-SAME: memref<f32>
func.func @rest(%x: tensor<1048583xf32>) -> tensor<f32> {
  %y = weir.reduce_max %x {axes = [0], keepdims = false} : tensor<1048583xf32>
  return %y : tensor<f32>
}
