// Races and hangs are errors that name both commands and their devices.

// RUN: graph-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(exec.entry(exec-verify-schedule))'

// A missing wait.
exec.entry @no_wait on ["cpu:0", "cpu:1"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  %c = exec.scratch 16 bytes on "cpu:1"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{write after read without an order: 'two' on cpu:1 queue copy_in and 'one' on cpu:0 touch bytes 0 to 16 of 'a'; an event must order them}}
    exec.fill "one" %a : 16
  }
  exec.program on "cpu:1" queue copy_in {
    // expected-note @+1 {{the first of the two}}
    exec.copy "two" %a to %c : 16
  }
}

// -----

// Two buffers that share bytes of an arena: the second is written while the
// other device may still read the first.
exec.entry @overlap on ["cpu:0", "cpu:1"] {
  %a = exec.scratch 128 bytes on "cpu:0" at 0
  %b = exec.scratch 128 bytes on "cpu:0" at 64
  %c = exec.scratch 128 bytes on "cpu:1" at 0
  exec.arena 256 bytes on "cpu:0" lower_bound 256
  exec.arena 256 bytes on "cpu:1" lower_bound 256
  exec.program on "cpu:0" queue compute {
    exec.fill "one" %a : 128
    exec.record 0
    // expected-note @+1 {{the first of the two}}
    exec.fill "two" %b : 128
  }
  exec.program on "cpu:1" queue compute {
    exec.wait 0
    // expected-error @+1 {{touch bytes 64 to 128 of 'a', which shares them with 'b'; an event must order them}}
    exec.copy "three" %a to %c : 128
  }
}

// -----

exec.entry @never on ["cpu:0"] {
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{command 0 on cpu:0 waits for event 0, which nothing records; record it, or remove the wait}}
    exec.wait 0
  }
}

// -----

exec.entry @twice on ["cpu:0"] {
  exec.program on "cpu:0" queue compute {
    exec.record 0
    // expected-error @+1 {{command 1 on cpu:0 records event 0 a second time, after command 0 on cpu:0; remove it, record a larger value in that program, or record another event}}
    exec.record 0
  }
}

// -----

exec.entry @deadlock on ["cpu:0", "cpu:1"] {
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{waits for event 1, whose record, command 1 on cpu:1, waits for it in turn; move one of the records in front of the wait in its program}}
    exec.wait 1
    exec.record 0
  }
  exec.program on "cpu:1" queue compute {
    // expected-error @+1 {{waits for event 0, whose record, command 1 on cpu:0, waits for it in turn}}
    exec.wait 0
    exec.record 1
  }
}

// -----

// A valid schedule.
exec.entry @fine on ["cpu:0", "cpu:1"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  %c = exec.scratch 16 bytes on "cpu:1"
  exec.program on "cpu:0" queue compute {
    exec.fill "one" %a : 16
    exec.record 0
  }
  exec.program on "cpu:1" queue compute {
    exec.wait 0
    exec.copy "two" %a to %c : 16
  }
}

// -----

// On one queue, too, a read must come before the update of a variable.
weir.parameter @w : tensor<4xf32> from "w.safetensors"
exec.entry @late_read on ["cpu:0"] {
  %w = exec.variable @w on "cpu:0" : tensor<4xf32>
  %w1 = exec.version %w
  %y = exec.output 0 "y" on "cpu:0" : tensor<4xf32>
  exec.program on "cpu:0" queue compute {
    // expected-note @+1 {{the earlier of the two}}
    exec.launch "update" by "k"(%w : tensor<4xf32>) -> (%w1 : tensor<4xf32>) {} overwrites [0]
    // expected-error @+1 {{'read' on cpu:0 accesses bytes 0 to 16 of 'w', but 'update' on cpu:0 has already written later contents there; let it come first, or access the exec.version that was written}}
    exec.launch "read" by "k"(%w : tensor<4xf32>) -> (%y : tensor<4xf32>) {}
  }
}

// -----

// The old contents must not be written after the new ones.
exec.entry @late_write on ["cpu:0"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  %a1 = exec.version %a
  exec.program on "cpu:0" queue compute {
    // expected-note @+1 {{the earlier of the two}}
    exec.fill "new" %a1 : 16
    // expected-error @+1 {{'old' on cpu:0 accesses bytes 0 to 16 of 'a', but 'new' on cpu:0 has already written later contents there}}
    exec.fill "old" %a : 16
  }
}

// -----

