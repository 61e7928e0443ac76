// An entry as the artifact holds it: equal kernels once, aliases gone, events
// called by the command behind which they are recorded.

// RUN: graph-opt %s --exec-write-artifact=output=%t.weir -o %t.same.mlir
// RUN: graph-dump %t.weir | FileCheck %s
// RUN: graph-opt %s --exec-write-artifact=output=%t.again.weir -o %t.again.mlir
// RUN: cmp %t.weir %t.again.weir

weir.parameter @w : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
weir.parameter @mask : tensor<4xi1> = dense<[true, false, true, true]> : tensor<4xi1>
weir.parameter @unused : tensor<4xf32> = dense<0.0> : tensor<4xf32>

exec.entry @main on ["cpu:0" {groups = 1, threads = 3}, "cpu:1" {groups = 2, threads = 3}] {
  %x = exec.input 0 "x" on "cpu:0" : tensor<2x4xf32>
  %z = exec.output 0 "z" on "cpu:1" : tensor<2x4xf32>
  %w = exec.parameter @w on "cpu:0" : tensor<4xf32>
  %mask = exec.variable @mask on "cpu:0" : tensor<4xi1>
  %mask1 = exec.version %mask
  %a = exec.scratch 32 bytes on "cpu:0" at 0
  %b = exec.scratch 32 bytes on "cpu:0" at 256
  %b1 = exec.alias %b on "cpu:1"
  %unused = exec.scratch 32 bytes on "cpu:1"
  %named = exec.scratch 32 bytes on "cpu:0"
  %named1 = exec.alias %named on "cpu:1"
  exec.arena 512 bytes on "cpu:0" lower_bound 288
  exec.program on "cpu:0" queue compute {
    exec.launch "first" by "binary"(%x : tensor<2x4xf32>, %w : tensor<4xf32>) -> (%a : tensor<2x4xf32>) {algorithm = "binary_add"} flops 8
    exec.launch "second" by "binary"(%a : tensor<2x4xf32>, %w : tensor<4xf32>) -> (%b : tensor<2x4xf32>) {algorithm = "binary_add"} flops 8
    exec.record 0
    exec.fill "clear" %mask1 : 4
  }
  exec.program on "cpu:1" queue compute {
    exec.wait 0
    exec.copy "second to cpu:1" crossing %b to %b1 : 0
    exec.launch "third" by "binary"(%b1[16] : tensor<2x2xf32, #exec.strides<[2, 1]>>, %w[8] : tensor<2xf32>) -> (%z : tensor<2x2xf32, #weir.layout<[1, 0]>>) {scale = 0.5 : f64} then [#weir.post_op<algorithm = "binary_add", alpha = 2.0 : f64, beta = 0.0 : f64, operand = 1>]
  }
}

// CHECK: parameters: 2
// CHECK-NEXT: 0 w: 4xf32, 16 bytes
// CHECK-NEXT: 1 mask: 4xi1, 4 bytes
// CHECK: device cpu:0: 3 threads
// CHECK-NEXT: device cpu:1: 3 threads
// CHECK-NEXT: variable mask on cpu:0
// CHECK-NEXT: kernel 0 binary: (2x4xf32, 4xf32) -> (2x4xf32)
// CHECK-NEXT: 8 flops
// CHECK-NEXT: "algorithm" = "binary_add"
// CHECK-NEXT: kernel 1 binary: (2x2xf32, 2xf32) -> (2x2xf32 strides [1, 2])
// CHECK-NEXT: "scale" = 0.5
// CHECK-NEXT: then binary_add alpha 2 beta 0 with operand 1
// CHECK-NEXT: entry main
// CHECK-NEXT: input x: 2x4xf32
// CHECK-NEXT: output z: 2x4xf32
// CHECK-NEXT: groups on cpu:0: 1
// CHECK-NEXT: groups on cpu:1: 2
// CHECK-NEXT: arena 0 on cpu:0: 512 bytes, lower bound 288
// CHECK: 0 launch first: kernel 0 binary (input x, parameter w) -> (arena 0+0)
// CHECK-NEXT: 1 launch second: kernel 0 binary (arena 0+0, parameter w) -> (arena 0+256)
// CHECK-NEXT: 2 record second: event 0
// CHECK-NEXT: 3 fill clear
// CHECK: 0 wait second: event 0
// CHECK-NEXT: 1 copy second to cpu:1: arena 0+256 -> arena 0+256, 0 bytes, crossing
// CHECK-NEXT: 2 launch third: kernel 1 binary (arena 0+256[16..], parameter w[8..]) -> (output z)
