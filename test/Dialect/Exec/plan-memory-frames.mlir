// With more runs in flight, buffers of one queue share bytes over all runs, and
// each run has its own bytes for the others.

// RUN: graph-opt %s --pass-pipeline='builtin.module(exec.entry(exec-plan-memory{in-flight=3},exec-verify-schedule))' | FileCheck %s
// RUN: graph-opt %s --pass-pipeline='builtin.module(exec.entry(exec-plan-memory{in-flight=3}))' | %python %weir_src/utils/check-memory-plan.py -
// RUN: graph-opt %s --pass-pipeline='builtin.module(exec.entry(exec-plan-memory{in-flight=3},exec-plan-memory{in-flight=1}))' | FileCheck %s --check-prefix=ONE

// CHECK: exec.entry @main on ["cpu:0", "cpu:1"] in_flight 3 {
// ONE: exec.entry @main on ["cpu:0", "cpu:1"] {
exec.entry @main on ["cpu:0", "cpu:1"] {
  // CHECK-DAG: %a = exec.scratch 512 bytes on "cpu:0" queue compute at
  // ONE-DAG: %a = exec.scratch 512 bytes on "cpu:0" at
  %a = exec.scratch 512 bytes on "cpu:0"
  // CHECK-DAG: %b = exec.scratch 512 bytes on "cpu:0" queue compute at
  %b = exec.scratch 512 bytes on "cpu:0"
  // CHECK-DAG: %c = exec.scratch 256 bytes on "cpu:0" at 0
  %c = exec.scratch 256 bytes on "cpu:0"
  // CHECK-DAG: %y = exec.output 0
  %y = exec.output 0 "y" on "cpu:1" : tensor<64xf32>
  // CHECK-DAG: exec.arena 1024 bytes on "cpu:0" queue compute lower_bound 1024
  // CHECK-DAG: exec.arena 256 bytes on "cpu:0" lower_bound 256
  // ONE: exec.arena 1024 bytes on "cpu:0" lower_bound 1024
  // ONE-NOT: exec.arena
  exec.program on "cpu:0" queue compute {
    exec.fill "a" %a : 512
    exec.copy "b" %a to %b : 512
    exec.copy "c" %b to %c : 256
    exec.record 0
  }
  exec.program on "cpu:1" queue compute {
    exec.wait 0
    exec.copy "y" %c to %y : 256
  }
}
