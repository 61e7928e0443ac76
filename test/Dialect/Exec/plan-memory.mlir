// Scratch buffers share bytes if their lifetimes do not overlap.

// RUN: graph-opt %s --pass-pipeline='builtin.module(exec.entry(exec-plan-memory,exec-verify-schedule))' | FileCheck %s
// RUN: graph-opt %s --pass-pipeline='builtin.module(exec.entry(exec-plan-memory))' | %python %weir_src/utils/check-memory-plan.py -

// In a chain, only neighbours are live together: 1024 + 2048 bytes at most.
// CHECK-LABEL: exec.entry @chain
exec.entry @chain on ["cpu:0"] {
  // CHECK-DAG: %a = exec.scratch 1000 bytes on "cpu:0" at [[A:[0-9]+]]
  %a = exec.scratch 1000 bytes on "cpu:0"
  // CHECK-DAG: %b = exec.scratch 2000 bytes on "cpu:0" at
  %b = exec.scratch 2000 bytes on "cpu:0"
  // CHECK-DAG: %c = exec.scratch 1000 bytes on "cpu:0" at [[A]]
  %c = exec.scratch 1000 bytes on "cpu:0"
  // CHECK-DAG: %unused = exec.scratch 1000 bytes on "cpu:0"{{$}}
  %unused = exec.scratch 1000 bytes on "cpu:0"
  // CHECK: exec.arena 3072 bytes on "cpu:0" lower_bound 3072
  exec.program on "cpu:0" queue compute {
    exec.fill "a" %a : 1000
    exec.copy "b" %a to %b : 1000
    exec.copy "c" %b to %c : 1000
  }
}

// The owner of %a does not know when the other device has read it, so nothing
// may take its bytes: 256 for each of %a and %b.
// CHECK-LABEL: exec.entry @unseen_reader
exec.entry @unseen_reader on ["cpu:0", "cpu:1"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  %b = exec.scratch 16 bytes on "cpu:0"
  %c = exec.scratch 16 bytes on "cpu:1"
  // CHECK: exec.arena 512 bytes on "cpu:0" lower_bound 512
  // CHECK: exec.arena 256 bytes on "cpu:1" lower_bound 256
  exec.program on "cpu:0" queue compute {
    exec.fill "a" %a : 16
    exec.record 0
    exec.fill "b" %b : 16
  }
  exec.program on "cpu:1" queue compute {
    exec.wait 0
    exec.copy "c" %a to %c : 16
  }
}

// With a wait after the read, it knows.
// CHECK-LABEL: exec.entry @seen_reader
exec.entry @seen_reader on ["cpu:0", "cpu:1"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  %b = exec.scratch 16 bytes on "cpu:0"
  %c = exec.scratch 16 bytes on "cpu:1"
  // CHECK: exec.arena 256 bytes on "cpu:0" lower_bound 256
  exec.program on "cpu:0" queue compute {
    exec.fill "a" %a : 16
    exec.record 0
    exec.wait 1
    exec.fill "b" %b : 16
  }
  exec.program on "cpu:1" queue compute {
    exec.wait 0
    exec.copy "c" %a to %c : 16
    exec.record 1
  }
}
