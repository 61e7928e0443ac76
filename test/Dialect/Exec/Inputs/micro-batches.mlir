// Three micro-batches over two devices, of which cpu:1 has its own memory. The
// first device is ahead as far as %a has slots. %b and %c have one slot each,
// which every trip writes again.
weir.parameter @w : tensor<16xf32> = dense<2.0> : tensor<16xf32>
exec.entry @main on ["cpu:0" {groups = 1}, "cpu:1" {groups = 1, isolated}] {
  %x = exec.input 0 "x" on "cpu:0" : tensor<3x16xf32>
  %y = exec.output 0 "y" on "cpu:0" : tensor<3x16xf32>
  %w = exec.parameter @w on "cpu:0" : tensor<16xf32>
  %w1 = exec.parameter @w on "cpu:1" : tensor<16xf32>
  %a = exec.scratch 192 bytes on "cpu:0"
  %b = exec.scratch 64 bytes on "cpu:1"
  %c = exec.scratch 64 bytes on "cpu:1"
  exec.program on "cpu:0" queue compute {
    exec.repeat 3 {
      exec.launch "first" by "binary"(%x[0 step [64]] : tensor<16xf32>, %w : tensor<16xf32>) -> (%a[0 step [64]] : tensor<16xf32>) {algorithm = "binary_mul"}
      exec.record 0 value 1 step [1]
    }
  }
  exec.program on "cpu:1" queue compute {
    exec.repeat 3 {
      exec.wait 1 value 1 step [1]
      exec.wait 3 value 0 step [1]
      exec.launch "second" by "binary"(%b : tensor<16xf32>, %w1 : tensor<16xf32>) -> (%c : tensor<16xf32>) {algorithm = "binary_add"}
      exec.record 2 value 1 step [1]
    }
  }
  exec.program on "cpu:1" queue copy_in {
    exec.repeat 3 {
      exec.wait 0 value 1 step [1]
      exec.wait 2 value 0 step [1]
      exec.copy "first to cpu:1" crossing %a[0 step [64]] to %b : 64
      exec.record 1 value 1 step [1]
    }
  }
  exec.program on "cpu:1" queue copy_out {
    exec.repeat 3 {
      exec.wait 2 value 1 step [1]
      exec.copy "second to host" crossing %c to %y[0 step [64]] : 64
      exec.record 3 value 1 step [1]
    }
  }
}
