// Devices that share memory: inputs and parameters are read in place, results
// written straight into outputs, and a crossing is a copy of 0 bytes in front
// of its first reader.

// RUN: graph-opt %s --convert-weir-to-exec | FileCheck %s

module attributes {weir.devices = #weir.devices<["cpu:0" {threads = 2}, "cpu:1" {threads = 2}]>} {
  // CHECK-DAG: weir.parameter @w
  weir.parameter @w : tensor<8x4xf32> from "w.safetensors"
  // CHECK-DAG: weir.parameter @bias : tensor<4xf32> = dense<1.000000e+00>
  // CHECK: exec.entry @main on ["cpu:0" {groups = 1, threads = 2}, "cpu:1" {groups = 2, threads = 2}] {
  func.func @main(%x: tensor<1x8xf32>,
                  %w: tensor<8x4xf32> {weir.parameter = @w})
      -> (tensor<1x4xf32> {weir.name = "out"}) {
    %bias = weir.constant dense<1.0> : tensor<4xf32>
    // CHECK-DAG: %out = exec.output 0 "out" on "cpu:1" : tensor<1x4xf32>
    // CHECK-DAG: %x = exec.input 0 "x" on "cpu:0" : tensor<1x8xf32>
    // CHECK-DAG: %w = exec.parameter @w on "cpu:0" : tensor<8x4xf32>
    // CHECK-DAG: %bias = exec.parameter @bias on "cpu:0" : tensor<4xf32>
    // CHECK-DAG: %product = exec.scratch 16 bytes on "cpu:0"
    // CHECK-DAG: %crossing = exec.alias %product on "cpu:1"
    // CHECK-DAG: %early = exec.scratch 32 bytes on "cpu:1"
    // CHECK: exec.program on "cpu:0" queue compute {
    // CHECK-NEXT: exec.launch "product" by "matmul"(%x : tensor<1x8xf32>, %w : tensor<8x4xf32>, %bias : tensor<4xf32>) -> (%product : tensor<1x4xf32>) {transpose = false}
    // CHECK-SAME: then [#weir.post_op<algorithm = "eltwise_relu"
    // CHECK-SAME: flops 68{{$}}
    // CHECK-NEXT: }
    %y = weir.group (%a = %x, %b = %w, %c = %bias) on "cpu:0"
        : (tensor<1x8xf32>, tensor<8x4xf32>, tensor<4xf32>) -> tensor<1x4xf32> {
      %product = weir.launch "matmul"(%a, %b, %c) {transpose = false}
          then [#weir.post_op<algorithm = "eltwise_relu", alpha = 0.0 : f64, beta = 0.0 : f64, operand = -1>]
          : (tensor<1x8xf32>, tensor<8x4xf32>, tensor<4xf32>) -> tensor<1x4xf32> flops 68
      weir.yield %product : tensor<1x4xf32>
    }
    // CHECK-NEXT: exec.program on "cpu:1" queue compute {
    // CHECK-NEXT: exec.launch "early"{{.*}}
    %e = weir.group (%a = %x) on "cpu:1" : (tensor<1x8xf32>) -> tensor<1x8xf32> {
      %early = weir.launch "eltwise"(%a) {} : (tensor<1x8xf32>) -> tensor<1x8xf32>
      weir.yield %early : tensor<1x8xf32>
    }
    // CHECK-NEXT: exec.copy "crossing to cpu:1" crossing %product to %crossing : 0
    // CHECK-NEXT: exec.launch "late" by "binary"(%crossing : tensor<1x4xf32>, %early : tensor<1x8xf32>) -> (%out : tensor<1x4xf32>) {}
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    // CHECK-NOT: func.func
    %crossing = weir.copy %y from "cpu:0" to "cpu:1" : tensor<1x4xf32>
    %z = weir.group (%a = %crossing, %b = %e) on "cpu:1"
        : (tensor<1x4xf32>, tensor<1x8xf32>) -> tensor<1x4xf32> {
      %late = weir.launch "binary"(%a, %b) {} : (tensor<1x4xf32>, tensor<1x8xf32>) -> tensor<1x4xf32>
      weir.yield %late : tensor<1x4xf32>
    }
    return %z : tensor<1x4xf32>
  }
}
