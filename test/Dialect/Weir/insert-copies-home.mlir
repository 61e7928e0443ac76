// An assigned parameter is on the device where the first entry computes its new
// value. Another entry that computes it elsewhere copies it there.
// RUN: graph-opt %s --weir-insert-copies | FileCheck %s

module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1"]>} {
  weir.parameter @w : tensor<2xf32> = dense<0.5> : tensor<2xf32>
  // CHECK: func.func @from_host
  // CHECK-NOT: weir.copy
  func.func @from_host(%x: tensor<2xf32>) -> (tensor<2xf32> {weir.assigns = @w}) {
    return %x : tensor<2xf32>
  }
  // CHECK: func.func @first
  // CHECK-NOT: weir.copy
  func.func @first(%x: tensor<2xf32>) -> (tensor<2xf32> {weir.assigns = @w}) {
    %y = weir.group (%a = %x) on "cpu:1" : (tensor<2xf32>) -> tensor<2xf32> {
      %r = weir.relu %a : tensor<2xf32>
      weir.yield %r : tensor<2xf32>
    }
    return %y : tensor<2xf32>
  }
  // CHECK: func.func @second
  // CHECK: %[[Y:.*]] = weir.group
  // CHECK: %[[HOME:.*]] = weir.copy %[[Y]] from "cpu:0" to "cpu:1"
  // CHECK-NEXT: return %[[Y]], %[[HOME]]
  func.func @second(%x: tensor<2xf32>)
      -> (tensor<2xf32> {weir.name = "y"}, tensor<2xf32> {weir.assigns = @w}) {
    %y = weir.group (%a = %x) on "cpu:0" : (tensor<2xf32>) -> tensor<2xf32> {
      %r = weir.neg %a : tensor<2xf32>
      weir.yield %r : tensor<2xf32>
    }
    return %y, %y : tensor<2xf32>, tensor<2xf32>
  }
}
