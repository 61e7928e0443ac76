// Two variables exchange values, one of them through a view on a device that
// shares memory with the other's. The old value behind the view is kept before
// it is overwritten in place.
// RUN: graph-compile %s --devices=cpu:0-1 --emit=exec | FileCheck %s

// CHECK: exec.entry @second
// CHECK: %[[B:.*]] = exec.variable @b
// CHECK: %[[NEW_B:.*]] = exec.version %[[B]]
// CHECK: exec.copy "keep a" %v to %[[KEPT:.*]] : 32
// CHECK: exec.copy "assign a" %[[KEPT]] to
// CHECK-NOT: exec.copy
// CHECK: exec.launch "n" {{.*}} -> (%[[NEW_B]] : tensor<2x4xf32>)
// CHECK-NOT: exec.copy
weir.parameter @a : tensor<4x2xf32> = dense<1.0> : tensor<4x2xf32>
weir.parameter @b : tensor<2x4xf32> = dense<2.0> : tensor<2x4xf32>
func.func @first() {
  %a = weir.read @a : tensor<4x2xf32>
  %n = weir.neg %a on "cpu:0" : tensor<4x2xf32>
  weir.assign @a, %n : tensor<4x2xf32>
  return
}
func.func @second() {
  %a = weir.read @a : tensor<4x2xf32>
  %b = weir.read @b : tensor<2x4xf32>
  %v = weir.reshape %b on "cpu:1" {shape = [4, 2]} : tensor<2x4xf32>
  %r = weir.reshape %a on "cpu:1" {shape = [2, 4]} : tensor<4x2xf32>
  %n = weir.neg %r on "cpu:1" : tensor<2x4xf32>
  weir.assign @a, %v : tensor<4x2xf32>
  weir.assign @b, %n : tensor<2x4xf32>
  return
}
