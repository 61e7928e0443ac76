// Commands get predicted times. With 1 Gflop/s, memory of 4 GB/s and 1 us for a
// launch: the product of 2000 flops takes 2 us, and generated code does 1/4 as
// many per second. A launch computes in the type of its first result; in f64 it
// would take twice as long. A launch that only moves 2 * 32000 bytes takes 16
// us, and a copy inside of a memory reads and writes it. The link has 1 GB/s and
// 5 us.

// RUN: split-file %s %t
// RUN: graph-opt %t/plan.mlir --exec-predict-times=all | FileCheck %s
// RUN: graph-opt %t/plan.mlir --exec-predict-times | FileCheck %s --check-prefix=SIM
// RUN: graph-opt %t/cpu.mlir --exec-predict-times | FileCheck %s --check-prefix=CPU

// CHECK: exec.launch "product"{{.*}} flops 2000 lasts 3000
// CHECK-NEXT: exec.launch "made"{{.*}} flops 2000 lasts 9000
// CHECK-NEXT: exec.launch "wide"{{.*}} lasts 17000
// CHECK-NEXT: exec.launch "both"{{.*}} flops 2000 lasts 3000
// CHECK-NEXT: exec.fill "clear" {{.*}} : 4000 lasts 1000{{$}}
// CHECK-NEXT: exec.copy "inside" {{.*}} : 4000 lasts 2000{{$}}
// CHECK: exec.copy "across" crossing {{.*}} : 4000 lasts 9000 over 2{{$}}
// CHECK-NEXT: exec.copy "in place" {{.*}} : 0{{$}}

// Copies from the host's memory use the links of the first device that shares it.
// RUN: graph-opt %t/host.mlir --exec-predict-times | FileCheck %s --check-prefix=HOST
// HOST: exec.copy "in" %x to %there : 4000 lasts 9000{{$}}

// A copy within the host's memory needs no link, whatever was predicted before.
// RUN: graph-opt %t/shared.mlir --exec-predict-times=all | FileCheck %s --check-prefix=SHARED
// SHARED: exec.copy "beside" %x to %y : 4000 lasts {{[0-9]+$}}

// A launch may take so long that 64 bits do not hold the time.
// RUN: sed 's/flops 2000/flops 9000000000000000000/; s/bytes_per_second = 4.0e9, flops = {f32 = 1.0e9/bytes_per_second = 1.0, flops = {f32 = 1.0/' %t/plan.mlir > %t/long.mlir
// RUN: graph-opt %t/long.mlir --exec-predict-times=all | FileCheck %s --check-prefix=SLOW
// SLOW: exec.launch "product"{{.*}} lasts 1000000000000000000{{$}}
// SLOW: exec.fill "clear" {{.*}} lasts 4000000000000{{$}}

// Devices of a kind that wants no predictions get none, unless `all` is set.
// SIM: exec.launch "product"{{.*}} lasts 3000
// CPU-NOT: lasts

//--- plan.mlir
exec.entry @main on ["sim:0" {isolated, bytes_per_second = 4.0e9, flops = {f32 = 1.0e9, f64 = 5.0e8}, launch_seconds = 1.0e-6},
    "sim:1" {isolated}, "cpu:0"],
    links = [{from = "sim:0", to = "cpu:0", bytes_per_second = 1.0e9, shared = "bus"},
             {from = "sim:0", to = "sim:1", bytes_per_second = 1.0e9, latency_seconds = 5.0e-6, shared = "ring"}] {
  %x = exec.scratch 4000 bytes on "sim:0"
  %y = exec.scratch 4000 bytes on "sim:0"
  %wide = exec.scratch 32000 bytes on "sim:0"
  %tall = exec.scratch 32000 bytes on "sim:0"
  %z = exec.scratch 4000 bytes on "sim:1"
  %z1 = exec.alias %z on "sim:1"
  exec.program on "sim:0" queue compute {
    exec.launch "product" by "matmul"(%x : tensor<10xf32>) -> (%y : tensor<10xf32>) {} flops 2000
    exec.launch "made" by "generated"(%x : tensor<10xf32>) -> (%y : tensor<10xf32>) {} flops 2000
    exec.launch "wide" by "reorder"(%wide : tensor<8000xf32>) -> (%tall : tensor<8000xf32>) {}
    exec.launch "both" by "two"(%x : tensor<10xf32>) -> (%y : tensor<10xf32>, %tall : tensor<10xf64>) {} flops 2000
    exec.fill "clear" %x : 4000
    exec.copy "inside" %x to %y : 4000
  }
  exec.program on "sim:1" queue copy_in {
    exec.copy "across" crossing %y to %z : 4000
    exec.copy "in place" %z to %z1 : 0
  }
}

//--- host.mlir
exec.entry @main on ["cpu:1", "sim:0" {isolated}],
    links = [{from = "cpu:1", to = "sim:0", bytes_per_second = 1.0e9, latency_seconds = 5.0e-6}] {
  %x = exec.input 0 "x" : tensor<1000xf32>
  %there = exec.scratch 4000 bytes on "sim:0"
  exec.program on "sim:0" queue copy_in {
    exec.copy "in" %x to %there : 4000
  }
}

//--- cpu.mlir
exec.entry @main on ["cpu:0"] {
  %x = exec.scratch 40 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.fill "clear" %x : 40
  }
}

//--- shared.mlir
exec.entry @main on ["cpu:0", "cpu:1"],
    links = [{from = "cpu:0", to = "cpu:1", bytes_per_second = 1.0e9, shared = "bus"}] {
  %x = exec.scratch 4000 bytes on "cpu:0"
  %y = exec.scratch 4000 bytes on "cpu:1"
  exec.program on "cpu:0" queue compute {
    exec.copy "beside" %x to %y : 4000 lasts 7 over 9
  }
}
