// Reads become arguments, assigns become results; the function is pure.
// RUN: graph-opt %s --weir-lift-parameters | FileCheck %s

weir.parameter @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
weir.parameter @count : tensor<2xf32> = dense<0.0> : tensor<2xf32>

// A parameter that is read twice is one argument; outputs are named like the
// values they return, a second time with a number.
// CHECK: func.func @main(%x: tensor<2xf32>, %w: tensor<2xf32> {weir.parameter = @w}, %count: tensor<2xf32> {weir.parameter = @count})
// CHECK-SAME: -> (tensor<2xf32> {weir.name = "sum"}, tensor<2xf32> {weir.name = "sum_1"}, tensor<2xf32> {weir.assigns = @count})
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %w = weir.read @w : tensor<2xf32>
  %old = weir.read @count : tensor<2xf32>
  %again = weir.read @w : tensor<2xf32>
  // CHECK: %next = weir.add %count, %w
  %next = weir.add %old, %w : tensor<2xf32>, tensor<2xf32>
  // CHECK-NOT: weir.assign
  weir.assign @count, %next : tensor<2xf32>
  // CHECK: %sum = weir.add %x, %w
  %sum = weir.add %x, %again : tensor<2xf32>, tensor<2xf32>
  // CHECK: return %sum, %sum, %next
  return %sum, %sum : tensor<2xf32>, tensor<2xf32>
}
