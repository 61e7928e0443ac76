// With more runs in flight, buffers of one queue share bytes over all runs, and
// each run has its own bytes for the others. A cap counts both.

// RUN: graph-opt %s --pass-pipeline='builtin.module(exec.entry(exec-plan-memory{in-flight=3},exec-verify-schedule))' | FileCheck %s
// RUN: graph-opt %s --pass-pipeline='builtin.module(exec.entry(exec-plan-memory{in-flight=3}))' | %python %weir_src/utils/check-memory-plan.py -
// RUN: graph-opt %s --pass-pipeline='builtin.module(exec.entry(exec-plan-memory{in-flight=3},exec-plan-memory{in-flight=1}))' | FileCheck %s --check-prefix=ONE
// RUN: graph-opt %s --pass-pipeline='builtin.module(exec.entry(exec-plan-memory{in-flight=3}),exec-check-memory{memory-cap=cpu:0=1792})' | FileCheck %s
// RUN: not graph-opt %s --pass-pipeline='builtin.module(exec.entry(exec-plan-memory{in-flight=3}),exec-check-memory{memory-cap=cpu:0=1791})' 2>&1 | FileCheck %s --check-prefix=CAP

// CAP: error: device "cpu:0" has a memory cap of 1791 bytes (--memory-cap=cpu:0=1791), but the model holds 1792 bytes (1024 of scratch, 768 of scratch of runs in flight); pass --memory-cap=cpu:0=1792 or more
// CAP: note: the scratch of queue 0 takes 1024 bytes in entry 'main'; at its peak it holds 'a' (512 bytes), 'b' (512 bytes)
// CAP: note: the scratch, which each of 3 runs in flight has, takes 256 bytes in entry 'main'; at its peak it holds 'c' (256 bytes)

// CHECK: exec.entry @main on ["cpu:0", "cpu:1"] in_flight 3 {
// ONE: exec.entry @main on ["cpu:0", "cpu:1"] {
exec.entry @main on ["cpu:0", "cpu:1"] {
  // CHECK-DAG: %a = exec.scratch 512 bytes on "cpu:0" queue 0 at
  // ONE-DAG: %a = exec.scratch 512 bytes on "cpu:0" at
  %a = exec.scratch 512 bytes on "cpu:0"
  // CHECK-DAG: %b = exec.scratch 512 bytes on "cpu:0" queue 0 at
  %b = exec.scratch 512 bytes on "cpu:0"
  // CHECK-DAG: %c = exec.scratch 256 bytes on "cpu:0" at 0
  %c = exec.scratch 256 bytes on "cpu:0"
  // CHECK-DAG: %y = exec.output 0
  %y = exec.output 0 "y" on "cpu:1" : tensor<64xf32>
  // CHECK-DAG: exec.arena 1024 bytes on "cpu:0" queue 0 lower_bound 1024
  // CHECK-DAG: exec.arena 256 bytes on "cpu:0" lower_bound 256
  // ONE: exec.arena 1024 bytes on "cpu:0" lower_bound 1024
  // ONE-NOT: exec.arena
  exec.program on "cpu:0" queue 0 {
    exec.fill "a" %a : 512
    exec.copy "b" %a to %b : 512
    exec.copy "c" %b to %c : 256
    exec.record 0
  }
  exec.program on "cpu:1" queue 0 {
    exec.wait 0
    exec.copy "y" %c to %y : 256
  }
}
