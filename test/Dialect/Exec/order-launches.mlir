// The order of commands follows from the contents that they read and write.

// RUN: graph-opt %s --split-input-file --pass-pipeline='builtin.module(exec.entry(exec-order-launches))' | FileCheck %s
// RUN: graph-opt %s --split-input-file --pass-pipeline='builtin.module(exec.entry(exec-order-launches,exec-order-launches,exec-assign-events,exec-plan-memory,exec-verify-schedule))' | FileCheck %s --check-prefix=PROVEN
// PROVEN-COUNT-10: exec.program

// An order that can be kept is kept, even if another one were possible.
// CHECK-LABEL: exec.entry @kept
exec.entry @kept on ["cpu:0"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  %b = exec.scratch 16 bytes on "cpu:0"
  %c = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // CHECK: exec.launch "b"
    // CHECK-NEXT: exec.launch "a"
    // CHECK-NEXT: exec.launch "c"
    exec.launch "b" by "k"() -> (%b : tensor<4xf32>) {}
    exec.launch "a" by "k"() -> (%a : tensor<4xf32>) {}
    exec.launch "c" by "k"(%a : tensor<4xf32>) -> (%c : tensor<4xf32>) {}
  }
}

// -----

// An update moves behind a launch that reads the old value; its tensor goes
// with it, and the numbers of tensors still increase. What reads the new value
// comes after it.
// CHECK-LABEL: exec.entry @moved_back
weir.parameter @w : tensor<4xf32> from "w.safetensors"
exec.entry @moved_back on ["cpu:0"] {
  %w = exec.variable @w on "cpu:0" : tensor<4xf32>
  %w_1 = exec.version %w
  %g = exec.scratch 16 bytes on "cpu:0"
  %x = exec.scratch 16 bytes on "cpu:0"
  %y = exec.scratch 16 bytes on "cpu:0"
  %z = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // CHECK: exec.launch "g"
    // CHECK-NEXT: exec.launch "between"
    // CHECK-NEXT: exec.tensor 0 "y"
    // CHECK-NEXT: exec.launch "reader"
    // CHECK-NEXT: exec.tensor 1 "x"
    // CHECK-NEXT: exec.launch "update"
    // CHECK-NEXT: exec.tensor 2 "w2"
    // CHECK-NEXT: exec.tensor 3 "again"
    // CHECK-NEXT: exec.launch "new"
    exec.launch "g" by "k"(%w : tensor<4xf32>) -> (%g : tensor<4xf32>) {}
    exec.launch "update" by "k"(%w : tensor<4xf32>, %g : tensor<4xf32>) -> (%w_1 : tensor<4xf32>) {} overwrites [0]
    exec.tensor 0 "w2" %w_1 : tensor<4xf32>
    exec.tensor 1 "again" %w_1 : tensor<4xf32>
    exec.launch "new" by "k"(%w_1 : tensor<4xf32>) -> (%z : tensor<4xf32>) {}
    exec.launch "between" by "k"(%g : tensor<4xf32>) -> (%y : tensor<4xf32>) {}
    exec.tensor 2 "y" %y : tensor<4xf32>
    exec.launch "reader" by "k"(%w : tensor<4xf32>, %y : tensor<4xf32>) -> (%x : tensor<4xf32>) {}
    exec.tensor 3 "x" %x : tensor<4xf32>
  }
}

// -----

// A copy of the old value to an output needs no scratch. It moves in front.
// CHECK-LABEL: exec.entry @moved_forward
weir.parameter @w : tensor<4xf32> from "w.safetensors"
exec.entry @moved_forward on ["cpu:0"] {
  %old = exec.output 0 "old" on "cpu:0" : tensor<4xf32>
  %w = exec.variable @w on "cpu:0" : tensor<4xf32>
  %w_1 = exec.version %w
  %g = exec.scratch 16 bytes on "cpu:0"
  %y = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // CHECK: exec.launch "g"
    // CHECK-NEXT: exec.copy "old"
    // CHECK-NEXT: exec.launch "update"
    // CHECK-NEXT: exec.launch "y"
    exec.launch "g" by "k"(%w : tensor<4xf32>) -> (%g : tensor<4xf32>) {}
    exec.launch "update" by "k"(%w : tensor<4xf32>, %g : tensor<4xf32>) -> (%w_1 : tensor<4xf32>) {} overwrites [0]
    exec.launch "y" by "k"() -> (%y : tensor<4xf32>) {}
    exec.copy "old" %w to %old : 16
  }
}

// -----

// Bytes can be written several times: writers follow writers, too.
// CHECK-LABEL: exec.entry @versions
exec.entry @versions on ["cpu:0"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  %a_1 = exec.version %a
  %a_2 = exec.version %a_1
  %y = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // CHECK: exec.launch "first"
    // CHECK-NEXT: exec.launch "second"
    // CHECK-NEXT: exec.launch "third"
    // CHECK-NEXT: exec.launch "reader"
    exec.launch "reader" by "k"(%a_2 : tensor<4xf32>) -> (%y : tensor<4xf32>) {}
    exec.launch "third" by "k"() -> (%a_2 : tensor<4xf32>) {}
    exec.launch "second" by "k"() -> (%a_1 : tensor<4xf32>) {}
    exec.launch "first" by "k"() -> (%a : tensor<4xf32>) {}
  }
}

