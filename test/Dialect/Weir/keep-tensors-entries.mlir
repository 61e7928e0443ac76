// Tensors of all entries are kept, or of the one that is named.
// RUN: graph-opt %s --weir-keep-tensors="keep=y" | FileCheck %s --check-prefix=ALL
// RUN: graph-opt %s --weir-keep-tensors="keep=step/*" | FileCheck %s --check-prefix=ONE
// RUN: not graph-opt %s --weir-keep-tensors="keep=step/w" 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: error: --weir-keep-tensors=keep: keep pattern 'step/w' fits no tensor; {{.*}}he tensors are 'main/y', 'step/y'
// ALL: func.func @main
// ALL: weir.keep %y
// ONE: func.func @main
// ONE-NOT: weir.keep
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = weir.relu %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
// ALL: func.func @step
// ALL: weir.keep %y
// ONE: func.func @step
// ONE: weir.keep %y
func.func @step(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = weir.neg %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
