// A bucket is one variable. Its parameters are read at their places in it.

// RUN: graph-opt %s --convert-weir-to-exec | FileCheck %s
// RUN: graph-opt %s --pass-pipeline='builtin.module(convert-weir-to-exec,exec.entry(exec-order-launches,exec-assign-events,exec-plan-memory,exec-verify-schedule))' | FileCheck %s --check-prefix=PROVEN

module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1" {isolated}]>} {
  weir.parameter @w : tensor<2x3xf32> from "w.safetensors"
  weir.parameter @b : tensor<8xf32> from "w.safetensors"
  weir.bucket @all : tensor<32xf32> of [@w, @b]

  // A reader of a part comes before the update in place, also if it is behind
  // it in the text.
  // CHECK-LABEL: exec.entry @step
  // CHECK: %all = exec.variable @all on "cpu:0" : tensor<32xf32>
  // CHECK-NOT: exec.variable
  // CHECK: exec.launch "new" by "generated"(%all : tensor<32xf32>) -> (%all_0 : tensor<32xf32>) {} overwrites [0]
  // CHECK-NEXT: exec.launch "y" by "generated"(%all[64] : tensor<8xf32>) -> (%y : tensor<8xf32>)
  // PROVEN-LABEL: exec.entry @step
  // PROVEN: exec.launch "y"
  // PROVEN: exec.launch "new"
  func.func @step(%all: tensor<32xf32> {weir.parameter = @all}, %b: tensor<8xf32> {weir.parameter = @b})
      -> (tensor<8xf32> {weir.name = "y"}, tensor<32xf32> {weir.assigns = @all}) {
    %r = weir.group (%c = %all) on "cpu:0" : (tensor<32xf32>) -> tensor<32xf32> {
      %new = weir.launch "generated"(%c) {} overwritten_by [0] : (tensor<32xf32>) -> tensor<32xf32>
      weir.yield %new : tensor<32xf32>
    }
    %d = weir.group (%e = %b) on "cpu:0" : (tensor<8xf32>) -> tensor<8xf32> {
      %y = weir.launch "generated"(%e) {} : (tensor<8xf32>) -> tensor<8xf32>
      weir.yield %y : tensor<8xf32>
    }
    return %d, %r : tensor<8xf32>, tensor<32xf32>
  }

  // Only the bytes of the part go to another memory, and an output gets only
  // those.
  // CHECK-LABEL: exec.entry @read
  // CHECK: %all = exec.variable @all on "cpu:0" : tensor<32xf32>
  // CHECK-DAG: exec.copy "b to cpu:1" crossing %all[64] to %b : 32
  // CHECK-DAG: exec.launch "y" by "generated"(%b : tensor<8xf32>)
  // CHECK-DAG: exec.copy "w to host" %all to %w : 24
  // PROVEN-LABEL: exec.entry @read
  func.func @read(%w: tensor<2x3xf32> {weir.parameter = @w}, %b: tensor<8xf32> {weir.parameter = @b})
      -> (tensor<8xf32> {weir.name = "y"}, tensor<2x3xf32> {weir.name = "w"}) {
    %d = weir.group (%e = %b) on "cpu:1" : (tensor<8xf32>) -> tensor<8xf32> {
      %y = weir.launch "generated"(%e) {} : (tensor<8xf32>) -> tensor<8xf32>
      weir.yield %y : tensor<8xf32>
    }
    return %d, %w : tensor<8xf32>, tensor<2x3xf32>
  }
}
