// Inputs and outputs in the memory of an isolated device: commands there access
// them without a copy. What crosses to an output is written to it at once. If
// two outputs have one value, the second is copied from the first. Inputs,
// parameters and constants of the host are copied to outputs without crossing.

// RUN: graph-opt %s --split-input-file --convert-weir-to-exec | FileCheck %s
// RUN: graph-opt %s --split-input-file --pass-pipeline='builtin.module(convert-weir-to-exec,exec.entry(exec-order-launches,exec-assign-events,exec-plan-memory,exec-verify-schedule))' | FileCheck %s --check-prefix=PLAN

// PLAN-COUNT-2: exec.entry

module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1" {isolated}]>} {
  // CHECK: exec.entry @direct
  func.func @direct(%x: tensor<4xf32> {weir.space = "cpu:1"})
      -> (tensor<4xf32> {weir.name = "near", weir.space = "cpu:1"},
          tensor<4xf32> {weir.name = "twin", weir.space = "cpu:1"},
          tensor<4xf32> {weir.name = "host"},
          tensor<4xf32> {weir.name = "sent", weir.space = "cpu:1"}) {
    // CHECK-DAG: %near = exec.output 0 "near" on "cpu:1"
    // CHECK-DAG: %twin = exec.output 1 "twin" on "cpu:1"
    // CHECK-DAG: %host = exec.output 2 "host" : tensor
    // CHECK-DAG: %sent = exec.output 3 "sent" on "cpu:1"
    // CHECK-DAG: %x = exec.input 0 "x" on "cpu:1"
    // CHECK-DAG: %[[X0:x_[0-9]]] = exec.scratch 16 bytes on "cpu:0"
    // CHECK: exec.program on "cpu:0" queue compute {
    // CHECK-NEXT: exec.launch "second" by "unary"(%[[X0]] : tensor<4xf32>) -> (%[[SECOND:.*]] : tensor<4xf32>) {}
    // CHECK: exec.program on "cpu:0" queue copy_in {
    // CHECK-NEXT: exec.copy "x to cpu:0" crossing %x to %[[X0]] : 16
    // CHECK-NEXT: }
    // CHECK-NEXT: exec.program on "cpu:1" queue compute {
    // CHECK-NEXT: exec.launch "first" by "unary"(%x : tensor<4xf32>) -> (%near : tensor<4xf32>) {}
    // CHECK-NEXT: }
    // CHECK-NEXT: exec.program on "cpu:1" queue copy_in {
    // CHECK-NEXT: exec.copy "twin to cpu:1" %near to %twin : 16
    // CHECK-NEXT: exec.copy "host to host" %near to %host : 16
    // CHECK-NEXT: exec.copy "b to cpu:1" crossing %[[SECOND]] to %sent : 16
    // CHECK-NEXT: }
    %x0 = weir.copy %x from "cpu:1" to "cpu:0" : tensor<4xf32> loc("x")
    %a = weir.group (%i = %x) on "cpu:1" : (tensor<4xf32>) -> tensor<4xf32> {
      %first = weir.launch "unary"(%i) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %first : tensor<4xf32>
    }
    %b = weir.group (%i = %x0) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %second = weir.launch "unary"(%i) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %second : tensor<4xf32>
    }
    %b1 = weir.copy %b from "cpu:0" to "cpu:1" : tensor<4xf32> loc("b")
    return %a, %a, %a, %b1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1" {isolated}]>} {
  weir.parameter @w : tensor<4xf32> from "w.safetensors"
  weir.parameter @v : tensor<4xf32> from "v.safetensors"
  // CHECK: exec.entry @passed
  func.func @passed(%x: tensor<4xf32> {weir.space = "cpu:1"}, %u: tensor<4xf32>,
                    %w: tensor<4xf32> {weir.parameter = @w}, %v: tensor<4xf32> {weir.parameter = @v})
      -> (tensor<4xf32> {weir.name = "x_host"}, tensor<4xf32> {weir.name = "x_there", weir.space = "cpu:1"},
          tensor<4xf32> {weir.name = "u_there", weir.space = "cpu:1"},
          tensor<4xf32> {weir.name = "w_there", weir.space = "cpu:1"},
          tensor<4xf32> {weir.name = "v_there", weir.space = "cpu:1"}, tensor<4xf32> {weir.assigns = @v}) {
    // CHECK-DAG: %w = exec.parameter @w on "cpu:1"
    // CHECK-DAG: %v = exec.variable @v on "cpu:0"
    // CHECK-NOT: exec.scratch
    // CHECK: exec.program on "cpu:0" queue compute {
    // CHECK-NEXT: exec.copy "assign v" %u to %{{.*}} : 16
    // CHECK-NEXT: }
    // CHECK-NEXT: exec.program on "cpu:1" queue copy_in {
    // CHECK-NEXT: exec.copy "x_host to host" %x to %x_host : 16
    // CHECK-NEXT: exec.copy "x_there to cpu:1" %x to %x_there : 16
    // CHECK-NEXT: exec.copy "u_there to cpu:1" %u to %u_there : 16
    // CHECK-NEXT: exec.copy "w_there to cpu:1" %w to %w_there : 16
    // CHECK-NEXT: exec.copy "v_there to cpu:1" crossing %v to %v_there : 16
    // CHECK-NEXT: }
    return %x, %x, %u, %w, %v, %u : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
