// Which results of a kernel function may lie in the bytes of an operand.
// RUN: graph-opt %s -convert-weir-to-linalg -convert-linalg-to-kernels \
// RUN:   | FileCheck %s
// RUN: graph-opt %s -convert-weir-to-linalg \
// RUN:   -convert-linalg-to-kernels=vector-bits=256 | FileCheck %s

// Each point reads both operands where it stores; a broadcast is read
// elsewhere, too.
// CHECK-LABEL: func.func @update(
// CHECK-SAME: weir.overwritten_by = array<i64: 0, 0, -1>
func.func @update(%w: tensor<300x7xf32>, %g: tensor<300x7xf32>, %rate: tensor<1x7xf32>)
    -> tensor<300x7xf32> {
  %s = weir.mul %g, %rate : tensor<300x7xf32>, tensor<1x7xf32>
  %y = weir.sub %w, %s : tensor<300x7xf32>, tensor<300x7xf32>
  return %y : tensor<300x7xf32>
}

// Each of the three results has its own operand. The gradient is read by two
// loops, the second of which would find a result in its place.
// CHECK-LABEL: func.func @adam(
// CHECK-SAME: weir.overwritten_by = array<i64: 0, 1, 2, -1>
func.func @adam(%w: tensor<64xf32>, %m: tensor<64xf32>, %v: tensor<64xf32>, %g: tensor<64xf32>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %b = weir.constant dense<0.9> : tensor<f32>
  %m1 = weir.mul %m, %b : tensor<64xf32>, tensor<f32>
  %m2 = weir.add %m1, %g : tensor<64xf32>, tensor<64xf32>
  %square = weir.mul %g, %g : tensor<64xf32>, tensor<64xf32>
  %v1 = weir.mul %v, %b : tensor<64xf32>, tensor<f32>
  %v2 = weir.add %v1, %square : tensor<64xf32>, tensor<64xf32>
  %root = weir.sqrt %v2 : tensor<64xf32>
  %step = weir.div %m2, %root : tensor<64xf32>, tensor<64xf32>
  %w2 = weir.sub %w, %step : tensor<64xf32>, tensor<64xf32>
  return %w2, %m2, %v2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// With weight decay, both averages read the parameter before it is overwritten:
// its new value follows from them. The new value of @late does not.
// CHECK-LABEL: func.func @decay(
// CHECK-SAME: weir.overwritten_by = array<i64: 0, 1, 2, -1>
func.func @decay(%w: tensor<640xf32>, %m: tensor<640xf32>, %v: tensor<640xf32>, %g: tensor<640xf32>)
    -> (tensor<640xf32>, tensor<640xf32>, tensor<640xf32>) {
  %d = weir.leaf %g, %w {expression = "a + 0.1 * b", spec = "...,...->...", type = f32} : tensor<640xf32>, tensor<640xf32>
  %m2 = weir.leaf %m, %d {expression = "0.9 * a + b", spec = "...,...->...", type = f32} : tensor<640xf32>, tensor<640xf32>
  %v2 = weir.leaf %v, %d {expression = "0.9 * a + b * b", spec = "...,...->...", type = f32} : tensor<640xf32>, tensor<640xf32>
  %w2 = weir.leaf %w, %m2, %v2 {expression = "a - b / sqrt(c)", spec = "...,...,...->...", type = f32} : tensor<640xf32>, tensor<640xf32>, tensor<640xf32>
  return %w2, %m2, %v2 : tensor<640xf32>, tensor<640xf32>, tensor<640xf32>
}

// CHECK-LABEL: func.func @late(
// CHECK-SAME: weir.overwritten_by = array<i64: -1, 1, 2, -1>
func.func @late(%w: tensor<640xf32>, %m: tensor<640xf32>, %v: tensor<640xf32>, %g: tensor<640xf32>)
    -> (tensor<640xf32>, tensor<640xf32>, tensor<640xf32>) {
  %d = weir.leaf %g, %w {expression = "a + 0.1 * b", spec = "...,...->...", type = f32} : tensor<640xf32>, tensor<640xf32>
  %m2 = weir.leaf %m, %d {expression = "0.9 * a + b", spec = "...,...->...", type = f32} : tensor<640xf32>, tensor<640xf32>
  %v2 = weir.leaf %v, %d {expression = "0.9 * a + b * b", spec = "...,...->...", type = f32} : tensor<640xf32>, tensor<640xf32>
  %w2 = weir.leaf %w, %m2 {expression = "a - b", spec = "...,...->...", type = f32} : tensor<640xf32>, tensor<640xf32>
  return %w2, %m2, %v2 : tensor<640xf32>, tensor<640xf32>, tensor<640xf32>
}

// A sum is complete before its result is stored.
// CHECK-LABEL: func.func @behind_a_sum(
// CHECK-SAME: weir.overwritten_by = array<i64: 0, -1>
func.func @behind_a_sum(%b: tensor<40xf32>, %g: tensor<64x40xf32>) -> tensor<40xf32> {
  %s = weir.reduce_sum %g {axes = [0], keepdims = false} : tensor<64x40xf32>
  %y = weir.sub %b, %s : tensor<40xf32>, tensor<40xf32>
  return %y : tensor<40xf32>
}

// The element of another point is read.
// CHECK-LABEL: func.func @transpose(
// CHECK-NOT: overwritten_by
func.func @transpose(%x: tensor<40x40xf32>) -> tensor<40x40xf32> {
  %y = weir.transpose %x {perm = [1, 0]} : tensor<40x40xf32>
  return %y : tensor<40x40xf32>
}

// CHECK-LABEL: func.func @both_ways(
// CHECK-NOT: overwritten_by
func.func @both_ways(%x: tensor<40x40xf32>) -> tensor<40x40xf32> {
  %t = weir.transpose %x {perm = [1, 0]} : tensor<40x40xf32>
  %y = weir.add %x, %t : tensor<40x40xf32>, tensor<40x40xf32>
  return %y : tensor<40x40xf32>
}

// CHECK-LABEL: func.func @rotate(
// CHECK-NOT: overwritten_by
func.func @rotate(%x: tensor<40xf32>) -> tensor<40xf32> {
  %a = weir.slice %x {starts = [1], sizes = [39], steps = [1]} : tensor<40xf32>
  %b = weir.slice %x {starts = [0], sizes = [1], steps = [1]} : tensor<40xf32>
  %y = weir.concat %a, %b {axis = 0} : tensor<39xf32>, tensor<1xf32>
  return %y : tensor<40xf32>
}

// The sum of all reads every element before the quotients replace them, but it
// is a loop of its own.
// CHECK-LABEL: func.func @norm(
// CHECK-NOT: overwritten_by
func.func @norm(%x: tensor<40xf32>) -> tensor<40xf32> {
  %s = weir.reduce_sum %x : tensor<40xf32>
  %y = weir.div %x, %s : tensor<40xf32>, tensor<1xf32>
  return %y : tensor<40xf32>
}

// Two results are computed from the operand.
// CHECK-LABEL: func.func @two(
// CHECK-NOT: overwritten_by
func.func @two(%x: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>) {
  %y = weir.neg %x : tensor<40xf32>
  %z = weir.abs %x : tensor<40xf32>
  return %y, %z : tensor<40xf32>, tensor<40xf32>
}

// The parts of the result are disjoint, and each is stored where its part of
// %w is read.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME: weir.overwritten_by = array<i64: 0, -1, -1>
func.func @parts(%w: tensor<64x64xf32>, %a: tensor<32x64xf32>, %b: tensor<32x64xf32>)
    -> tensor<64x64xf32> {
  %g = weir.concat %a, %b {axis = 0} : tensor<32x64xf32>, tensor<32x64xf32>
  %y = weir.sub %w, %g : tensor<64x64xf32>, tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// Small parts are read under conditions, and where these do not hold, elsewhere.
// CHECK-LABEL: func.func @conditions(
// CHECK-NOT: overwritten_by
func.func @conditions(%w: tensor<8x4xf32>, %a: tensor<4x4xf32>, %b: tensor<4x4xf32>)
    -> tensor<8x4xf32> {
  %g = weir.concat %a, %b {axis = 0} : tensor<4x4xf32>, tensor<4x4xf32>
  %y = weir.sub %w, %g : tensor<8x4xf32>, tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
