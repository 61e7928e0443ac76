// Every op of the dialect can be read from its own text.

// RUN: graph-opt %s | FileCheck %s
// RUN: graph-opt %s | graph-opt | FileCheck %s

weir.parameter @w : tensor<8x4xf32> from "w.safetensors"
weir.parameter @state : tensor<4xf32> from "w.safetensors"

// CHECK: exec.entry @main on ["cpu:0" {groups = 1, threads = 1}, "cpu:1" {groups = 1, threads = 1}] {
exec.entry @main on ["cpu:0" {groups = 1, threads = 1}, "cpu:1" {groups = 1, threads = 1}] {
  // CHECK-NEXT: %x = exec.input 0 "x" on "cpu:0" : tensor<1x8xf32>
  %x = exec.input 0 "x" on "cpu:0" : tensor<1x8xf32>
  // CHECK-NEXT: %z = exec.output 0 "z" on "cpu:1" : tensor<1x4xf32>
  %z = exec.output 0 "z" on "cpu:1" : tensor<1x4xf32>
  // CHECK-NEXT: %w = exec.parameter @w on "cpu:0" : tensor<8x4xf32>
  %w = exec.parameter @w on "cpu:0" : tensor<8x4xf32>
  // CHECK-NEXT: %s = exec.variable @state on "cpu:1" : tensor<4xf32>
  %s = exec.variable @state on "cpu:1" : tensor<4xf32>
  // CHECK-NEXT: %s1 = exec.version %s
  %s1 = exec.version %s
  // CHECK-NEXT: %y = exec.scratch 16 bytes on "cpu:0" at 256
  %y = exec.scratch 16 bytes on "cpu:0" at 256
  // CHECK-NEXT: %t = exec.scratch 32 bytes on "cpu:0"{{$}}
  %t = exec.scratch 32 bytes on "cpu:0"
  // CHECK-NEXT: %y1 = exec.alias %y on "cpu:1"
  %y1 = exec.alias %y on "cpu:1"
  // CHECK-NEXT: exec.arena 512 bytes on "cpu:0" lower_bound 272
  exec.arena 512 bytes on "cpu:0" lower_bound 272
  // CHECK-NEXT: exec.program on "cpu:0" queue compute {
  exec.program on "cpu:0" queue compute {
    // CHECK-NEXT: exec.fill "clear" %y[4] : 8 lasts 3
    exec.fill "clear" %y[4] : 8 lasts 3
    // CHECK-NEXT: exec.launch "y" by "matmul"(%x : tensor<1x8xf32>, %w : tensor<8x4xf32>) -> (%y : tensor<1x4xf32>) {} then [#weir.post_op<algorithm = "eltwise_relu", alpha = 0.000000e+00 : f64, beta = 0.000000e+00 : f64, operand = -1>]
    exec.launch "y" by "matmul"(%x : tensor<1x8xf32>, %w : tensor<8x4xf32>)
        -> (%y : tensor<1x4xf32>) {}
        then [#weir.post_op<algorithm = "eltwise_relu", alpha = 0.0 : f64, beta = 0.0 : f64, operand = -1>]
    // CHECK-NEXT: exec.tensor 0 "y" %y : tensor<1x4xf32>
    exec.tensor 0 "y" %y : tensor<1x4xf32>
    // CHECK-NEXT: exec.launch "two" by "matmul"(%x : tensor<1x8xf32>, %w : tensor<8x4xf32>) -> (%y : tensor<1x4xf32>) {} inside ["conv", "bn"] flops 64 lasts 1000
    exec.launch "two" by "matmul"(%x : tensor<1x8xf32>, %w : tensor<8x4xf32>)
        -> (%y : tensor<1x4xf32>) {} inside ["conv", "bn"] flops 64 lasts 1000
    // CHECK-NEXT: exec.tensor 1 "half" %y[8] : tensor<2xf32>
    exec.tensor 1 "half" %y[8] : tensor<2xf32>
    // CHECK-NEXT: exec.launch "part" by "reorder"(%w[16] : tensor<2x4xf32, #exec.strides<[8, 1]>>) -> (%t : tensor<2x4xf32, #weir.layout<[1, 0]>>) {axes = [0, 1]}
    exec.launch "part" by "reorder"(%w[16] : tensor<2x4xf32, #exec.strides<[8, 1]>>)
        -> (%t : tensor<2x4xf32, #weir.layout<[1, 0]>>) {axes = [0, 1]}
    // CHECK-NEXT: exec.record 0
    exec.record 0
  }
  // CHECK: exec.program on "cpu:1" queue compute {
  exec.program on "cpu:1" queue compute {
    // CHECK-NEXT: exec.wait 0
    exec.wait 0
    // CHECK-NEXT: exec.copy "y to cpu:1" crossing %y to %y1 : 0
    exec.copy "y to cpu:1" crossing %y to %y1 : 0
    // CHECK-NEXT: exec.copy "z" %y1 to %z : 16
    exec.copy "z" %y1 to %z : 16
    // CHECK-NEXT: exec.copy "half" %y1[8] to %s1[4] : 8 lasts 7 over 2
    exec.copy "half" %y1[8] to %s1[4] : 8 lasts 7 over 2
  }
}

// CHECK: exec.entry @alone on ["cpu:0" {isolated}] in_flight 2 {
exec.entry @alone on ["cpu:0" {isolated}] in_flight 2 {
  // CHECK-NEXT: %x = exec.input 0 "x" : tensor<8xf32>
  %x = exec.input 0 "x" : tensor<8xf32>
  // CHECK-NEXT: %y = exec.output 0 "y" on "cpu:0" : tensor<8xf32>
  %y = exec.output 0 "y" on "cpu:0" : tensor<8xf32>
  // CHECK-NEXT: %t = exec.scratch 64 bytes on "cpu:0" queue copy_in at 0
  %t = exec.scratch 64 bytes on "cpu:0" queue copy_in at 0
  // CHECK-NEXT: exec.arena 64 bytes on "cpu:0" queue copy_in lower_bound 64
  exec.arena 64 bytes on "cpu:0" queue copy_in lower_bound 64
  // CHECK-NEXT: exec.program on "cpu:0" queue copy_in {
  exec.program on "cpu:0" queue copy_in {
    // CHECK-NEXT: exec.repeat 2 {
    exec.repeat 2 {
      // CHECK-NEXT: exec.wait 0 value -1 step [1]
      exec.wait 0 value -1 step [1]
      // CHECK-NEXT: exec.repeat 3 {
      exec.repeat 3 {
        // CHECK-NEXT: exec.copy "x" %x[0 step [16, 4]] to %t[4 step [24, 8]] : 4
        exec.copy "x" %x[0 step [16, 4]] to %t[4 step [24, 8]] : 4
        // CHECK-NEXT: exec.fill "clear" %t[0 step [24, 8]] : 4
        exec.fill "clear" %t[0 step [24, 8]] : 4
        // CHECK-NEXT: exec.launch "half" by "relu"(%t[4 step [24, 8]] : tensor<1xf32>, %t : tensor<1xf32>) -> (%y : tensor<1xf32>, %t[4 step [24, 8]] : tensor<1xf32>) {} overwrites [-1, 0]
        exec.launch "half" by "relu"(%t[4 step [24, 8]] : tensor<1xf32>, %t : tensor<1xf32>) -> (%y : tensor<1xf32>, %t[4 step [24, 8]] : tensor<1xf32>) {} overwrites [-1, 0]
        // CHECK-NEXT: exec.record 0 value 2 step [3, 1]
        exec.record 0 value 2 step [3, 1]
        // CHECK-NEXT: exec.record 1 step [3, 1]
        exec.record 1 step [3, 1]
      }
    }
  }
  // CHECK: exec.program on "cpu:0" queue copy_out {
  // CHECK-NEXT: exec.wait 0
  "exec.program"() <{device = "cpu:0", queue = #exec.queue_role<copy_out>}> ({
    exec.wait 0
  }) : () -> ()
}
