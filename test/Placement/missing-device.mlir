// A device that is not in the list: its groups move and the move is reported;
// with --strict it is an error that names op, line and repair. The moved graph
// computes what the whole graph on one device does, to the bit.
// RUN: graph-compile %s --devices=cpu:0-1 -o %t.weir --explain 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SOFT
// RUN: graph-compile %s --devices=cpu:0 --place='*=cpu:0' -o %t.one.weir
// RUN: graph-run %t.one.weir --threads=1 --input x=random:1 \
// RUN:   --input w=random:2 --output y=%t.npy
// RUN: graph-run %t.weir --threads=1 --input x=random:1 --input w=random:2 \
// RUN:   --expect y=%t.npy --rtol 0 --atol 0
// RUN: rm -f %t.strict.weir
// RUN: %exits 1 graph-compile %s --devices=cpu:0-1 --strict \
// RUN:   -o %t.strict.weir 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: not ls %t.strict.weir

// SOFT: missing-device.mlir:[[# @LINE + 11]]:8: warning: y: cpu:7 is not among the devices (cpu:0, cpu:1); moved to cpu:1
// SOFT-NEXT: %y = weir.softmax
// SOFT: h: on cpu:1, annotated cpu:1
// SOFT: y: on cpu:1, moved from annotated cpu:7: cpu:7 is not among the devices (cpu:0, cpu:1)

// STRICT: missing-device.mlir:[[# @LINE + 6]]:8: error: y: cpu:7 is not among the devices (cpu:0, cpu:1); add cpu:7 to --devices or place it on one of cpu:0, cpu:1
// STRICT-NEXT: %y = weir.softmax
// STRICT-NOT: error

func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %h = weir.matmul %x, %w on "cpu:1" : tensor<8x8xf32>, tensor<8x8xf32>
  %y = weir.softmax %h on "cpu:7" {axis = 1} : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
