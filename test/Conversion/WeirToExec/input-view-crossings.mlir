// A view of an input may cross to the very device that the shared buffer is
// named after: it crosses from the device that made the view.

// RUN: graph-opt %s --convert-weir-to-exec | FileCheck %s

module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1"]>} {
  // CHECK: %x = exec.input 0 "x" on "cpu:0"
  // CHECK: %[[FLAT:.*]] = exec.alias %x on "cpu:1"
  // CHECK: %back = exec.alias %[[FLAT]] on "cpu:0"
  // CHECK: exec.launch "y" by "eltwise"(%x : tensor<2x2xf32>)
  // CHECK-NEXT: exec.copy "back to cpu:0" crossing %[[FLAT]] to %back : 0
  // CHECK-NEXT: exec.launch "z" by "eltwise"(%back : tensor<4xf32>)
  func.func @main(%x: tensor<2x2xf32>)
      -> (tensor<2x2xf32> {weir.name = "y"}, tensor<4xf32> {weir.name = "z"}) {
    %y = weir.group (%a = %x) on "cpu:0" : (tensor<2x2xf32>) -> tensor<2x2xf32> {
      %y = weir.launch "eltwise"(%a) {} : (tensor<2x2xf32>) -> tensor<2x2xf32>
      weir.yield %y : tensor<2x2xf32>
    }
    %flat = weir.group (%a = %x) on "cpu:1" : (tensor<2x2xf32>) -> tensor<4xf32> {
      %flat = weir.view %a : tensor<2x2xf32> -> tensor<4xf32>
      weir.yield %flat : tensor<4xf32>
    }
    %back = weir.copy %flat from "cpu:1" to "cpu:0" : tensor<4xf32>
    %z = weir.group (%a = %back) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %z = weir.launch "eltwise"(%a) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %z : tensor<4xf32>
    }
    return %y, %z : tensor<2x2xf32>, tensor<4xf32>
  }
}
