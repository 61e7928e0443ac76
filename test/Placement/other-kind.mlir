// Groups annotated with a kind of device that has no kernel for them move to
// the CPU, and the artifact runs on a machine without such a device.
// REQUIRES: cuda-plugin
// RUN: echo '{"devices": [{"name": "cpu:0"}, {"name": "cuda:0", "excluded_kernels": ["generated"]}]}' > %t.json
// RUN: graph-compile %s --topology=%t.json -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SOFT
// RUN: graph-dump %t.weir | FileCheck %s --check-prefix=DUMP
// RUN: graph-run %t.weir --input x=random --json \
// RUN:   | FileCheck %s --check-prefix=REPORT
// RUN: graph-compile %s --topology=%t.json --emit=placed | FileCheck %s
// RUN: %exits 1 graph-compile %s --topology=%t.json --strict -o %t.weir \
// RUN:   2>&1 | FileCheck %s --check-prefix=STRICT

// SOFT: other-kind.mlir:[[# @LINE + 10]]:8: warning: h: cuda:0 cannot run it (no cuda kernel for weir.tanh of f32, and the topology file excludes kernel 'generated'); moved to cpu:0
// Nothing needs the GPU, so there is one variant.
// DUMP: variant 0
// DUMP-NOT: variant 1
// REPORT: "name": "cpu:0"
// REPORT-NOT: "name": "cuda:0"
// CHECK: weir.devices = #weir.devices<["cpu:0"]>
// STRICT: other-kind.mlir:[[# @LINE + 3]]:8: error: h: cuda:0 cannot run it (no cuda kernel for weir.tanh of f32, and the topology file excludes kernel 'generated'); place it on one of cpu:0

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %h = weir.tanh %x on "/GPU:0" : tensor<8x8xf32>
  return %h : tensor<8x8xf32>
}
