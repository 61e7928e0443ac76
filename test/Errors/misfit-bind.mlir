// A file of --bind that does not fit its input: what is expected, what was found,
// and where.
// RUN: %write_npy %t.npy "<f4" 2 9
// RUN: %exits 1 graph-compile %s --bind x=%t.npy -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SHAPE
// RUN: %write_npy %t.npy "<f8" 2 8
// RUN: %exits 1 graph-compile %s --bind x=%t.npy -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TYPE

// SHAPE: error: --bind expects ?x8xf32 for input 'x', found 2x9xf32 in '{{.*}}.npy'; convert or reshape it
// TYPE: error: --bind expects ?x8xf32 for input 'x', found 2x8xf64 in '{{.*}}.npy'; convert or reshape it
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = weir.relu %x : tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
