// An input of another element type is never converted silently.
// RUN: graph-compile %s -o %t.weir
// RUN: %write_npy %t.npy "<f8" 2 3
// RUN: %exits 1 graph-run %t.weir --input x=%t.npy --input w=random \
// RUN:   --output y=%t.y.npy 2>&1 | FileCheck %s
// RUN: not ls %t.y.npy
// RUN: %write_npy %t.c.npy "<c16" 2 3
// RUN: %exits 1 graph-run %t.weir --input x=%t.c.npy --input w=random 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COMPLEX

// CHECK: graph-run: error: input 'x': expected 2x3xf32, found 2x3xf64 in '{{.*}}.npy'; convert its elements to f32
// COMPLEX: graph-run: error: input 'x': cannot read '{{.*}}': the npy file has elements of numpy type '<c16'; Weir reads f4, f2
func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %y = weir.matmul %x, %w : tensor<2x3xf32>, tensor<3x4xf32>
  return %y : tensor<2x4xf32>
}
