// cpu:0 and cpu:1 share the host's memory, cpu:2 has its own: crossings between
// the first two are aliases, the others are copies. Inputs, parameters and
// outputs exist once in each space. What crosses to the host for an output is
// written to it at once.

// RUN: graph-opt %s --convert-weir-to-exec | FileCheck %s
// RUN: graph-opt %s --pass-pipeline='builtin.module(convert-weir-to-exec,exec.entry(exec-assign-events,exec-plan-memory,exec-verify-schedule))' | FileCheck %s --check-prefix=PLAN

// PLAN-COUNT-2: exec.arena

module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1", "cpu:2" {isolated}]>} {
  weir.parameter @w : tensor<4xf32> from "w.safetensors"
  // CHECK: exec.entry @main on ["cpu:0" {groups = 1}, "cpu:1" {groups = 1}, "cpu:2" {groups = 2, isolated}] {
  func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32> {weir.parameter = @w})
      -> (tensor<4xf32> {weir.name = "far"}, tensor<4xf32> {weir.name = "near"}, tensor<4xf32> {weir.name = "back"}) {
    // CHECK-DAG: %far = exec.output 0 "far" : tensor<4xf32>
    // CHECK-DAG: %near = exec.output 1 "near" on "cpu:1" : tensor<4xf32>
    // CHECK-DAG: %back = exec.output 2 "back" on "cpu:0" : tensor<4xf32>
    // CHECK-DAG: %x = exec.input 0 "x" on "cpu:0" : tensor<4xf32>
    // CHECK-DAG: %w = exec.parameter @w on "cpu:0"
    // CHECK-DAG: %w_{{[0-9]}} = exec.parameter @w on "cpu:2"
    // CHECK-DAG: %[[X2:x_[0-9]]] = exec.scratch 16 bytes on "cpu:2"
    // CHECK-DAG: %a1 = exec.alias %first on "cpu:1"
    // CHECK-NOT: exec.parameter

    // CHECK: exec.program on "cpu:0" queue compute {
    // CHECK-NEXT: exec.launch "first"{{.*}}
    // CHECK: exec.program on "cpu:0" queue copy_in {
    // CHECK-NEXT: exec.copy "third to cpu:0" crossing %third to %back : 16
    // CHECK-NEXT: }
    // CHECK-NEXT: exec.program on "cpu:1" queue compute {
    // CHECK-NEXT: exec.copy "a1 to cpu:1" crossing %first to %a1 : 0
    // CHECK-NEXT: exec.launch "second" by "binary"(%a1 : tensor<4xf32>, %w : tensor<4xf32>) -> (%near : tensor<4xf32>) {}
    // CHECK-NEXT: }
    // CHECK-NEXT: exec.program on "cpu:2" queue compute {
    // CHECK-NEXT: exec.launch "third"{{.*}}
    // CHECK-NEXT: exec.launch "fourth"{{.*}}
    // CHECK-NEXT: }
    // CHECK-NEXT: exec.program on "cpu:2" queue copy_in {
    // CHECK-NEXT: exec.copy "x to cpu:2" %x to %[[X2]] : 16
    // CHECK-NEXT: exec.copy "b2 to cpu:2" crossing %near to %b2 : 16
    // CHECK-NEXT: exec.copy "far to host" %fourth to %far : 16
    %a = weir.group (%i = %x, %j = %w) on "cpu:0" : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
      %first = weir.launch "binary"(%i, %j) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      weir.yield %first : tensor<4xf32>
    }
    %a1 = weir.copy %a from "cpu:0" to "cpu:1" : tensor<4xf32>
    %b = weir.group (%i = %a1, %j = %w) on "cpu:1" : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
      %second = weir.launch "binary"(%i, %j) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      weir.yield %second : tensor<4xf32>
    }
    %b2 = weir.copy %b from "cpu:1" to "cpu:2" : tensor<4xf32>
    %c = weir.group (%i = %b2, %j = %w) on "cpu:2" : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
      %third = weir.launch "binary"(%i, %j) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      weir.yield %third : tensor<4xf32>
    }
    %third = weir.copy %c from "cpu:2" to "cpu:0" : tensor<4xf32>
    %d = weir.group (%i = %c, %j = %x) on "cpu:2" : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
      %fourth = weir.launch "binary"(%i, %j) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      weir.yield %fourth : tensor<4xf32>
    }
    return %d, %b, %third : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