// A read of contents that are written only later.
weir.parameter @w : tensor<4xf32> from "w.safetensors"
exec.entry @early_read on ["cpu:0"] {
  %w = exec.variable @w on "cpu:0" : tensor<4xf32>
  %w1 = exec.version %w
  %y = exec.output 0 "y" on "cpu:0" : tensor<4xf32>
  exec.program on "cpu:0" queue compute {
    // expected-note @+1 {{the earlier of the two}}
    exec.copy "y" %w1 to %y : 16
    // expected-error @+1 {{'clear' on cpu:0 writes bytes 0 to 16 of 'w', but 'y' on cpu:0 has already read these contents; let the write come first, or read the contents before it}}
    exec.fill "clear" %w1 : 16
  }
}

// -----

// Bytes of an arena that another buffer has taken.
exec.entry @clobbered on ["cpu:0"] {
  %a = exec.scratch 128 bytes on "cpu:0" at 0
  %b = exec.scratch 128 bytes on "cpu:0" at 64
  %y = exec.output 0 "y" on "cpu:0" : tensor<32xf32>
  exec.arena 256 bytes on "cpu:0" lower_bound 128
  exec.program on "cpu:0" queue compute {
    exec.fill "one" %a : 128
    // expected-note @+1 {{the earlier of the two}}
    exec.fill "two" %b : 128
    // expected-error @+1 {{'y' on cpu:0 reads bytes 64 to 128 of 'a', in which 'two' on cpu:0 has put 'b'; let the read come first, or move one of the two buffers}}
    exec.copy "y" %a to %y : 128
  }
}

// -----

// Scratch that nothing has written, in part.
exec.entry @unwritten on ["cpu:0"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  %y = exec.output 0 "y" on "cpu:0" : tensor<4xf32>
  exec.program on "cpu:0" queue compute {
    exec.fill "one" %a : 8
    // expected-error @+1 {{'y' on cpu:0 reads bytes 8 to 16 of 'a', which nothing has written; write them first, or read less}}
    exec.copy "y" %a to %y : 16
  }
}

// -----

// An output with a hole.
exec.entry @hole on ["cpu:0"] {
  // expected-error @+1 {{nothing writes bytes 4 to 8 of 'y', an output; a command must write all of it}}
  %y = exec.output 0 "y" on "cpu:0" : tensor<4xf32>
  // expected-error @+1 {{nothing writes bytes 0 to 16 of 'z', an output}}
  %z = exec.output 1 "z" on "cpu:0" : tensor<4xf32>
  exec.program on "cpu:0" queue compute {
    exec.fill "one" %y : 4
    exec.fill "two" %y[8] : 8
  }
}

// -----

// Results in the bytes of operands, unless the launch says so.
weir.parameter @w : tensor<4xf32> from "w.safetensors"
exec.entry @overlap_in_a_launch on ["cpu:0"] {
  %w = exec.variable @w on "cpu:0" : tensor<4xf32>
  %w1 = exec.version %w
  %w2 = exec.version %w1
  %w3 = exec.version %w2
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{'silent' on cpu:0 writes bytes 0 to 16 of 'w', which it also accesses as 'w'; a launch must say which operand it overwrites, at the same place}}
    exec.launch "silent" by "k"(%w : tensor<4xf32>) -> (%w1 : tensor<4xf32>) {}
    exec.launch "stated" by "k"(%w1 : tensor<4xf32>) -> (%w2 : tensor<4xf32>) {} overwrites [0]
    // expected-error @+1 {{'shifted' on cpu:0 writes bytes 4 to 8 of 'w'}}
    exec.launch "shifted" by "k"(%w2 : tensor<2xf32>) -> (%w3[4] : tensor<2xf32>) {} overwrites [0]
  }
}

// -----

// Two results in the same bytes.
exec.entry @two_results on ["cpu:0"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{'both' on cpu:0 writes bytes 8 to 12 of 'a', which it also accesses as 'a'}}
    exec.launch "both" by "k"() -> (%a : tensor<3xf32>, %a[8] : tensor<2xf32>) {}
  }
}

// -----

// Values of events: none that is large enough, and values that do not grow.
exec.entry @values on ["cpu:0", "cpu:1"] {
  exec.program on "cpu:0" queue compute {
    exec.record 0
    exec.record 0 value 3
    // expected-error @+1 {{command 2 on cpu:0 records value 2 of event 0, which must grow in one program, after command 1 on cpu:0}}
    exec.record 0 value 2
  }
  exec.program on "cpu:1" queue compute {
    exec.wait 0 value 2
    // expected-error @+1 {{command 1 on cpu:1 waits for value 4 of event 0, which nothing records}}
    exec.wait 0 value 4
    // expected-error @+1 {{command 2 on cpu:1 records value 5 of event 0, which must grow in one program, after command 1 on cpu:0}}
    exec.record 0 value 5
  }
}

