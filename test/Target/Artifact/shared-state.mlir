// Entries share kernels and variables. A parameter that one entry assigns
// cannot be read as a constant by another.

// RUN: rm -rf %t && mkdir -p %t && split-file %s %t
// RUN: graph-opt %t/good.mlir -exec-write-artifact=output=%t/good.weir -o /dev/null
// RUN: graph-dump %t/good.weir | FileCheck %s
// RUN: not graph-opt %t/constant.mlir -exec-write-artifact=output=%t/no.weir 2>&1 | FileCheck %s --check-prefix=CONSTANT
// RUN: not graph-opt %t/moved.mlir -exec-write-artifact=output=%t/no.weir 2>&1 | FileCheck %s --check-prefix=MOVED

// CHECK: variable w on cpu:1
// CHECK-NEXT: kernel 0 binary
// CHECK-NEXT: "algorithm" = "binary_add"
// CHECK-NEXT: entry step
// CHECK: launch next: kernel 0 binary (variable w, variable w) -> (output y)
// CHECK: copy assign w: output y -> variable w, 16 bytes
// CHECK: entry predict
// CHECK-NOT: {{kernel [0-9]+ binary:}}
// CHECK: launch twice: kernel 0 binary (variable w, variable w) -> (output y)

// CONSTANT: reads @w as a parameter that never changes; declare it as exec.variable
// CONSTANT: note: an entry assigns it here

// MOVED: 'exec.variable' op is on cpu:0; another entry has it on cpu:1, and the bytes of a variable exist once

//--- good.mlir
weir.parameter @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
exec.entry @step on ["cpu:0", "cpu:1"] {
  %w = exec.variable @w on "cpu:1" : tensor<4xf32>
  %w1 = exec.version %w
  %y = exec.output 0 "y" on "cpu:1" : tensor<4xf32>
  exec.program on "cpu:1" queue compute {
    exec.launch "next" by "binary"(%w : tensor<4xf32>, %w : tensor<4xf32>) -> (%y : tensor<4xf32>) {algorithm = "binary_add"}
    exec.copy "assign w" %y to %w1 : 16
  }
}
exec.entry @predict on ["cpu:0", "cpu:1"] {
  %w = exec.variable @w on "cpu:1" : tensor<4xf32>
  %y = exec.output 0 "y" on "cpu:1" : tensor<4xf32>
  exec.program on "cpu:1" queue compute {
    exec.launch "twice" by "binary"(%w : tensor<4xf32>, %w : tensor<4xf32>) -> (%y : tensor<4xf32>) {algorithm = "binary_add"}
  }
}

//--- constant.mlir
weir.parameter @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
exec.entry @predict on ["cpu:0"] {
  %w = exec.parameter @w on "cpu:0" : tensor<4xf32>
  %y = exec.output 0 "y" on "cpu:0" : tensor<4xf32>
  exec.program on "cpu:0" queue compute {
    exec.copy "w" %w to %y : 16
  }
}
exec.entry @step on ["cpu:0"] {
  %w = exec.variable @w on "cpu:0" : tensor<4xf32>
  %w1 = exec.version %w
  exec.program on "cpu:0" queue compute {
    exec.fill "w" %w1 : 16
  }
}

//--- moved.mlir
weir.parameter @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
exec.entry @step on ["cpu:0", "cpu:1"] {
  %w = exec.variable @w on "cpu:1" : tensor<4xf32>
  %w1 = exec.version %w
  exec.program on "cpu:1" queue compute {
    exec.fill "w" %w1 : 16
  }
}
exec.entry @clear on ["cpu:0", "cpu:1"] {
  %w = exec.variable @w on "cpu:0" : tensor<4xf32>
  %w1 = exec.version %w
  exec.program on "cpu:0" queue compute {
    exec.fill "w" %w1 : 16
  }
}
