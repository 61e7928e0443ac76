// Events with values are written by hand.

// RUN: graph-opt %s --verify-diagnostics --pass-pipeline='builtin.module(exec.entry(exec-assign-events))'

exec.entry @main on ["cpu:0"] {
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{needs events with values, which are written by hand; leave out exec-assign-events}}
    exec.repeat 2 {
      exec.record 0 step [1]
    }
  }
}
