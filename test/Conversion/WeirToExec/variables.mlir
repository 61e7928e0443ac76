// An assigned parameter is a variable on the device of its new value. Two that
// swap their values are both read before either is written; one that gets its
// own value back is a parameter.

// RUN: graph-opt %s --convert-weir-to-exec | FileCheck %s

module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1"]>} {
  weir.parameter @count : tensor<4xf32> from "w.safetensors"
  weir.parameter @left : tensor<4xf32> from "w.safetensors"
  weir.parameter @right : tensor<4xf32> from "w.safetensors"
  weir.parameter @same : tensor<4xf32> from "w.safetensors"
  func.func @main(%count: tensor<4xf32> {weir.parameter = @count},
                  %left: tensor<4xf32> {weir.parameter = @left},
                  %right: tensor<4xf32> {weir.parameter = @right},
                  %same: tensor<4xf32> {weir.parameter = @same})
      -> (tensor<4xf32> {weir.assigns = @count}, tensor<4xf32> {weir.assigns = @left},
          tensor<4xf32> {weir.assigns = @right}, tensor<4xf32> {weir.assigns = @same}) {
    // CHECK-DAG: %count = exec.variable @count on "cpu:1"
    // CHECK-DAG: %left = exec.variable @left on "cpu:0"
    // CHECK-DAG: %right = exec.variable @right on "cpu:0"
    // CHECK-DAG: %same = exec.parameter @same on "cpu:1"
    // CHECK-DAG: %[[NEXT_COUNT:.*]] = exec.version %count
    // CHECK-DAG: %[[NEXT_LEFT:.*]] = exec.version %left
    // CHECK-DAG: %[[NEXT_RIGHT:.*]] = exec.version %right
    // CHECK: exec.program on "cpu:0" queue compute {
    // CHECK-NEXT: exec.copy "keep left" %right to %[[LEFT:.*]] : 16
    // CHECK-NEXT: exec.copy "keep right" %left to %[[RIGHT:.*]] : 16
    // CHECK-NEXT: exec.copy "assign left" %[[LEFT]] to %[[NEXT_LEFT]] : 16
    // CHECK-NEXT: exec.copy "assign right" %[[RIGHT]] to %[[NEXT_RIGHT]] : 16
    // CHECK-NEXT: }
    // CHECK-NEXT: exec.program on "cpu:1" queue compute {
    // CHECK-NEXT: exec.launch "next" by "binary"(%count : tensor<4xf32>, %same : tensor<4xf32>) -> (%next : tensor<4xf32>) {}
    // CHECK-NEXT: exec.copy "assign count" %next to %[[NEXT_COUNT]] : 16
    // CHECK-NEXT: }
    %n = weir.group (%a = %count, %b = %same) on "cpu:1" : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
      %next = weir.launch "binary"(%a, %b) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      weir.yield %next : tensor<4xf32>
    }
    return %n, %right, %left, %same : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
