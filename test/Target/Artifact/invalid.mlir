// Requirements for writing an artifact.

// RUN: graph-opt %s --split-input-file --verify-diagnostics --exec-write-artifact=output=%t.weir

// expected-error @+1 {{has no entry; run convert-weir-to-exec first}}
module {
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{has no place; run exec-plan-memory first}}
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.fill "t" %t : 16
  }
}

// -----

exec.entry @one on ["cpu:0"] {
}
// expected-error @+1 {{expects the devices of entry 'one': all entries share them}}
exec.entry @two on ["cpu:0" {isolated}] {
}

// -----

exec.entry @one on ["cpu:0" {options = {cores = "0"}}] {
}
// expected-error @+1 {{expects the devices of entry 'one': all entries share them}}
exec.entry @two on ["cpu:0" {options = {cores = "1"}}] {
}

// -----

// expected-error @+1 {{lists device 'tpu:0': }}
exec.entry @main on ["tpu:0"] {
}
