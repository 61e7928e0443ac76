// Each entry has arguments for the parameters that it reads. What is derived
// once cannot follow a parameter that another entry assigns.
// RUN: graph-opt %s -weir-lift-parameters -split-input-file -verify-diagnostics | FileCheck %s

weir.parameter @p : tensor<2xf32> = dense<1.0> : tensor<2xf32>
// CHECK: func.func @read(%x: tensor<2xf32>, %p: tensor<2xf32> {weir.parameter = @p}) -> (tensor<2xf32> {weir.name = "y"})
func.func @read(%x: tensor<2xf32>) -> tensor<2xf32> {
  %p = weir.read @p : tensor<2xf32>
  %y = weir.add %x, %p : tensor<2xf32>, tensor<2xf32>
  return %y : tensor<2xf32>
}
// CHECK: func.func @assign(%x: tensor<2xf32>) -> (tensor<2xf32> {weir.assigns = @p})
func.func @assign(%x: tensor<2xf32>) {
  weir.assign @p, %x : tensor<2xf32>
  return
}

// -----

weir.parameter @p : tensor<2xf32> = dense<1.0> : tensor<2xf32>
weir.derived @half : tensor<2xf32> {
  %p = weir.read @p : tensor<2xf32>
  %h = weir.neg %p : tensor<2xf32>
  weir.yield %h : tensor<2xf32>
}
weir.derived @quarter : tensor<2xf32> {
  %h = weir.read @half : tensor<2xf32>
  %q = weir.neg %h : tensor<2xf32>
  weir.yield %q : tensor<2xf32>
}
func.func @read(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{reads @quarter, which is derived from @p once, but an entry assigns @p; compute it from @p where it is read}}
  %q = weir.read @quarter : tensor<2xf32>
  %y = weir.add %x, %q : tensor<2xf32>, tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @assign(%x: tensor<2xf32>) {
  weir.assign @p, %x : tensor<2xf32>
  return
}
