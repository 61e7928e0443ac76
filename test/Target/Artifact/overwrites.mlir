// Library kernels may read operands after they have begun to write results, so
// they overwrite none.

// RUN: graph-opt %s --verify-diagnostics --exec-write-artifact=output=%t.weir -o /dev/null

weir.parameter @w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
exec.entry @main on ["cpu:0"] {
  %w = exec.variable @w on "cpu:0" : tensor<4xf32>
  %w1 = exec.version %w
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{overwrites operand 0 by kernel 'softmax'; only generated kernels can do that, so write the result elsewhere}}
    exec.launch "u" by "softmax"(%w : tensor<4xf32>) -> (%w1 : tensor<4xf32>) {} overwrites [0]
  }
}
