// A value that is read above its definition, or by the op that makes it, is told
// of in the words of a graph.
// RUN: rm -rf %t && split-file %s %t
// RUN: not graph-compile %t/below.mlir 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not graph-compile %t/itself.mlir 2>&1 | FileCheck %s --check-prefix=SELF

// BELOW: below.mlir:2:8: error: reads 'h', which is defined below it; move the definition up, and break the cycle if there is one (at 'y')
// BELOW-NOT: dominate
// SELF: itself.mlir:2:8: error: reads 'y', which is its own result; a graph has no cycles
//--- below.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = weir.add %x, %h : tensor<4xf32>, tensor<4xf32>
  %h = weir.relu %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
//--- itself.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = weir.add %x, %y : tensor<4xf32>, tensor<4xf32>
  return %y : tensor<4xf32>
}