// -----

// A version that nothing writes has the contents before it: its readers follow
// their writers, and the writer of the next version follows all readers.
// CHECK-LABEL: exec.entry @unwritten_version
exec.entry @unwritten_version on ["cpu:0"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  %a_1 = exec.version %a
  %a_2 = exec.version %a_1
  %y = exec.scratch 16 bytes on "cpu:0"
  %z = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // CHECK: exec.launch "first"
    // CHECK-NEXT: exec.launch "reader of 1"
    // CHECK-NEXT: exec.launch "reader of 0"
    // CHECK-NEXT: exec.launch "second"
    exec.launch "second" by "k"() -> (%a_2 : tensor<4xf32>) {}
    exec.launch "reader of 1" by "k"(%a_1 : tensor<4xf32>) -> (%y : tensor<4xf32>) {}
    exec.launch "reader of 0" by "k"(%a : tensor<4xf32>) -> (%z : tensor<4xf32>) {}
    exec.launch "first" by "k"() -> (%a : tensor<4xf32>) {}
  }
}

// -----

// The launch whose value crosses comes first, although the text has it last. A
// reader of the alias stays behind the crossing. Events are dropped.
// CHECK-LABEL: exec.entry @crossing_first
exec.entry @crossing_first on ["cpu:0", "cpu:1"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  %a2 = exec.scratch 16 bytes on "cpu:0"
  %b = exec.scratch 16 bytes on "cpu:0"
  %b_1 = exec.alias %b on "cpu:1"
  %c = exec.scratch 16 bytes on "cpu:1"
  // CHECK: exec.program on "cpu:0" queue compute {
  exec.program on "cpu:0" queue compute {
    // CHECK-NEXT: exec.launch "b"
    // CHECK-NEXT: exec.launch "a"
    // CHECK-NEXT: exec.launch "a2"{{.*}}
    // CHECK-NEXT: }
    exec.launch "a" by "k"() -> (%a : tensor<4xf32>) {}
    exec.launch "a2" by "k"(%a : tensor<4xf32>) -> (%a2 : tensor<4xf32>) {}
    exec.launch "b" by "k"() -> (%b : tensor<4xf32>) {}
    exec.record 0
  }
  // CHECK: exec.program on "cpu:1" queue compute {
  exec.program on "cpu:1" queue compute {
    // CHECK-NEXT: exec.copy "b to cpu:1"
    // CHECK-NEXT: exec.launch "c"{{.*}}
    // CHECK-NEXT: }
    exec.wait 0
    exec.launch "c" by "k"(%b_1 : tensor<4xf32>) -> (%c : tensor<4xf32>) {}
    exec.copy "b to cpu:1" crossing %b to %b_1 : 0
  }
}

// -----

// While a value is on the other device, local work is done.
// CHECK-LABEL: exec.entry @there_and_back
exec.entry @there_and_back on ["cpu:0", "cpu:1"] {
  %a = exec.scratch 4096 bytes on "cpu:0"
  %a_1 = exec.alias %a on "cpu:1"
  %b = exec.scratch 4096 bytes on "cpu:1"
  %b_1 = exec.alias %b on "cpu:0"
  %c = exec.scratch 4096 bytes on "cpu:0"
  %c_1 = exec.alias %c on "cpu:1"
  %d = exec.scratch 4096 bytes on "cpu:1"
  %local = exec.scratch 4096 bytes on "cpu:0"
  // CHECK: exec.program on "cpu:0" queue compute {
  exec.program on "cpu:0" queue compute {
    // CHECK-NEXT: exec.launch "a"
    // CHECK-NEXT: exec.launch "local"
    // CHECK-NEXT: exec.copy "b to cpu:0"
    // CHECK-NEXT: exec.launch "c"
    exec.launch "a" by "k"() -> (%a : tensor<1024xf32>) {}
    exec.copy "b to cpu:0" crossing %b to %b_1 : 0
    exec.launch "c" by "k"(%b_1 : tensor<1024xf32>) -> (%c : tensor<1024xf32>) {}
    exec.launch "local" by "k"() -> (%local : tensor<1024xf32>) {}
  }
  exec.program on "cpu:1" queue compute {
    exec.copy "a to cpu:1" crossing %a to %a_1 : 0
    exec.launch "b" by "k"(%a_1 : tensor<1024xf32>) -> (%b : tensor<1024xf32>) {}
    exec.copy "c to cpu:1" crossing %c to %c_1 : 0
    exec.launch "d" by "k"(%c_1 : tensor<1024xf32>) -> (%d : tensor<1024xf32>) {}
  }
}

// -----

