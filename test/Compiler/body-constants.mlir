// The constants of a composite's body, here 1/18 twice and epsilon, become
// operands of the lowered group, each once; the whole compiles and runs.

// RUN: graph-compile %s --allow-reference --emit=lowered | FileCheck %s
// RUN: graph-compile %s --allow-reference -o %t.weir && graph-run %t.weir --input x=random --input s=random --input b=random --json | FileCheck %s --check-prefix=RUNS

// RUNS: "launches":
// CHECK-DAG: weir.constant dense<0.055555556> : tensor<f32>
// CHECK-DAG: weir.constant dense<9.99999974E-6> : tensor<f32>
// CHECK-NOT: weir.constant
func.func @main(%x: tensor<2x4x3x3xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>)
    -> tensor<2x4x3x3xf32> {
  %y = weir.group_norm %x, %s, %b {groups = 2}
      : tensor<2x4x3x3xf32>, tensor<4xf32>, tensor<4xf32>
  return %y : tensor<2x4x3x3xf32>
}
