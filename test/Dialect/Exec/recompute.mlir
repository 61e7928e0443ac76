// Where scratch is above a limit, launches run twice instead of keeping values.

// RUN: graph-opt %s --split-input-file --pass-pipeline='builtin.module(exec.entry(exec-recompute{limits=cpu:0=512},exec-plan-memory,exec-verify-schedule))' 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// A limit that is met already changes nothing, nor does none.
// RUN: graph-opt %s --split-input-file --pass-pipeline='builtin.module(exec.entry(exec-recompute{limits=cpu:0=2KiB}))' | FileCheck %s --check-prefix=SAME
// RUN: graph-opt %s --split-input-file --pass-pipeline='builtin.module(exec.entry(exec-recompute))' | FileCheck %s --check-prefix=SAME
// RUN: not graph-opt %s --split-input-file --pass-pipeline='builtin.module(exec.entry(exec-recompute{limits=cpu:0}))' 2>&1 | FileCheck %s --check-prefix=LIMIT
// SAME-NOT: again
// LIMIT: error: memory cap 'cpu:0' expects DEVICE=SIZE

// %a and %b are both needed at the end, and neither at the peak. %b takes fewer
// operations. Its repetition has a buffer of its own.
// CHECK-LABEL: exec.entry @cheapest
// REMARK: remark: the scratch of cpu:0 takes 512 bytes instead of 768, because 1 launch runs again: 'b'; that adds {{[0-9.]+}} % to the predicted time
exec.entry @cheapest on ["cpu:0"] {
  %x = exec.input 0 "x" : tensor<64xf32>
  %y = exec.output 0 "y" : tensor<64xf32>
  %z = exec.output 1 "z" : tensor<64xf32>
  %a = exec.scratch 256 bytes on "cpu:0"
  %b = exec.scratch 256 bytes on "cpu:0"
  %c = exec.scratch 256 bytes on "cpu:0"
  // CHECK: %c = exec.scratch 256 bytes on "cpu:0" at [[AT:[0-9]+]]
  // CHECK-NEXT: %b.again = exec.scratch 256 bytes on "cpu:0" at [[AT]]
  // CHECK: exec.arena 512 bytes on "cpu:0" lower_bound 512
  exec.program on "cpu:0" queue compute {
    exec.launch "a" by "k"(%x : tensor<64xf32>) -> (%a : tensor<64xf32>) {} flops 1000000000
    exec.launch "b" by "k"(%x : tensor<64xf32>) -> (%b : tensor<64xf32>) {alpha = 1} inside ["i"]
    exec.tensor 0 "b" %b : tensor<64xf32>
    exec.launch "c" by "k"(%x : tensor<64xf32>) -> (%c : tensor<64xf32>) {}
    exec.launch "y" by "k"(%c : tensor<64xf32>) -> (%y : tensor<64xf32>) {}
    // CHECK: exec.launch "b" by "k"(%x : tensor<64xf32>) -> (%b : tensor<64xf32>) {alpha = 1 : i64} inside ["i"]
    // CHECK-NEXT: exec.tensor 0 "b" %b
    // CHECK: exec.launch "y"
    // CHECK-NEXT: exec.launch "b.again" by "k"(%x : tensor<64xf32>) -> (%b.again : tensor<64xf32>) {alpha = 1 : i64} {exec.again = "b"}{{$}}
    // CHECK-NEXT: exec.launch "z" by "k"(%a : tensor<64xf32>, %b.again : tensor<64xf32>)
    exec.launch "z" by "k"(%a : tensor<64xf32>, %b : tensor<64xf32>) -> (%z : tensor<64xf32>) {}
  }
}

// -----

