// Passes that need sizes say so where one is unknown.
// RUN: %exits 1 graph-opt %s --weir-assign-layouts 2>&1 | FileCheck %s
// RUN: %exits 1 graph-opt %s --weir-phase-graph 2>&1 | FileCheck %s
// RUN: %exits 1 graph-opt %s --weir-form-groups 2>&1 | FileCheck %s
// RUN: %exits 1 graph-opt %s --weir-phase-grouped 2>&1 | FileCheck %s
// RUN: %exits 1 graph-opt %s --weir-lower-precision 2>&1 | FileCheck %s
// CHECK: error: input 'x' has an unknown dim; run weir-bind-shapes first
func.func @main(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %y = weir.exp %x : tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}
