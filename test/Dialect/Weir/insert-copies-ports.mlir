// An input in the memory of an isolated device is made there: each other device
// that reads it gets a copy, before all else. An output in such memory is read
// there, by a copy that other readers on the device share. Memory of a device
// that is not isolated is the host's.

// RUN: graph-opt %s --weir-insert-copies --weir-verify-phase=phase=partitioned | FileCheck %s

module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1" {isolated}, "cpu:2" {isolated}]>} {
  // CHECK-LABEL: func.func @main
  func.func @main(%x: tensor<2xf32> {weir.space = "cpu:1"}, %u: tensor<2xf32> {weir.space = "cpu:0"})
      -> (tensor<2xf32> {weir.name = "near", weir.space = "cpu:1"},
          tensor<2xf32> {weir.name = "far", weir.space = "cpu:2"},
          tensor<2xf32> {weir.name = "moved", weir.space = "cpu:2"},
          tensor<2xf32> {weir.name = "host", weir.space = "cpu:0"},
          tensor<2xf32> {weir.name = "given", weir.space = "cpu:1"}) {
    // CHECK-NEXT: %[[X0:.*]] = weir.copy %x from "cpu:1" to "cpu:0"
    // CHECK-NEXT: %[[X2:.*]] = weir.copy %x from "cpu:1" to "cpu:2"
    // CHECK-NEXT: %[[A:.*]] = weir.group (%{{.*}} = %x, %{{.*}} = %u) on "cpu:1"
    %a = weir.group (%i = %x, %j = %u) on "cpu:1" : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
      %y = weir.add %i, %j : tensor<2xf32>, tensor<2xf32>
      weir.yield %y : tensor<2xf32>
    }
    // CHECK: %[[B:.*]] = weir.group (%{{.*}} = %[[X0]], %{{.*}} = %u) on "cpu:0"
    %b = weir.group (%i = %x, %j = %u) on "cpu:0" : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
      %y = weir.sub %i, %j : tensor<2xf32>, tensor<2xf32>
      weir.yield %y : tensor<2xf32>
    }
    // CHECK: %[[B2:.*]] = weir.copy %[[B]] from "cpu:0" to "cpu:2"
    // CHECK-NEXT: weir.group (%{{.*}} = %[[B2]]) on "cpu:2"
    %c = weir.group (%i = %b) on "cpu:2" : (tensor<2xf32>) -> tensor<2xf32> {
      %y = weir.relu %i : tensor<2xf32>
      weir.yield %y : tensor<2xf32>
    }
    // CHECK-NOT: weir.copy
    // CHECK: return %[[A]], %[[B2]], %[[X2]], %[[A]], %u
    return %a, %b, %x, %a, %u : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }

  // The home of a parameter is where the input lies that is its new value.
  // CHECK-LABEL: func.func @assign
  // CHECK-NEXT: return %x, %u
  func.func @assign(%x: tensor<2xf32> {weir.space = "cpu:1"}, %u: tensor<2xf32>)
      -> (tensor<2xf32> {weir.assigns = @w}, tensor<2xf32> {weir.assigns = @v}) {
    return %x, %u : tensor<2xf32>, tensor<2xf32>
  }

  // From an input in other memory it gets its value by a copy to its home. A
  // group there reads the same copy.
  func.func @compute() -> (tensor<2xf32> {weir.assigns = @h}) {
    %y = weir.group () on "cpu:0" : () -> tensor<2xf32> {
      %r = weir.constant dense<1.0> : tensor<2xf32>
      weir.yield %r : tensor<2xf32>
    }
    return %y : tensor<2xf32>
  }
  // CHECK-LABEL: func.func @assign_and_read
  // CHECK-NEXT: %[[X:.*]] = weir.copy %x from "cpu:1" to "cpu:0"
  // CHECK-NEXT: %[[Y:.*]] = weir.group (%{{.*}} = %[[X]]) on "cpu:0"
  // CHECK: return %[[X]], %[[Y]]
  func.func @assign_and_read(%x: tensor<2xf32> {weir.space = "cpu:1"})
      -> (tensor<2xf32> {weir.assigns = @h}, tensor<2xf32> {weir.name = "y"}) {
    %y = weir.group (%i = %x) on "cpu:0" : (tensor<2xf32>) -> tensor<2xf32> {
      %r = weir.relu %i : tensor<2xf32>
      weir.yield %r : tensor<2xf32>
    }
    return %x, %y : tensor<2xf32>, tensor<2xf32>
  }
  weir.parameter @h : tensor<2xf32> = dense<0.5> : tensor<2xf32>
  weir.parameter @w : tensor<2xf32> = dense<0.5> : tensor<2xf32>
  weir.parameter @v : tensor<2xf32> = dense<0.5> : tensor<2xf32>
}
