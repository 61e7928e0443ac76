// Gradients are built from records: leaves become ops that records describe.
// RUN: graph-opt %s -split-input-file --weir-differentiate | FileCheck %s

// The gradients of linear are products and a sum. The gradient of relu needs its
// result alone, and a square reads its operand once. Ops are named after what
// they differentiate and inherit its device.
// CHECK-LABEL: func.func @dense
func.func @dense(%x: tensor<4x20xf32>, %w: tensor<10x20xf32>, %b: tensor<10xf32>)
    -> (tensor<10x20xf32>, tensor<10xf32>, tensor<4x20xf32>) {
  %y = weir.linear %x, %w, %b on "cpu:1" : tensor<4x20xf32>, tensor<10x20xf32>, tensor<10xf32>
  %r = weir.relu %y : tensor<4x10xf32>
  %s = weir.mul %r, %r : tensor<4x10xf32>, tensor<4x10xf32>
  %loss = weir.reduce_sum %s {keepdims = false} : tensor<4x10xf32>
  // CHECK: %[[ONE:.*]] = weir.constant dense<1.000000e+00> : tensor<f32>
  // CHECK: %[[DR:.*]] = weir.leaf %{{.*}}, %r {expression = "2 * (a * b)", spec = "...,...->...", type = f32} : tensor<1x1xf32>, tensor<4x10xf32>
  // CHECK: %[[DY:.*]] = weir.relu_gradient %[[DR]], %r
  // CHECK: %y.grad.x = weir.matmul %[[DY]], %w on "cpu:1"
  // CHECK: %[[T:.*]] = weir.transpose %[[DY]] on "cpu:1" {perm = [1, 0]}
  // CHECK: %[[DW:.*]] = weir.matmul %[[T]], %x on "cpu:1"
  // CHECK: %[[DB:.*]] = weir.reduce_sum %[[DY]] on "cpu:1" {axes = [0], keepdims = false}
  // CHECK: return %[[DW]], %[[DB]], %y.grad.x
  %dw, %db, %dx = weir.gradient %loss of %w, %b, %x
      : tensor<f32> of tensor<10x20xf32>, tensor<10xf32>, tensor<4x20xf32>
  return %dw, %db, %dx : tensor<10x20xf32>, tensor<10xf32>, tensor<4x20xf32>
}

// -----

// The gradients of a convolution are a transposed one and that for its weight.
// Padding at the end is what the windows meet.
// CHECK-LABEL: func.func @convolution
func.func @convolution(%x: tensor<2x4x9x8xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>)
    -> (tensor<2x4x9x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) {
  %y = weir.conv %x, %w, %b {groups = 2, pads = [1, 1, 1, 1], strides = [2, 2]}
      : tensor<2x4x9x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>
  %t = weir.tanh %y : tensor<2x6x5x4xf32>
  %loss = weir.reduce_sum %t {keepdims = false} : tensor<2x6x5x4xf32>
  // CHECK: %[[DY:.*]] = weir.leaf %{{.*}}, %t {expression = "a * (1 - b * b)"
  // CHECK: %y.grad.x = weir.conv_transpose %[[DY]], %w {dilations = [1, 1], groups = 2 : i64, output_padding = [0, 0], pads = [1, 1, 1, 0], strides = [2, 2]}
  // CHECK: %y.grad.weight = weir.conv_weight_gradient %x, %[[DY]] {dilations = [1, 1], groups = 2 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 0], strides = [2, 2]}
  // CHECK: weir.reduce_sum %[[DY]] {axes = [0, 2, 3], keepdims = false}
  %dx, %dw, %db = weir.gradient %loss of %x, %w, %b
      : tensor<f32> of tensor<2x4x9x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>
  return %dx, %dw, %db : tensor<2x4x9x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>
}

// -----

// The gradient of a transposed convolution for its input is a convolution, that
// of a convolution's weight gradient for its operands two others.
// CHECK-LABEL: func.func @second_order
func.func @second_order(%x: tensor<1x3x6x6xf32>, %g: tensor<1x4x4x4xf32>)
    -> (tensor<1x3x6x6xf32>, tensor<1x4x4x4xf32>) {
  %w = weir.conv_weight_gradient %x, %g {kernel_shape = [3, 3]}
      : tensor<1x3x6x6xf32>, tensor<1x4x4x4xf32>
  %loss = weir.reduce_sum %w {keepdims = false} : tensor<4x3x3x3xf32>
  // CHECK: %w.grad.x = weir.conv_transpose %g, %{{.*}} {
  // CHECK: %w.grad.gradient = weir.conv %x, %{{.*}} {
  %dx, %dg = weir.gradient %loss of %x, %g
      : tensor<f32> of tensor<1x3x6x6xf32>, tensor<1x4x4x4xf32>
  return %dx, %dg : tensor<1x3x6x6xf32>, tensor<1x4x4x4xf32>
}

// -----

