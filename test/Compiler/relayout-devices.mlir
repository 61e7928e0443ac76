// Each device that reads a value in another layout brings it there itself: an
// input does not cross, and what crosses has the layout of its producer.

// RUN: graph-compile %s --emit=partitioned 2>&1 | FileCheck %s

// CHECK-NOT: warning
// CHECK-DAG: weir.group ({{.*}} = %x) on "cpu:0"
// CHECK-DAG: weir.group ({{.*}} = %x) on "cpu:1"
// CHECK: %[[CROSSED:.+]] = weir.copy %a from "cpu:0" to "cpu:1" : tensor<1x16x8x8xf32>
// CHECK-NEXT: weir.group ({{.*}} = %[[CROSSED]]) on "cpu:1"
// CHECK: weir.relayout
// CHECK-NOT: weir.copy
func.func @main(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32>)
    -> (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) {
  %p = weir.conv %x, %w on "cpu:0" : tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>
  %q = weir.conv %x, %w on "cpu:1" : tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>
  %a = weir.relu %x on "cpu:0" : tensor<1x16x8x8xf32>
  %c = weir.conv %a, %w on "cpu:1" : tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>
  return %p, %q, %c
      : tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>
}