// -----

// The first value that is large enough orders what is before it, and not what
// is behind it.
exec.entry @late_value on ["cpu:0", "cpu:1"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  %b = exec.scratch 16 bytes on "cpu:1"
  %c = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.fill "one" %a : 16
    exec.record 0 value 2
    // expected-note @+1 {{the first of the two}}
    exec.fill "two" %c : 16
    exec.record 0 value 4
  }
  exec.program on "cpu:1" queue compute {
    exec.wait 0 value 1
    exec.copy "three" %a to %b : 16
    // expected-error @+1 {{read after write without an order: 'two' on cpu:0 and 'four' on cpu:1}}
    exec.copy "four" %c to %b : 16
  }
}

// -----

// A hazard in some trip of a repeat.
exec.entry @trips on ["cpu:0", "cpu:1"] {
  %a = exec.scratch 48 bytes on "cpu:0"
  %y = exec.output 0 "y" on "cpu:1" : tensor<12xf32>
  exec.program on "cpu:0" queue compute {
    exec.repeat 3 {
      // expected-note @+1 {{the first of the two}}
      exec.fill "one" %a[0 step [16]] : 16
      exec.record 0 step [1]
    }
  }
  exec.program on "cpu:1" queue compute {
    exec.repeat 3 {
      exec.wait 0 step [0]
      // expected-error @+2 {{read after write without an order: 'one' on cpu:0 in trip 1 and 'two' on cpu:1 in trip 1}}
      // expected-error @+1 {{read after write without an order: 'one' on cpu:0 in trip 2 and 'two' on cpu:1 in trip 2}}
      exec.copy "two" %a[0 step [16]] to %y[0 step [16]] : 16
    }
  }
}

// -----

// A repeat may write again what it has read, and add up over trips. A read of
// bytes of two trips is a mistake.
exec.entry @carried on ["cpu:0"] {
  %sum = exec.scratch 4 bytes on "cpu:0"
  %sum1 = exec.version %sum
  %a = exec.scratch 8 bytes on "cpu:0"
  %b = exec.scratch 32 bytes on "cpu:0"
  %y = exec.output 0 "y" on "cpu:0" : tensor<1xf32>
  exec.program on "cpu:0" queue compute {
    exec.fill "zero" %sum : 4
    exec.repeat 3 {
      exec.fill "part" %a : 8
      exec.launch "add" by "k"(%sum : tensor<1xf32>, %a[4] : tensor<1xf32>) -> (%sum1 : tensor<1xf32>) {} overwrites [0]
    }
    exec.copy "y" %sum1 to %y : 4
    exec.repeat 2 {
      // expected-note @+1 {{the earlier of the two}}
      exec.fill "slot" %b[0 step [16]] : 16
      // expected-error @+1 {{'half' on cpu:0 in trip 1 reads bytes 12 to 28 of 'b', of which several trips have written a part, at last 'slot' on cpu:0 in trip 1; let one trip write all of them, or read behind the repeat}}
      exec.launch "half" by "k"(%b[0 step [12]] : tensor<4xf32>) -> (%a : tensor<1xf32>) {}
    }
  }
}

// -----

// A read of contents that only a repeat of another program writes, later.
exec.entry @before_a_repeat on ["cpu:0", "cpu:1"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  %a1 = exec.version %a
  %y = exec.output 0 "y" on "cpu:1" : tensor<4xf32>
  exec.program on "cpu:0" queue compute {
    exec.fill "old" %a : 16
    exec.record 0
    exec.wait 1
    exec.repeat 3 {
      // expected-error @+1 {{'new' on cpu:0 in trip 0 writes bytes 0 to 16 of 'a', but 'y' on cpu:1 has already read these contents}}
      exec.fill "new" %a1 : 16
    }
  }
  exec.program on "cpu:1" queue compute {
    exec.wait 0
    // expected-note @+1 {{the earlier of the two}}
    exec.copy "y" %a1 to %y : 16
    exec.record 1
  }
}

// -----

// Too many trips to look at each.
exec.entry @endless on ["cpu:0"] {
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{and the other commands of the entry carry out 2000000 commands; at most 1048576 can be checked and planned}}
    exec.repeat 1000000 {
      exec.record 0 step [2]
      exec.wait 0
    }
  }
}
