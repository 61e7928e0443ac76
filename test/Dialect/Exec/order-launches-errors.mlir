// RUN: graph-opt %s --verify-diagnostics --pass-pipeline='builtin.module(exec.entry(exec-order-launches))'

weir.parameter @w : tensor<4xf32> from "w.safetensors"
// expected-error@below {{the commands have no order: command 0 and others wait for each other in a cycle}}
exec.entry @cycle on ["cpu:0"] {
  %w = exec.variable @w on "cpu:0" : tensor<4xf32>
  %w_1 = exec.version %w
  %y = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.launch "update" by "k"() -> (%w_1 : tensor<4xf32>) {}
    exec.launch "both" by "k"(%w : tensor<4xf32>, %w_1 : tensor<4xf32>) -> (%y : tensor<4xf32>) {}
  }
}
