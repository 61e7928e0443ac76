// An input of another shape names both shapes, the file and the repair, and
// nothing is run or written.
// RUN: graph-compile %s -o %t.weir
// RUN: %write_npy %t.npy "<f4" 2 5
// RUN: %exits 1 graph-run %t.weir --input x=%t.npy --input w=random \
// RUN:   --output y=%t.y.npy 2>&1 | FileCheck %s
// RUN: not ls %t.y.npy
// RUN: %write_npy %t.flat.npy "<f4" 6
// RUN: %exits 1 graph-run %t.weir --input x=%t.flat.npy --input w=random 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RANK
// RUN: %write_npy %t.turned.npy "<f4" 3 2
// RUN: %exits 1 graph-run %t.weir --input x=%t.turned.npy --input w=random 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TURNED
// RUN: %write_npy %t.good.npy "<f4" 2 3
// RUN: graph-run %t.weir --input x=%t.good.npy --input w=random 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GOOD

// CHECK: graph-run: error: input 'x': expected 2x3xf32, found 2x5xf32 in '{{.*}}.npy'; give a tensor of this shape, or, if the graph leaves these dims open, compile it with --shape=x:2x5
// GOOD: latency:
// RANK: graph-run: error: input 'x': expected 2x3xf32, found 6xf32 in '{{.*}}.npy'; reshape it: the model has 2 dims here, whatever --shape it is compiled with
// TURNED: graph-run: error: input 'x': expected 2x3xf32, found 3x2xf32 in '{{.*}}.npy'; transpose it, so that its dims have this order
func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %y = weir.matmul %x, %w : tensor<2x3xf32>, tensor<3x4xf32>
  return %y : tensor<2x4xf32>
}