// What a repeated launch reads is computed again, too, if it has ended.
// CHECK-LABEL: exec.entry @chain
// REMARK: because 2 launches run again: 'a', 'b';
exec.entry @chain on ["cpu:0"] {
  %x = exec.input 0 "x" : tensor<64xf32>
  %y = exec.output 0 "y" : tensor<64xf32>
  %z = exec.output 1 "z" : tensor<64xf32>
  %a = exec.scratch 256 bytes on "cpu:0"
  %b = exec.scratch 256 bytes on "cpu:0"
  %c = exec.scratch 512 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.launch "a" by "k"(%x : tensor<64xf32>) -> (%a : tensor<64xf32>) {}
    exec.launch "b" by "k"(%a : tensor<64xf32>) -> (%b : tensor<64xf32>) {}
    exec.launch "c" by "k"(%x : tensor<64xf32>) -> (%c : tensor<128xf32>) {}
    exec.launch "y" by "k"(%c : tensor<128xf32>) -> (%y : tensor<64xf32>) {}
    // CHECK: exec.launch "y"
    // CHECK-NEXT: exec.launch "a.again" by "k"(%x : tensor<64xf32>) -> (%a.again : tensor<64xf32>)
    // CHECK-NEXT: exec.launch "b.again" by "k"(%a.again : tensor<64xf32>) -> (%b.again : tensor<64xf32>)
    // CHECK-NEXT: exec.launch "z" by "k"(%b.again : tensor<64xf32>)
    exec.launch "z" by "k"(%b : tensor<64xf32>) -> (%z : tensor<64xf32>) {}
  }
}

// -----

// A launch that updates a variable, and one that reads a variable which has been
// updated since, cannot run again.
// CHECK-LABEL: exec.entry @state
weir.parameter @v : tensor<64xf32> = dense<1.0> : tensor<64xf32>
exec.entry @state on ["cpu:0"] {
  %x = exec.input 0 "x" : tensor<64xf32>
  %y = exec.output 0 "y" : tensor<64xf32>
  %z = exec.output 1 "z" : tensor<64xf32>
  %v = exec.variable @v on "cpu:0" : tensor<64xf32>
  %v_1 = exec.version %v
  %a = exec.scratch 256 bytes on "cpu:0"
  %b = exec.scratch 256 bytes on "cpu:0"
  %c = exec.scratch 256 bytes on "cpu:0"
  // CHECK: exec.arena 768 bytes
  exec.program on "cpu:0" queue compute {
    exec.launch "a" by "k"(%v : tensor<64xf32>) -> (%a : tensor<64xf32>) {}
    exec.launch "b" by "k"(%v : tensor<64xf32>) -> (%b : tensor<64xf32>, %v_1 : tensor<64xf32>) {} overwrites [-1, 0]
    exec.launch "c" by "k"(%x : tensor<64xf32>) -> (%c : tensor<64xf32>) {}
    exec.launch "y" by "k"(%c : tensor<64xf32>) -> (%y : tensor<64xf32>) {}
    // CHECK: exec.launch "y"
    // CHECK-NEXT: exec.launch "z"
    exec.launch "z" by "k"(%a : tensor<64xf32>, %b : tensor<64xf32>) -> (%z : tensor<64xf32>) {}
  }
}

// -----

// Before the update it can.
// CHECK-LABEL: exec.entry @before_update
weir.parameter @v : tensor<64xf32> = dense<1.0> : tensor<64xf32>
exec.entry @before_update on ["cpu:0"] {
  %x = exec.input 0 "x" : tensor<64xf32>
  %y = exec.output 0 "y" : tensor<64xf32>
  %v = exec.variable @v on "cpu:0" : tensor<64xf32>
  %v_1 = exec.version %v
  %a = exec.scratch 256 bytes on "cpu:0"
  %b = exec.scratch 256 bytes on "cpu:0"
  %c = exec.scratch 256 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.launch "a" by "k"(%v : tensor<64xf32>) -> (%a : tensor<64xf32>) {}
    exec.launch "b" by "k"(%x : tensor<64xf32>) -> (%b : tensor<64xf32>) {}
    exec.launch "c" by "k"(%b : tensor<64xf32>) -> (%c : tensor<64xf32>) {}
    exec.launch "y" by "k"(%c : tensor<64xf32>) -> (%y : tensor<64xf32>) {}
    // CHECK: exec.launch "y"
    // CHECK-NEXT: exec.launch "a.again" by "k"(%v : tensor<64xf32>) -> (%a.again : tensor<64xf32>)
    // CHECK-NEXT: exec.launch "new" by "k"(%a.again : tensor<64xf32>, %v : tensor<64xf32>) -> (%v_1 : tensor<64xf32>)
    exec.launch "new" by "k"(%a : tensor<64xf32>, %v : tensor<64xf32>) -> (%v_1 : tensor<64xf32>) {} overwrites [1]
  }
}

// -----

