// Programs that would wait for each other are rejected.

// RUN: graph-opt %s --verify-diagnostics --pass-pipeline='builtin.module(exec.entry(exec-assign-events))'

// expected-error @+1 {{the order of the commands cannot be kept: }}
exec.entry @cycle on ["cpu:0", "cpu:1"] {
  %a = exec.scratch 16 bytes on "cpu:0"
  %b = exec.scratch 16 bytes on "cpu:1"
  exec.program on "cpu:0" queue compute {
    exec.launch "first" by "k"(%b : tensor<4xf32>) -> (%a : tensor<4xf32>) {}
  }
  exec.program on "cpu:1" queue compute {
    exec.launch "second" by "k"(%a : tensor<4xf32>) -> (%b : tensor<4xf32>) {}
  }
}
