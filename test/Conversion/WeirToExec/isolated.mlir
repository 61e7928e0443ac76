// Devices with heaps of their own: each gets a copy of every input and
// parameter it reads, crossings are copied on the reader's queue copy_in in the
// order in which they become ready, and outputs are copied out.

// RUN: graph-opt %s --convert-weir-to-exec | FileCheck %s
// RUN: graph-opt %s --pass-pipeline='builtin.module(convert-weir-to-exec,exec.entry(exec-assign-events,exec-plan-memory,exec-verify-schedule))' | FileCheck %s --check-prefix=EVENTS

module attributes {weir.devices = #weir.devices<["cpu:0" {isolated}, "cpu:1" {isolated}]>} {
  weir.parameter @w : tensor<4xf32> from "w.safetensors"
  // CHECK: exec.entry @main on ["cpu:0" {groups = 1, isolated}, "cpu:1" {groups = 1, isolated}] {
  func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32> {weir.parameter = @w})
      -> (tensor<4xf32> {weir.name = "out"}) {
    // CHECK-DAG: %x = exec.input 0 "x" : tensor<4xf32>
    // CHECK-DAG: %[[X0:.*]] = exec.scratch 16 bytes on "cpu:0"
    // CHECK-DAG: %[[X1:.*]] = exec.scratch 16 bytes on "cpu:1"
    // CHECK-DAG: %[[W0:.*]] = exec.parameter @w on "cpu:0"
    // CHECK-DAG: %[[W1:.*]] = exec.parameter @w on "cpu:1"
    // CHECK: exec.program on "cpu:0" queue compute {
    // CHECK-NEXT: exec.launch "sum"{{.*}}
    // CHECK: exec.program on "cpu:0" queue copy_in {
    // CHECK-NEXT: exec.copy "x to cpu:0" %x to %{{.*}} : 16
    // CHECK-NEXT: }
    %y = weir.group (%a = %x, %b = %w) on "cpu:0"
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
      %sum = weir.launch "binary"(%a, %b) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      weir.yield %sum : tensor<4xf32>
    }
    %y1 = weir.copy %y from "cpu:0" to "cpu:1" : tensor<4xf32>
    // CHECK-NEXT: exec.program on "cpu:1" queue compute {
    // CHECK-NEXT: exec.launch "last"{{.*}}
    // CHECK-NEXT: }
    // CHECK-NEXT: exec.program on "cpu:1" queue copy_in {
    // CHECK-NEXT: exec.copy "x to cpu:1" %x to %{{.*}} : 16
    // CHECK-NEXT: exec.copy "y1 to cpu:1" crossing %sum to %y1 : 16
    // CHECK-NEXT: exec.copy "out to host" %last to %out : 16
    // CHECK-NEXT: }
    %z = weir.group (%a = %y1, %b = %w, %c = %x) on "cpu:1"
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
      %last = weir.launch "binary"(%a, %b, %c) {} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      weir.yield %last : tensor<4xf32>
    }
    return %z : tensor<4xf32>
  }
}

// EVENTS: exec.program on "cpu:1" queue compute {
// EVENTS-NEXT: exec.wait [[CROSSED:[0-9]+]]
// EVENTS-NEXT: exec.launch "last"
// EVENTS-NEXT: exec.record [[LAST:[0-9]+]]
// EVENTS: exec.program on "cpu:1" queue copy_in {
// EVENTS-NEXT: exec.copy "x to cpu:1"
// EVENTS-NEXT: exec.wait [[SUM:[0-9]+]]
// EVENTS-NEXT: exec.copy "y1 to cpu:1"
// EVENTS-NEXT: exec.record [[CROSSED]]
// EVENTS-NEXT: exec.wait [[LAST]]
// EVENTS-NEXT: exec.copy "out to host"