// What another device reads is kept: a repetition adds no copy. A value of the
// device itself is computed again although it depends on the other device.
// CHECK-LABEL: exec.entry @two_devices
exec.entry @two_devices on ["cpu:0", "cpu:1" {isolated}] {
  %x = exec.input 0 "x" : tensor<64xf32>
  %y = exec.output 0 "y" : tensor<64xf32>
  %z = exec.output 1 "z" : tensor<64xf32>
  %u = exec.output 2 "u" on "cpu:1" : tensor<64xf32>
  %sent = exec.scratch 256 bytes on "cpu:0"
  %there = exec.scratch 256 bytes on "cpu:1"
  %a = exec.scratch 256 bytes on "cpu:0"
  %c = exec.scratch 256 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.launch "sent" by "k"(%x : tensor<64xf32>) -> (%sent : tensor<64xf32>) {}
    exec.record 0
    exec.launch "a" by "k"(%sent : tensor<64xf32>) -> (%a : tensor<64xf32>) {}
    exec.launch "c" by "k"(%x : tensor<64xf32>) -> (%c : tensor<64xf32>) {}
    exec.launch "y" by "k"(%c : tensor<64xf32>) -> (%y : tensor<64xf32>) {}
    // CHECK: exec.launch "y"
    // CHECK-NEXT: exec.launch "a.again" by "k"(%sent : tensor<64xf32>) -> (%a.again : tensor<64xf32>)
    // CHECK-NEXT: exec.launch "z" by "k"(%a.again : tensor<64xf32>, %sent : tensor<64xf32>)
    exec.launch "z" by "k"(%a : tensor<64xf32>, %sent : tensor<64xf32>) -> (%z : tensor<64xf32>) {}
  }
  // CHECK: exec.program on "cpu:1" queue copy_in
  // CHECK: exec.copy "sent" crossing %sent to %there : 256
  // CHECK-NOT: exec.copy
  exec.program on "cpu:1" queue copy_in {
    exec.wait 0
    exec.copy "sent" crossing %sent to %there : 256
    exec.record 1
  }
  exec.program on "cpu:1" queue compute {
    exec.wait 1
    exec.launch "u" by "k"(%there : tensor<64xf32>) -> (%u : tensor<64xf32>) {}
  }
}

// -----

// If a limit cannot be met, scratch becomes as small as it gets.
// CHECK-LABEL: exec.entry @too_low
// REMARK: remark: the scratch of cpu:0 takes 1024 bytes instead of 1280, because 1 launch runs again: 'a'
exec.entry @too_low on ["cpu:0"] {
  %x = exec.input 0 "x" : tensor<64xf32>
  %y = exec.output 0 "y" : tensor<64xf32>
  %z = exec.output 1 "z" : tensor<64xf32>
  %a = exec.scratch 256 bytes on "cpu:0"
  %c = exec.scratch 1024 bytes on "cpu:0"
  // CHECK: exec.arena 1024 bytes on "cpu:0" lower_bound 1024
  exec.program on "cpu:0" queue compute {
    exec.launch "a" by "k"(%x : tensor<64xf32>) -> (%a : tensor<64xf32>) {}
    exec.launch "c" by "k"(%x : tensor<64xf32>) -> (%c : tensor<256xf32>) {}
    exec.launch "y" by "k"(%c : tensor<256xf32>) -> (%y : tensor<64xf32>) {}
    exec.launch "z" by "k"(%a : tensor<64xf32>) -> (%z : tensor<64xf32>) {}
  }
}

// -----

// The trips of a loop are left alone.
// CHECK-LABEL: exec.entry @loop
exec.entry @loop on ["cpu:0"] {
  %x = exec.input 0 "x" : tensor<64xf32>
  %z = exec.output 0 "z" : tensor<64xf32>
  %a = exec.scratch 256 bytes on "cpu:0"
  %c = exec.scratch 1024 bytes on "cpu:0"
  // CHECK: exec.arena 1280 bytes
  exec.program on "cpu:0" queue compute {
    exec.launch "a" by "k"(%x : tensor<64xf32>) -> (%a : tensor<64xf32>) {}
    exec.repeat 4 {
      exec.launch "c" by "k"(%x : tensor<64xf32>) -> (%c[0 step [256]] : tensor<64xf32>) {}
    }
    exec.launch "z" by "k"(%a : tensor<64xf32>, %c : tensor<64xf32>) -> (%z : tensor<64xf32>) {}
  }
}