// Contributions of several readers are added. What does not lead to a wanted
// gradient is not built, and nothing flows through stop_gradient.
// CHECK-LABEL: func.func @readers
func.func @readers(%x: tensor<3xf32>, %c: tensor<3xf32>) -> tensor<3xf32> {
  %e = weir.exp %x : tensor<3xf32>
  %m = weir.mul %x, %c : tensor<3xf32>, tensor<3xf32>
  // CHECK-NOT: weir.stop_gradient
  %s = weir.stop_gradient %e : tensor<3xf32>
  %p = weir.mul %s, %m : tensor<3xf32>, tensor<3xf32>
  %q = weir.add %p, %e : tensor<3xf32>, tensor<3xf32>
  %loss = weir.reduce_sum %q {keepdims = false} : tensor<3xf32>
  // CHECK: %[[DM:.*]] = weir.mul %{{.*}}, %e : tensor<1xf32>, tensor<3xf32>
  // CHECK-NEXT: %[[DX1:.*]] = weir.mul %[[DM]], %c
  // CHECK: %[[DX2:.*]] = weir.mul %{{.*}}, %e : tensor<1xf32>, tensor<3xf32>
  // CHECK-NEXT: %[[DX:.*]] = weir.add %[[DX1]], %[[DX2]]
  // CHECK-NEXT: return %[[DX]]
  %dx = weir.gradient %loss of %x : tensor<f32> of tensor<3xf32>
  return %dx : tensor<3xf32>
}

// -----

// Broadcast operands get sums. Moves of elements become moves.
// CHECK-LABEL: func.func @moves
func.func @moves(%x: tensor<2x3xf32>, %s: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>) {
  %b = weir.mul %x, %s : tensor<2x3xf32>, tensor<3xf32>
  %t = weir.transpose %b {perm = [1, 0]} : tensor<2x3xf32>
  %l = weir.slice %t {sizes = [2, 2], starts = [1, 0]} : tensor<3x2xf32>
  %q = weir.mul %l, %l : tensor<2x2xf32>, tensor<2x2xf32>
  %loss = weir.reduce_sum %q {keepdims = false} : tensor<2x2xf32>
  // CHECK: %[[DT:.*]] = weir.pad %{{.*}} {pads = [1, 0, 0, 0]}
  // CHECK: %[[DB:.*]] = weir.transpose %[[DT]] {perm = [1, 0]}
  // CHECK: %[[S:.*]] = weir.reshape %s {shape = [1, 3]}
  // CHECK: weir.mul %[[DB]], %[[S]]
  // CHECK: %[[P:.*]] = weir.mul %[[DB]], %x
  // CHECK: weir.reduce_sum %[[P]] {axes = [0], keepdims = false}
  %dx, %ds = weir.gradient %loss of %x, %s : tensor<f32> of tensor<2x3xf32>, tensor<3xf32>
  return %dx, %ds : tensor<2x3xf32>, tensor<3xf32>
}

// -----

// The gradient of a dropout draws the numbers again.
// CHECK-LABEL: func.func @dropout
func.func @dropout(%x: tensor<4x3xf32>, %step: tensor<i64>) -> tensor<4x3xf32> {
  %d = weir.dropout %x, %step {ratio = 0.25, seed = 7, stream = 9} : tensor<4x3xf32>, tensor<i64>
  %loss = weir.reduce_sum %d {keepdims = false} : tensor<4x3xf32>
  // CHECK: %[[SEED:.*]] = weir.constant dense<7> : tensor<i64>
  // CHECK: %[[STREAM:.*]] = weir.constant dense<9> : tensor<i64>
  // CHECK-NEXT: %[[DRAWN:.*]] = weir.leaf %[[SEED]], %step, %[[STREAM]] {expression = "shift_right(random(a, b, c, (index(x0)) * 3 + index(x1)), 8)", {{.*}}type = i32}
  // CHECK: weir.leaf %{{.*}}, %[[DRAWN]] {expression = "select(b < 4194304, 0, a * 1.3333333333333333)"
  %dx = weir.gradient %loss of %x : tensor<f32> of tensor<4x3xf32>
  return %dx : tensor<4x3xf32>
}

