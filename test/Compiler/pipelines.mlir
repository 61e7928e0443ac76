// The phases and the whole are pipelines by name.
// RUN: graph-opt %s --weir-phase-lifted --weir-phase-graph --weir-phase-grouped | FileCheck %s
// RUN: %exits 1 graph-opt %s --weir-phase-placed 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LEFT-OUT
// RUN: graph-opt %s --weir-pipeline | FileCheck %s --check-prefix=WHOLE

// A phase that was left out is named.
// LEFT-OUT: error: 'weir.relu' op is outside of a group; run weir-phase-grouped first
// CHECK: weir.group
// WHOLE: exec.launch "y" by "generated"
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %y = weir.relu %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
