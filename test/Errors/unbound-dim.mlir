// An unknown dim that nobody fixed, and --shape options that do not fit.
// RUN: rm -f %t.weir
// RUN: %exits 1 graph-compile %s -o %t.weir 2>&1 | FileCheck %s
// RUN: %exits 1 graph-compile %s --shape=x:2x9 -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OTHER
// RUN: %exits 1 graph-compile %s --shape=q:2x8 -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN
// RUN: %exits 1 graph-compile %s --shape=x:99999999999999x8 -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LARGE
// RUN: %exits 2 graph-compile %s --shape=x:-1x8 -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MALFORMED
// RUN: %exits 2 graph-compile %s --shape=x:99999999999999999999x8 -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DIGITS
// RUN: not ls %t.weir
// RUN: graph-compile %s --shape=x:4000000000000x8 -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MEMORY
// RUN: graph-compile %s --shape=x:4000000000000x8 --check-kernels -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNCHECKED
// RUN: graph-compile %s --shape=x:0x8 --emit=placed \
// RUN:   | FileCheck %s --check-prefix=ZERO

// CHECK: unbound-dim.mlir:[[# @LINE + 9]]:17: error: input 'x' has an unknown dim (?x8); give each ? a number, as in --shape=x:1x8
// OTHER: error: input 'x' is ?x8, which does not fit the shape 2x9; give each ? a number, and keep the other dims
// UNKNOWN: error: --shape: shape 'q:2x8' names no input; the inputs are 'x', 'w'
// ZERO: %x: tensor<0x8xf32>
// LARGE: error: 'x' is too large: 'tensor<99999999999999x8xf32>' has more than 140737488355328 bytes; make its dims smaller
// MEMORY: warning: a run needs {{[0-9.]+}} GiB for inputs, outputs and scratch, but this machine has {{[0-9.]+}} GiB of memory; make the dims smaller, or run it on a larger machine
// UNCHECKED: remark: not checked: y: running it takes 512000000000512 bytes of memory, but there are only {{[0-9]+}}
// DIGITS: error: --shape: shape 'x:99999999999999999999x8' has a dim of more than 2^47, or one without digits
// MALFORMED: graph-compile: error: --shape: shape 'x:-1x8' leaves a dim open; expected a size for each
func.func @main(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %y = weir.matmul %x, %w : tensor<?x8xf32>, tensor<8x8xf32>
  return %y : tensor<?x8xf32>
}