// Contributions that repeat a tensor are added without being there in full. If
// all of them do, their sum is repeated.
// CHECK-LABEL: func.func @repeated
func.func @repeated(%x: tensor<2x3x8x8xf32>, %w: tensor<3x3x3x3xf32>)
    -> (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) {
  %m = weir.global_average_pool %x : tensor<2x3x8x8xf32>
  %y = weir.conv %x, %w {pads = [1, 1, 1, 1]} : tensor<2x3x8x8xf32>, tensor<3x3x3x3xf32>
  %z = weir.mul %y, %m : tensor<2x3x8x8xf32>, tensor<2x3x1x1xf32>
  %loss = weir.reduce_sum %z {keepdims = false} : tensor<2x3x8x8xf32>
  // CHECK: %[[CONV:.*]] = weir.conv_transpose
  // CHECK: weir.add %[[CONV]], %{{.*}} : tensor<2x3x8x8xf32>, tensor<2x3x1x1xf32>
  %dx = weir.gradient %loss of %x : tensor<f32> of tensor<2x3x8x8xf32>
  %s = weir.reduce_sum %x {keepdims = false} : tensor<2x3x8x8xf32>
  %a = weir.reduce_max %m {keepdims = false} : tensor<2x3x1x1xf32>
  %both = weir.add %s, %a : tensor<f32>, tensor<f32>
  // CHECK: %[[SUM:.*]] = weir.add %{{.*}}, %{{.*}} : tensor<1x1x1x1xf32>, tensor<2x3x1x1xf32>
  // CHECK-NEXT: weir.expand %[[SUM]] {shape = [2, 3, 8, 8]}
  %dx2 = weir.gradient %both of %x : tensor<f32> of tensor<2x3x8x8xf32>
  return %dx, %dx2 : tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>
}

// -----

// A pool notes its maxima, so that its gradient does not read its input. The
// gradient of the relu in front is computed on the smaller tensors, from what
// the pool returns.
// CHECK-LABEL: func.func @pool
// CHECK-NOT: weir.max_pool %
// CHECK: %p, %p_0 = weir.max_pool_training %r on "cpu:1" {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x3x6x8xf32>
// CHECK: %[[S:.*]] = weir.leaf {{.*}}expression = "2 * (a * b)"
// CHECK: %[[DP:.*]] = weir.reshape %[[S]]
// CHECK: %[[DR:.*]] = weir.relu_gradient %[[DP]], %p on "cpu:1" : tensor<1x3x3x4xf32>, tensor<1x3x3x4xf32>
// CHECK: %[[DX:.*]] = weir.max_pool_gradient %[[DR]], %p_0 on "cpu:1" {kernel_shape = [2, 2], sizes = [6, 8], strides = [2, 2]} : tensor<1x3x3x4xf32>, tensor<1x3x3x4xui8>
// CHECK-NOT: weir.max_pool_gradient
// CHECK: return %[[DX]], %[[DP]] : tensor<1x3x6x8xf32>, tensor<1x3x3x4xf32>
func.func @pool(%x: tensor<1x3x6x8xf32>) -> (tensor<1x3x6x8xf32>, tensor<1x3x3x4xf32>) {
  %r = weir.relu %x on "cpu:1" : tensor<1x3x6x8xf32>
  %p = weir.max_pool %r on "cpu:1" {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x3x6x8xf32>
  %s = weir.mul %p, %p : tensor<1x3x3x4xf32>, tensor<1x3x3x4xf32>
  %loss = weir.reduce_sum %s {keepdims = false} : tensor<1x3x3x4xf32>
  %dx, %dp = weir.gradient %loss of %x, %p : tensor<f32> of tensor<1x3x6x8xf32>, tensor<1x3x3x4xf32>
  return %dx, %dp : tensor<1x3x6x8xf32>, tensor<1x3x3x4xf32>
}

// -----

// Not so if something else reads the relu, or if the pool is on another device.
// CHECK-LABEL: func.func @pool_and_more
// CHECK: weir.max_pool_gradient {{.*}} on "cpu:1"
// CHECK: weir.relu_gradient %{{.*}}, %r on "cpu:0"
// CHECK-LABEL: func.func @pool_elsewhere
// CHECK: weir.max_pool_gradient {{.*}} on "cpu:1"
// CHECK: weir.clip_gradient %{{.*}}, %r on "cpu:0"
func.func @pool_and_more(%x: tensor<1x3x6x8xf32>) -> tensor<1x3x6x8xf32> {
  %r = weir.relu %x on "cpu:0" : tensor<1x3x6x8xf32>
  %p = weir.max_pool %r on "cpu:1" {kernel_shape = [2, 2], pads = [0, 0, 1, 1]} : tensor<1x3x6x8xf32>
  %s = weir.mul %p, %r : tensor<1x3x6x8xf32>, tensor<1x3x6x8xf32>
  %loss = weir.reduce_sum %s {keepdims = false} : tensor<1x3x6x8xf32>
  %dx = weir.gradient %loss of %x : tensor<f32> of tensor<1x3x6x8xf32>
  return %dx : tensor<1x3x6x8xf32>
}
func.func @pool_elsewhere(%x: tensor<1x3x6x8xf32>) -> tensor<1x3x6x8xf32> {
  %r = weir.clip %x on "cpu:0" {max = 6.0, min = 0.0} : tensor<1x3x6x8xf32>
  %p = weir.max_pool %r on "cpu:1" {kernel_shape = [2, 2]} : tensor<1x3x6x8xf32>
  %loss = weir.reduce_sum %p {keepdims = false} : tensor<1x3x5x7xf32>
  %dx = weir.gradient %loss of %x : tensor<f32> of tensor<1x3x6x8xf32>
  return %dx : tensor<1x3x6x8xf32>
}
