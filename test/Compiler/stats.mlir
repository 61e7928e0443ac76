// Counts of the plan, as an object for scripts and as lines for people.
// RUN: graph-compile %s -o %t.weir --stats=json | FileCheck %s
// RUN: graph-compile %s -o %t.weir --stats 2>&1 | FileCheck %s --check-prefix=TEXT

// 2 x 4 products of length 8, each a multiply and an add, then 8 maxima.
// CHECK: "devices": [
// CHECK: "arena_bytes": 256,
// CHECK: "crossings": 0,
// CHECK: "launches": 1,
// CHECK: "lower_bound_bytes": 256,
// CHECK: "name": "cpu:0"
// CHECK: "arena_bytes": 0,
// CHECK: "bytes_crossed": 0,
// CHECK: "crossings": 1,
// CHECK: "name": "cpu:1"
// CHECK: "events": 1,
// CHECK: "flops": 136,
// CHECK: "parameter_bytes": 128
// TEXT: 0.000 Mflop, 128 parameter bytes, 2 groups, 1 event
// TEXT: cpu:0: 1 group, 1 launch, 0 crossings (0 bytes), arena 256 bytes (lower bound 256)
weir.parameter @w : tensor<8x4xf32> = dense<0.5> : tensor<8x4xf32>
func.func @main(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = weir.read @w : tensor<8x4xf32>
  %p = weir.matmul %x, %w on "cpu:0" : tensor<2x8xf32>, tensor<8x4xf32>
  %y = weir.relu %p on "cpu:1" : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
