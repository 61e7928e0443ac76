// Outputs that no launch can write in place get a copy: an input, a constant,
// and a value that is returned twice.

// RUN: graph-opt %s --convert-weir-to-exec | FileCheck %s

module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  // CHECK: weir.parameter @one : tensor<4xf32>
  func.func @main(%x: tensor<4xf32>)
      -> (tensor<4xf32> {weir.name = "same"}, tensor<4xf32> {weir.name = "y"},
          tensor<4xf32> {weir.name = "again"}, tensor<4xf32> {weir.name = "const"}) {
    %one = weir.constant dense<1.0> : tensor<4xf32>
    // CHECK: exec.program on "cpu:0" queue compute {
    // CHECK-NEXT: exec.launch "y" by "eltwise"(%x : tensor<4xf32>) -> (%y : tensor<4xf32>) {}
    // CHECK-NEXT: exec.copy "again to host" %y to %again : 16
    // CHECK-NEXT: exec.launch "unused" by "eltwise"(%y : tensor<4xf32>) -> (%unused : tensor<4xf32>) {}
    // CHECK-NEXT: exec.copy "same to host" %x to %same : 16
    // CHECK-NEXT: exec.copy "const to host" %one to %const : 16
    // CHECK-NEXT: }
    %r:2 = weir.group (%a = %x) on "cpu:0" : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %y = weir.launch "eltwise"(%a) {} : (tensor<4xf32>) -> tensor<4xf32>
      %unused = weir.launch "eltwise"(%y) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %y, %unused : tensor<4xf32>, tensor<4xf32>
    }
    return %x, %r#0, %r#0, %one : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
