// An entry that updates variables computes again what costs next to nothing.

// RUN: graph-opt %s --pass-pipeline='builtin.module(exec.entry(exec-recompute{share=0.005},exec-plan-memory,exec-verify-schedule))' | FileCheck %s
// Where the arena is small anyway, it does not.
// RUN: graph-opt %s --pass-pipeline='builtin.module(exec.entry(exec-recompute{share=0.005 share-above=768}))' | FileCheck %s --check-prefix=SMALL
// SMALL-NOT: again

// %a and %b are both needed at the end, and neither at the peak. Only %b is
// computed again: %a takes half of the time.
// CHECK-LABEL: exec.entry @step
weir.parameter @w : tensor<64xf32> = dense<1.0> : tensor<64xf32>
exec.entry @step on ["cpu:0"] {
  %x = exec.input 0 "x" : tensor<64xf32>
  %y = exec.output 0 "y" : tensor<64xf32>
  %w = exec.variable @w on "cpu:0" : tensor<64xf32>
  %next = exec.version %w
  %a = exec.scratch 256 bytes on "cpu:0"
  %b = exec.scratch 256 bytes on "cpu:0"
  %c = exec.scratch 256 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.launch "a" by "k"(%x : tensor<64xf32>) -> (%a : tensor<64xf32>) {} flops 1000000000
    exec.launch "b" by "k"(%x : tensor<64xf32>) -> (%b : tensor<64xf32>) {}
    exec.launch "c" by "k"(%x : tensor<64xf32>) -> (%c : tensor<64xf32>) {} flops 1000000000
    exec.launch "y" by "k"(%c : tensor<64xf32>) -> (%y : tensor<64xf32>) {}
    // CHECK-NOT: a.again
    // CHECK: exec.launch "y"
    // CHECK-NEXT: exec.launch "b.again" {{.*}} -> (%b.again : tensor<64xf32>)
    // CHECK-NEXT: exec.launch "w"
    exec.launch "w" by "k"(%a : tensor<64xf32>, %b : tensor<64xf32>) -> (%next : tensor<64xf32>) {}
  }
}

// Without an update, nothing is.
// CHECK-LABEL: exec.entry @run
// CHECK-NOT: again
exec.entry @run on ["cpu:0"] {
  %x = exec.input 0 "x" : tensor<64xf32>
  %y = exec.output 0 "y" : tensor<64xf32>
  %z = exec.output 1 "z" : tensor<64xf32>
  %a = exec.scratch 256 bytes on "cpu:0"
  %b = exec.scratch 256 bytes on "cpu:0"
  %c = exec.scratch 256 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.launch "a" by "k"(%x : tensor<64xf32>) -> (%a : tensor<64xf32>) {} flops 1000000000
    exec.launch "b" by "k"(%x : tensor<64xf32>) -> (%b : tensor<64xf32>) {}
    exec.launch "c" by "k"(%x : tensor<64xf32>) -> (%c : tensor<64xf32>) {} flops 1000000000
    exec.launch "y" by "k"(%c : tensor<64xf32>) -> (%y : tensor<64xf32>) {}
    exec.launch "z" by "k"(%a : tensor<64xf32>, %b : tensor<64xf32>) -> (%z : tensor<64xf32>) {}
  }
}