// Gradients of weights lead to no crossing, but the first one frees "a2". It
// goes before "d2", which would hold more than the order of the text does. The
// second one goes last, since "d1" fits.
// CHECK-LABEL: exec.entry @scratch_is_limited
exec.entry @scratch_is_limited on ["cpu:0", "cpu:1"] {
  %a1 = exec.scratch 4096 bytes on "cpu:0"
  %a2 = exec.scratch 4096 bytes on "cpu:0"
  %a3 = exec.scratch 4096 bytes on "cpu:0"
  %d2 = exec.scratch 4096 bytes on "cpu:0"
  %d1 = exec.scratch 4096 bytes on "cpu:0"
  %d1_1 = exec.alias %d1 on "cpu:1"
  %w3 = exec.scratch 16 bytes on "cpu:0"
  %w2 = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // CHECK: exec.launch "a3"
    // CHECK-NEXT: exec.launch "w3"
    // CHECK-NEXT: exec.launch "d2"
    // CHECK-NEXT: exec.launch "d1"
    // CHECK-NEXT: exec.launch "w2"
    exec.launch "a1" by "k"() -> (%a1 : tensor<1024xf32>) {}
    exec.launch "a2" by "k"(%a1 : tensor<1024xf32>) -> (%a2 : tensor<1024xf32>) {}
    exec.launch "a3" by "k"(%a2 : tensor<1024xf32>) -> (%a3 : tensor<1024xf32>) {}
    exec.launch "w3" by "k"(%a2 : tensor<1024xf32>, %a3 : tensor<1024xf32>) -> (%w3 : tensor<4xf32>) {}
    exec.launch "d2" by "k"(%a3 : tensor<1024xf32>) -> (%d2 : tensor<1024xf32>) {}
    exec.launch "w2" by "k"(%a1 : tensor<1024xf32>, %d2 : tensor<1024xf32>) -> (%w2 : tensor<4xf32>) {}
    exec.launch "d1" by "k"(%d2 : tensor<1024xf32>) -> (%d1 : tensor<1024xf32>) {}
  }
  exec.program on "cpu:1" queue compute {
    exec.copy "d1 to cpu:1" crossing %d1 to %d1_1 : 0
  }
}

// -----

// An update of a variable ends the use of its gradient, so it moves up behind
// the last launch that computes a part of that, and behind the last reader of the
// old value. The fill of a gap moves up, too, but brings nothing into use.
// CHECK-LABEL: exec.entry @update
// CHECK: exec.launch "first"
// CHECK-NEXT: exec.fill "gap"
// CHECK-NEXT: exec.launch "second"
// CHECK-NEXT: exec.launch "reader"
// CHECK-NEXT: exec.launch "update"
// CHECK-NEXT: exec.launch "other"
// CHECK-NEXT: exec.launch "y"
weir.parameter @w : tensor<48xf32> = dense<1.0> : tensor<48xf32>
exec.entry @update on ["cpu:0"] {
  %x = exec.input 0 "x" : tensor<16xf32>
  %y = exec.output 0 "y" : tensor<48xf32>
  %w = exec.variable @w on "cpu:0" : tensor<48xf32>
  %next = exec.version %w
  %gradient = exec.scratch 256 bytes on "cpu:0"
  %a = exec.scratch 256 bytes on "cpu:0"
  %b = exec.scratch 256 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.launch "first" by "k"(%x : tensor<16xf32>) -> (%gradient : tensor<16xf32>) {}
    exec.launch "second" by "k"(%x : tensor<16xf32>) -> (%gradient[128] : tensor<16xf32>) {}
    exec.launch "reader" by "k"(%w : tensor<48xf32>) -> (%a : tensor<48xf32>) {}
    exec.launch "other" by "k"(%a : tensor<48xf32>) -> (%b : tensor<48xf32>) {}
    exec.launch "y" by "k"(%b : tensor<48xf32>) -> (%y : tensor<48xf32>) {}
    exec.fill "gap" %gradient[64] : 64
    exec.launch "update" by "k"(%w : tensor<48xf32>, %gradient : tensor<48xf32>) -> (%next : tensor<48xf32>) {} overwrites [0]
  }
}

// -----

// A launch that computes a later part of a buffer stays behind the first one:
// it would bring the buffer into use while others need the memory.
// CHECK-LABEL: exec.entry @parts
// CHECK: exec.launch "x"
// CHECK-NEXT: exec.launch "between"
// CHECK-NEXT: exec.launch "first"
// CHECK-NEXT: exec.launch "second"
exec.entry @parts on ["cpu:0"] {
  %a = exec.scratch 256 bytes on "cpu:0"
  %b = exec.scratch 256 bytes on "cpu:0"
  %parts = exec.scratch 512 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.launch "x" by "k"() -> (%a : tensor<64xf32>) {}
    exec.launch "between" by "k"(%a : tensor<64xf32>) -> (%b : tensor<64xf32>) {}
    exec.launch "first" by "k"(%b : tensor<64xf32>) -> (%parts : tensor<64xf32>) {}
    exec.launch "second" by "k"(%a : tensor<64xf32>) -> (%parts[256] : tensor<64xf32>) {}
  }
}
