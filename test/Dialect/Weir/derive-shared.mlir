// What several derived parameters are made of is derived by itself, and so is
// computed once. A run that does not read it has no argument for it.
// RUN: graph-opt %s --weir-lift-parameters --weir-derive-parameters | FileCheck %s

weir.parameter @w : tensor<4x4xf32> = dense<0.5> : tensor<4x4xf32>

// CHECK: weir.derived @shared : tensor<4x4xf32> {
// CHECK: weir.exp
// CHECK: weir.derived @left : tensor<4x4xf32> {
// CHECK-NEXT: %[[L:.*]] = weir.read @shared
// CHECK-NEXT: weir.neg %[[L]]
// CHECK: weir.derived @again : tensor<4x4xf32> {
// CHECK-NEXT: %[[A:.*]] = weir.read @left
// CHECK-NEXT: weir.abs %[[A]]
// CHECK: weir.derived @right : tensor<4x4xf32> {
// CHECK-NEXT: %[[R:.*]] = weir.read @shared
// CHECK-NEXT: weir.sqrt %[[R]]
// CHECK: func.func @main(%x: tensor<4x4xf32>,
// CHECK-NOT: @shared
// CHECK: weir.add %x, %left
func.func @main(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %w = weir.read @w : tensor<4x4xf32>
  %shared = weir.exp %w : tensor<4x4xf32>
  %left = weir.neg %shared : tensor<4x4xf32>
  %again = weir.abs %left : tensor<4x4xf32>
  %right = weir.sqrt %shared : tensor<4x4xf32>
  %a = weir.add %x, %left : tensor<4x4xf32>, tensor<4x4xf32>
  %b = weir.add %x, %again : tensor<4x4xf32>, tensor<4x4xf32>
  %c = weir.add %x, %right : tensor<4x4xf32>, tensor<4x4xf32>
  return %a, %b, %c : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
