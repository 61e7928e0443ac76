// A group of views on another device launches nothing, and yet its operand
// crosses to it; its result may cross back.

// RUN: graph-opt %s --convert-weir-to-exec | FileCheck %s

module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1"]>} {
  // CHECK: %y = exec.output 0 "y" on "cpu:0"
  // CHECK: %flat = exec.output 1 "flat" on "cpu:0"
  // CHECK: %there = exec.alias %y on "cpu:1"
  // CHECK: %back = exec.alias %there on "cpu:0"
  // CHECK: exec.program on "cpu:0" queue compute {
  // CHECK-NEXT: exec.launch "y"
  // CHECK-NEXT: exec.copy "flat to host" %y to %flat : 16
  // CHECK-NEXT: exec.copy "back to cpu:0" crossing %there to %back : 0
  // CHECK-NEXT: exec.launch "z" by "eltwise"(%back : tensor<4xf32>)
  // CHECK: exec.program on "cpu:1" queue compute {
  // CHECK-NEXT: exec.copy "there to cpu:1" crossing %y to %there : 0
  // CHECK-NEXT: }
  func.func @main(%x: tensor<2x2xf32>)
      -> (tensor<2x2xf32> {weir.name = "y"}, tensor<4xf32> {weir.name = "flat"}, tensor<4xf32> {weir.name = "z"}) {
    %y = weir.group (%a = %x) on "cpu:0" : (tensor<2x2xf32>) -> tensor<2x2xf32> {
      %y = weir.launch "eltwise"(%a) {} : (tensor<2x2xf32>) -> tensor<2x2xf32>
      weir.yield %y : tensor<2x2xf32>
    }
    %there = weir.copy %y from "cpu:0" to "cpu:1" : tensor<2x2xf32>
    %flat = weir.group (%a = %there) on "cpu:1" : (tensor<2x2xf32>) -> tensor<4xf32> {
      %flat = weir.view %a : tensor<2x2xf32> -> tensor<4xf32>
      weir.yield %flat : tensor<4xf32>
    }
    %back = weir.copy %flat from "cpu:1" to "cpu:0" : tensor<4xf32>
    %z = weir.group (%a = %back) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %z = weir.launch "eltwise"(%a) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %z : tensor<4xf32>
    }
    return %y, %flat, %z : tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
