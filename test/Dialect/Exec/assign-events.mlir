// Commands of different queues that touch the same buffer are ordered by the
// fewest events.

// RUN: graph-opt %s --split-input-file --pass-pipeline='builtin.module(exec.entry(exec-assign-events))' | FileCheck %s
// RUN: graph-opt %s --split-input-file --pass-pipeline='builtin.module(exec.entry(exec-assign-events,exec-assign-events,exec-verify-schedule))' | FileCheck %s

// A reader on another device waits for the writer; the second reader behind it
// need not. An event that was there is dropped.
// CHECK-LABEL: exec.entry @one_wait
exec.entry @one_wait on ["cpu:0", "cpu:1"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  %b = exec.scratch 16 bytes on "cpu:0"
  %c = exec.scratch 16 bytes on "cpu:1"
  // CHECK: exec.program on "cpu:0" queue compute {
  exec.program on "cpu:0" queue compute {
    // CHECK-NEXT: exec.launch "a"{{.*}}
    exec.launch "a" by "k"() -> (%a : tensor<4xf32>) {}
    // CHECK-NEXT: exec.launch "b"{{.*}}
    exec.launch "b" by "k"() -> (%b : tensor<4xf32>) {}
    // CHECK-NEXT: exec.record 0
    // CHECK-NEXT: }
    exec.record 1
  }
  // CHECK-NEXT: exec.program on "cpu:1" queue compute {
  exec.program on "cpu:1" queue compute {
    // CHECK-NEXT: exec.wait 0
    // CHECK-NEXT: exec.launch "c"{{.*}}
    exec.launch "c" by "k"(%b : tensor<4xf32>) -> (%c : tensor<4xf32>) {}
    // CHECK-NEXT: exec.launch "d"{{.*}}
    exec.wait 1
    exec.launch "d" by "k"(%a : tensor<4xf32>) -> (%c : tensor<4xf32>) {}
    // CHECK-NEXT: }
  }
}

// -----

// The wait comes before the copy of 0 bytes, which passes the value on.
// CHECK-LABEL: exec.entry @shared_crossing
exec.entry @shared_crossing on ["cpu:0", "cpu:1"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  %b = exec.alias %a on "cpu:1"
  %c = exec.scratch 16 bytes on "cpu:1"
  exec.program on "cpu:0" queue compute {
    exec.launch "a" by "k"() -> (%a : tensor<4xf32>) {}
  }
  // CHECK: exec.program on "cpu:1" queue compute {
  exec.program on "cpu:1" queue compute {
    // CHECK-NEXT: exec.wait 0
    // CHECK-NEXT: exec.copy "a to cpu:1" crossing
    exec.copy "a to cpu:1" crossing %a to %b : 0
    // CHECK-NEXT: exec.launch "c"{{.*}}
    exec.launch "c" by "k"(%b : tensor<4xf32>) -> (%c : tensor<4xf32>) {}
  }
}

// -----

// A parameter is assigned only after its readers on other queues.
weir.parameter @state : tensor<4xf32> from "w.safetensors"
// CHECK-LABEL: exec.entry @variable
exec.entry @variable on ["cpu:0", "cpu:1"] {
  %s = exec.variable @state on "cpu:0" : tensor<4xf32>
  %s1 = exec.version %s
  %a = exec.scratch 16 bytes on "cpu:0"
  %b = exec.scratch 16 bytes on "cpu:1"
  // CHECK: exec.program on "cpu:0" queue compute {
  exec.program on "cpu:0" queue compute {
    // CHECK-NEXT: exec.launch "a"{{.*}}
    exec.launch "a" by "k"() -> (%a : tensor<4xf32>) {}
    // CHECK-NEXT: exec.wait 0
    // CHECK-NEXT: exec.copy "assign state"
    exec.copy "assign state" %a to %s1 : 16
  }
  // CHECK: exec.program on "cpu:1" queue compute {
  exec.program on "cpu:1" queue compute {
    // CHECK-NEXT: exec.launch "b"{{.*}}
    // CHECK-NEXT: exec.record 0
    exec.launch "b" by "k"(%s : tensor<4xf32>) -> (%b : tensor<4xf32>) {}
  }
}

// -----

// A launch updates a variable in place as soon as all others have read it. Who
// reads the new contents waits for the update.
weir.parameter @state : tensor<4xf32> from "w.safetensors"
// CHECK-LABEL: exec.entry @in_place
exec.entry @in_place on ["cpu:0", "cpu:1"] {
  %s = exec.variable @state on "cpu:0" : tensor<4xf32>
  %s1 = exec.version %s
  %s2 = exec.version %s1
  %b = exec.scratch 16 bytes on "cpu:1"
  %c = exec.scratch 16 bytes on "cpu:1"
  // CHECK: exec.program on "cpu:0" queue compute {
  exec.program on "cpu:0" queue compute {
    // CHECK-NEXT: exec.wait [[READ:[0-9]+]]
    // CHECK-NEXT: exec.launch "update"
    // CHECK-NEXT: exec.record [[UPDATED:[0-9]+]]
    exec.launch "update" by "k"(%s : tensor<4xf32>) -> (%s1 : tensor<4xf32>) {} overwrites [0]
    // CHECK-NEXT: exec.wait [[AGAIN:[0-9]+]]
    // CHECK-NEXT: exec.fill "clear"
    exec.fill "clear" %s2 : 16
  }
  // CHECK: exec.program on "cpu:1" queue compute {
  exec.program on "cpu:1" queue compute {
    // CHECK-NEXT: exec.copy "old"
    // CHECK-NEXT: exec.record [[READ]]
    exec.copy "old" %s to %b : 16
    // CHECK-NEXT: exec.wait [[UPDATED]]
    // CHECK-NEXT: exec.copy "new"
    // CHECK-NEXT: exec.record [[AGAIN]]
    exec.copy "new" %s1 to %c : 16
  }
}
