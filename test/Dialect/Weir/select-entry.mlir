// Without --entry all public functions are entries. An entry is called by the
// name in weir.entry, or else by its symbol.
// RUN: graph-opt %s --weir-select-entry | FileCheck %s --check-prefix=ALL
// RUN: graph-opt %s --weir-select-entry="entry=helper,main" | FileCheck %s --check-prefix=TWO
// RUN: graph-opt %s --weir-select-entry="entry=step" | FileCheck %s --check-prefix=PLANS
// RUN: not graph-opt %s --weir-select-entry="entry=other" 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not graph-opt %s --weir-select-entry="entry=main,main" 2>&1 | FileCheck %s --check-prefix=TWICE

// ALL: func.func @main(
// ALL-NOT: @helper
// ALL: func.func @step_1(
// ALL: func.func @step_2(
// TWO: func.func @main(
// TWO-NEXT: return
// TWO: func.func private @helper(
// TWO-NOT: func.func
// PLANS-NOT: @main
// PLANS: func.func @step_1(
// PLANS: func.func @step_2(
// OTHER: error: --weir-select-entry=entry names 'other', which is no function; there are 'main', 'helper', 'step'
// TWICE: error: --weir-select-entry=entry names 'main' twice; name it once
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func private @helper(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @step_1(%x: tensor<2xf32>) -> tensor<2xf32> attributes {weir.entry = "step"} {
  return %x : tensor<2xf32>
}
func.func @step_2(%x: tensor<3xf32>) -> tensor<3xf32> attributes {weir.entry = "step"} {
  return %x : tensor<3xf32>
}
