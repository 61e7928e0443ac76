// The constants of a composite's body, here 1/18 twice and epsilon, become
// operands of the lowered group, each once; the whole compiles and runs. In
// generated code they are part of the code.

// RUN: echo '{"devices": [{"name": "cpu:0", "excluded_kernels": ["generated"]}]}' > %t.json
// RUN: graph-compile %s --topology=%t.json --allow-reference --emit=lowered | FileCheck %s
// RUN: graph-compile %s --topology=%t.json --allow-reference -o %t.weir && graph-run %t.weir --input x=random --input s=random --input b=random --json | FileCheck %s --check-prefix=RUNS
// RUN: graph-compile %s --emit=lowered | FileCheck %s --check-prefix=CODE
// RUN: graph-compile %s -o %t.weir && graph-run %t.weir --input x=random --input s=random --input b=random --json | FileCheck %s --check-prefix=RUNS

// CODE-NOT: weir.constant
// CODE: weir.launch "generated"

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
