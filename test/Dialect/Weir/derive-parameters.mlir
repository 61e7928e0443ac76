// What depends on parameters alone becomes a parameter of its own, and leaves
// the entry together with what only it was made of.
// RUN: graph-opt %s --weir-lift-parameters --weir-derive-parameters | FileCheck %s
// RUN: graph-opt %s --weir-lift-parameters --weir-derive-parameters \
// RUN:   | graph-opt | FileCheck %s

weir.parameter @w : tensor<8x4xf32> = dense<0.5> : tensor<8x4xf32>
weir.parameter @s : tensor<4xf32> = dense<2.0> : tensor<4xf32>
weir.parameter @kept : tensor<8xf32> = dense<1.0> : tensor<8xf32>
weir.parameter @count : tensor<4xf32> = dense<0.0> : tensor<4xf32>
weir.parameter @scaled : tensor<4xf32> = dense<3.0> : tensor<4xf32>
weir.parameter @small : tensor<1xf32> = dense<3.0> : tensor<1xf32>

// CHECK: weir.not_derived = {large = "4194304 bytes, but computed from at most 4 bytes"}

// The name of the parameter @scaled of the text is already used.
// CHECK: weir.derived @scaled_1 : tensor<4x8xf32> {
// CHECK-NEXT: %[[W:.*]] = weir.read @w : tensor<8x4xf32>
// CHECK-NEXT: %[[S:.*]] = weir.read @s : tensor<4xf32>
// CHECK-NEXT: %[[P:.*]] = weir.mul %[[W]], %[[S]] : tensor<8x4xf32>, tensor<4xf32>
// CHECK-NEXT: %[[T:.*]] = weir.transpose %[[P]]
// CHECK-NEXT: weir.yield %[[T]] : tensor<4x8xf32>

// A large value is left to the run, but its operands are derived.
// CHECK: weir.derived @negated : tensor<1xf32> {
// CHECK: weir.neg
// CHECK-NOT: weir.derived

// CHECK: func.func @main(%x: tensor<2x8xf32>,
// CHECK-SAME: %kept: tensor<8xf32> {weir.parameter = @kept},
// CHECK-SAME: %count: tensor<4xf32> {weir.parameter = @count},
// CHECK-SAME: %scaled_1: tensor<4x8xf32> {weir.parameter = @scaled_1},
// CHECK-SAME: %negated: tensor<1xf32> {weir.parameter = @negated})
func.func @main(%x: tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x8xf32>, tensor<1024x1024xf32>) {
  %w = weir.read @w : tensor<8x4xf32>
  %s = weir.read @s : tensor<4xf32>
  %m = weir.mul %w, %s on "cpu:0" : tensor<8x4xf32>, tensor<4xf32>
  %scaled = weir.transpose %m {perm = [1, 0]} : tensor<8x4xf32>
  // CHECK: %y = weir.linear %x, %scaled_1
  %y = weir.linear %x, %scaled : tensor<2x8xf32>, tensor<4x8xf32>
  // A parameter that is used unchanged stays a parameter.
  %kept = weir.read @kept : tensor<8xf32>
  // CHECK: %z = weir.add %x, %kept
  %z = weir.add %x, %kept : tensor<2x8xf32>, tensor<8xf32>
  // Assigned parameters change from run to run.
  %count = weir.read @count : tensor<4xf32>
  // CHECK: %next = weir.exp %count
  %next = weir.exp %count : tensor<4xf32>
  weir.assign @count, %next : tensor<4xf32>
  %small = weir.read @small : tensor<1xf32>
  %negated = weir.neg %small : tensor<1xf32>
  // CHECK: %large = weir.expand %negated
  %large = weir.expand %negated {shape = [1024, 1024]} : tensor<1xf32>
  return %y, %z, %large : tensor<2x4xf32>, tensor<2x8xf32>, tensor<1024x1024xf32>
}
