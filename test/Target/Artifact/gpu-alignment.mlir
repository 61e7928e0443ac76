// Kernels for GPUs access vectors, so their buffers begin at multiples of 16
// bytes.

// RUN: graph-opt %s --verify-diagnostics --exec-write-artifact=output=%t.weir -o /dev/null

module @weir_kernels_gpu attributes {weir.target_gpus = ["sm_90"]} {
  func.func @y.gpu(%x: memref<4xf32>, %y: memref<4xf32>)
      attributes {weir.tasks = 1 : i64, weir.threads = 32 : i64} {
    return
  }
}
exec.entry @main on ["cpu:0"] {
  %x = exec.input 0 "x" : tensor<8xf32>
  %y = exec.output 0 "y" : tensor<4xf32>
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{has a buffer that begins, or moves by, 4 bytes; kernels for GPUs need multiples of 16, so place it on a CPU device}}
    exec.launch "y" by "generated"(%x[4] : tensor<4xf32>) -> (%y : tensor<4xf32>) {function = "y.gpu"}
  }
}
