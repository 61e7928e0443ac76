// Groups annotated with a kind of device that has no kernel for them move to
// the CPU, and the artifact runs on a machine without such a device.
// REQUIRES: cuda-plugin
// RUN: graph-compile %s --devices=cpu:0,cuda:0 -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SOFT
// RUN: graph-run %t.weir --input x=random --input w=random --json \
// RUN:   | FileCheck %s --check-prefix=REPORT
// RUN: graph-compile %s --devices=cpu:0,cuda:0 --emit=placed | FileCheck %s
// RUN: %exits 1 graph-compile %s --devices=cpu:0,cuda:0 --strict -o %t.weir \
// RUN:   2>&1 | FileCheck %s --check-prefix=STRICT

// SOFT: other-kind.mlir:[[# @LINE + 8]]:8: warning: h: cuda:0 cannot run it (no cuda kernel for weir.matmul of f32); moved to cpu:0
// REPORT: "name": "cpu:0"
// REPORT-NOT: "name": "cuda:0"
// CHECK: weir.devices = ["cpu:0"]
// STRICT: other-kind.mlir:[[# @LINE + 4]]:8: error: h: cuda:0 cannot run it (no cuda kernel for weir.matmul of f32); place it on one of cpu:0

func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // A comment keeps the lines apart.
  %h = weir.matmul %x, %w on "/GPU:0" : tensor<8x8xf32>, tensor<8x8xf32>
  %y = weir.softmax %h {axis = 1} : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
