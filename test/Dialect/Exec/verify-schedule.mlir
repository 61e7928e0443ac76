// Races and hangs are errors that name both commands and their devices.

// RUN: graph-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(exec.entry(exec-verify-schedule))'

// A missing wait.
exec.entry @no_wait on ["cpu:0", "cpu:1"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  %c = exec.scratch 16 bytes on "cpu:1"
  exec.program on "cpu:0" queue 0 {
    // expected-error @+1 {{write after read without an order: 'two' on cpu:1 queue 1 and 'one' on cpu:0 touch bytes 0 to 16 of 'a'; an event must order them}}
    exec.fill "one" %a : 16
  }
  exec.program on "cpu:1" queue 1 {
    // expected-note @+1 {{the first of the two}}
    exec.copy "two" %a to %c : 16
  }
}

// -----

// Two buffers that share bytes of an arena: the second is written while the
// other device may still read the first.
exec.entry @overlap on ["cpu:0", "cpu:1"] {
  %a = exec.scratch 16 bytes on "cpu:0" at 0
  %b = exec.scratch 16 bytes on "cpu:0" at 8
  %c = exec.scratch 16 bytes on "cpu:1" at 0
  exec.arena 256 bytes on "cpu:0" lower_bound 256
  exec.arena 256 bytes on "cpu:1" lower_bound 256
  exec.program on "cpu:0" queue 0 {
    exec.fill "one" %a : 16
    exec.record 0
    // expected-note @+1 {{the first of the two}}
    exec.fill "two" %b : 16
  }
  exec.program on "cpu:1" queue 0 {
    exec.wait 0
    // expected-error @+1 {{touch bytes 8 to 16 of 'a', which shares them with 'b'; an event must order them}}
    exec.copy "three" %a to %c : 16
  }
}

// -----

exec.entry @never on ["cpu:0"] {
  exec.program on "cpu:0" queue 0 {
    // expected-error @+1 {{command 0 on cpu:0 waits for event 0, which nothing records}}
    exec.wait 0
  }
}

// -----

exec.entry @twice on ["cpu:0"] {
  exec.program on "cpu:0" queue 0 {
    exec.record 0
    // expected-error @+1 {{command 1 on cpu:0 records event 0 a second time, after command 0 on cpu:0}}
    exec.record 0
  }
}

// -----

exec.entry @deadlock on ["cpu:0", "cpu:1"] {
  exec.program on "cpu:0" queue 0 {
    // expected-error @+1 {{waits for event 1, whose record, command 1 on cpu:1, waits for it in turn}}
    exec.wait 1
    exec.record 0
  }
  exec.program on "cpu:1" queue 0 {
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
  exec.program on "cpu:0" queue 0 {
    exec.fill "one" %a : 16
    exec.record 0
  }
  exec.program on "cpu:1" queue 0 {
    exec.wait 0
    exec.copy "two" %a to %c : 16
  }
}
