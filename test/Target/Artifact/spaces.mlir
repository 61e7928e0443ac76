// Memory spaces, arenas of queues, runs in flight and repeats in the artifact.
// Equal steps are in the list of strides once.

// RUN: graph-opt %s --exec-write-artifact=output=%t.weir -o %t.mlir
// RUN: graph-dump %t.weir | FileCheck %s
// RUN: graph-dump %t.weir --json | FileCheck %s --check-prefix=JSON

// CHECK: variant 0: 2 runs in flight
// CHECK-NEXT: device cpu:0: its share of the cores
// CHECK-NEXT: device cpu:1: its share of the cores, own memory
// CHECK: kernel 0 relu: (16xf32) -> (16xf32)
// CHECK-NEXT: entry main
// CHECK-NEXT: input x: 4x16xf32
// CHECK-NEXT: output y: 4x16xf32 in the memory of cpu:1
// CHECK-NEXT: arena 0 on cpu:1: 512 bytes, lower bound 512
// CHECK-NEXT: arena 1 on cpu:1 queue compute: 256 bytes, lower bound 256
// CHECK: 0 repeat far: 2 trips of 7 commands
// CHECK-NEXT: 1 repeat far: 2 trips of 5 commands
// CHECK-NEXT: 2 wait far: event 0 value 1 step [2, 1]
// CHECK-NEXT: 3 launch half: kernel 0 relu (arena 0+0 step [128, 64]) -> (arena 0+256 step [128, 64])
// CHECK-NEXT: 4 launch other: kernel 0 relu (arena 0+256 step [128, 64]) -> (output y step [128, 64])
// CHECK-NEXT: 5 fill clear: arena 1+0, 4 bytes
// CHECK-NEXT: 6 record clear: event 1 value 2 step [10, 1]
// CHECK-NEXT: 7 record clear: event 2 value 1 step [1]
// CHECK: 0 repeat far: 4 trips of 2 commands
// CHECK-NEXT: 1 copy far: input x step [64] -> arena 0+0 step [64], 64 bytes, crossing
// CHECK-NEXT: 2 record far: event 0 value 1 step [1]

// JSON: "views": [
// JSON: "strides": [
// JSON-NEXT: 0,
// JSON-NEXT: 2,
// JSON-NEXT: 1,
// JSON-NEXT: 128,
// JSON-NEXT: 64,
// JSON-NEXT: 10,
// JSON-NEXT: 1,
// JSON-NEXT: 1,
// JSON-NEXT: 64
// JSON-NEXT: ],
// JSON-NEXT: "events": [
// JSON-NEXT: 4,
// JSON-NEXT: 13,
// JSON-NEXT: 2
// JSON-NEXT: ]

exec.entry @main on ["cpu:0", "cpu:1" {isolated}] in_flight 2 {
  %x = exec.input 0 "x" : tensor<4x16xf32>
  %y = exec.output 0 "y" on "cpu:1" : tensor<4x16xf32>
  %a = exec.scratch 256 bytes on "cpu:1" at 0
  %c = exec.scratch 256 bytes on "cpu:1" at 256
  %b = exec.scratch 4 bytes on "cpu:1" queue compute at 0
  exec.arena 512 bytes on "cpu:1" lower_bound 512
  exec.arena 256 bytes on "cpu:1" queue compute lower_bound 256
  exec.program on "cpu:1" queue compute {
    exec.repeat 2 {
      exec.repeat 2 {
        exec.wait 0 value 1 step [2, 1]
        exec.launch "half" by "relu"(%a[0 step [128, 64]] : tensor<16xf32>) -> (%c[0 step [128, 64]] : tensor<16xf32>) {}
        exec.launch "other" by "relu"(%c[0 step [128, 64]] : tensor<16xf32>) -> (%y[0 step [128, 64]] : tensor<16xf32>) {}
        exec.fill "clear" %b : 4
        exec.record 1 value 2 step [10, 1]
      }
      exec.record 2 step [1]
    }
  }
  exec.program on "cpu:1" queue copy_in {
    exec.repeat 4 {
      exec.copy "far" crossing %x[0 step [64]] to %a[0 step [64]] : 64
      exec.record 0 step [1]
    }
  }
}
