// A device that lacks the group's kernel (a topology file excludes it): the
// group moves and the move is reported; with --strict it is an error; where no
// device has the kernel it is always an error.
// RUN: split-file %s %t
// RUN: graph-compile %t/net.mlir --topology=%t/one.json -o %t.weir --explain \
// RUN:   2>&1 | FileCheck %s --check-prefix=SOFT
// RUN: graph-run %t.weir --input x=random:1 --input w=random:2 --json \
// RUN:   | FileCheck %s --check-prefix=REPORT
// RUN: %exits 1 graph-compile %t/net.mlir --topology=%t/one.json --strict \
// RUN:   -o %t.strict.weir 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: %exits 1 graph-compile %t/net.mlir --topology=%t/none.json \
// RUN:   -o %t.none.weir 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: %exits 1 graph-compile %t/net.mlir --topology=%t/list.json --strict \
// RUN:   -o %t.list.weir 2>&1 | FileCheck %s --check-prefix=LIST

// SOFT: net.mlir:2:8: warning: h: cpu:1 cannot run it (the topology file excludes kernel 'matmul'); moved to cpu:0
// SOFT-NEXT: %h = weir.matmul
// SOFT: h: on cpu:0, moved from annotated cpu:1: cpu:1 cannot run it (the topology file excludes kernel 'matmul')
// SOFT-NEXT: cpu:0 {{.*}} us predicted
// SOFT-NEXT: y: on cpu:1, annotated cpu:1

// REPORT: "name": "cpu:0"
// REPORT: "launches": 1,
// REPORT: "name": "cpu:1"
// REPORT: "launches": 1,

// STRICT: net.mlir:2:8: error: h: cpu:1 cannot run it (the topology file excludes kernel 'matmul'); place it on one of cpu:0
// STRICT-NEXT: %h = weir.matmul

// NOWHERE: net.mlir:2:8: error: h: no device can run it (cpu:0: the topology file excludes kernel 'matmul'; cpu:1: the topology file excludes kernel 'matmul'); add a device that can

// LIST: error: h: cpu:1 cannot run it (the topology file lists "kernels" of cpu:1 without 'matmul'); place it on one of cpu:0

//--- net.mlir
func.func @main(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %h = weir.matmul %x, %w on "cpu:1" : tensor<32x32xf32>, tensor<32x32xf32>
  %y = weir.softmax %h on "cpu:1" {axis = 1} : tensor<32x32xf32>
  return %y : tensor<32x32xf32>
}

//--- one.json
{"devices": [{"name": "cpu:0"},
             {"name": "cpu:1", "excluded_kernels": ["matmul", "generated"]}]}

//--- list.json
{"devices": [{"name": "cpu:0"}, {"name": "cpu:1", "kernels": ["conv"]}]}

//--- none.json
{"devices": [{"name": "cpu:0", "excluded_kernels": ["matmul", "generated"]},
             {"name": "cpu:1", "excluded_kernels": ["matmul", "generated"]}]}
