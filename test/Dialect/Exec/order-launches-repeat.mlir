// RUN: graph-opt %s --pass-pipeline='builtin.module(exec.entry(exec-order-launches))' | FileCheck %s

// Commands that are repeated have events that this pass does not know.
// CHECK-LABEL: exec.entry @repeats
exec.entry @repeats on ["cpu:0"] {
  %a = exec.scratch 32 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // CHECK: exec.repeat 2 {
    // CHECK-NEXT: exec.launch "a"
    // CHECK-NEXT: exec.record 0 step [1]
    exec.repeat 2 {
      exec.launch "a" by "k"() -> (%a[0 step [16]] : tensor<4xf32>) {}
      exec.record 0 step [1]
    }
  }
}
