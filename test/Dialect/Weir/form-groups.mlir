// Anchors take the pointwise chain behind them along.
// RUN: graph-opt %s -split-input-file --weir-form-groups | FileCheck %s

// Bias, residual and activation ride along with the product.
// CHECK-LABEL: func.func @epilogues
func.func @epilogues(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>, %r: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK: weir.group
  // CHECK-NEXT: weir.matmul
  // CHECK-NEXT: weir.add
  // CHECK-NEXT: weir.add
  // CHECK-NEXT: weir.relu
  // CHECK-NEXT: weir.yield
  // CHECK-NOT: weir.group
  %m = weir.matmul %x, %w : tensor<2x8xf32>, tensor<8x4xf32>
  %a = weir.add %m, %b : tensor<2x4xf32>, tensor<4xf32>
  %s = weir.add %r, %a : tensor<2x4xf32>, tensor<2x4xf32>
  %y = weir.relu %s : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// A value with two readers is needed by itself.
// CHECK-LABEL: func.func @two_readers
func.func @two_readers(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>) -> tensor<2x4xf32> {
  // CHECK: %m = weir.group
  // CHECK: %t = weir.group
  // CHECK-NEXT: weir.tanh
  // CHECK-NEXT: weir.mul
  %m = weir.matmul %x, %w : tensor<2x8xf32>, tensor<8x4xf32>
  %t = weir.tanh %m : tensor<2x4xf32>
  %y = weir.mul %t, %m : tensor<2x4xf32>, tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// An annotation splits, and the group remembers what it kept out. An op that
// asks for nothing goes along.
// CHECK-LABEL: func.func @annotated
func.func @annotated(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>) -> tensor<2x4xf32> {
  // CHECK: %m = weir.group {{.*}} on "cpu:0" {weir.split_by = ["t"]}
  // CHECK-NEXT: weir.matmul
  // CHECK-NEXT: weir.relu
  // CHECK-NEXT: weir.yield
  // CHECK: %t = weir.group {{.*}} on "cpu:1"
  %m = weir.matmul %x, %w on "cpu:0" : tensor<2x8xf32>, tensor<8x4xf32>
  %r = weir.relu %m : tensor<2x4xf32>
  %t = weir.tanh %r on "cpu:1" : tensor<2x4xf32>
  return %t : tensor<2x4xf32>
}

// -----

// Only the left side of a difference can be the running value.
// CHECK-LABEL: func.func @right_side
func.func @right_side(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %r: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK: %m = weir.group
  // CHECK: %s = weir.group
  %m = weir.matmul %x, %w : tensor<2x8xf32>, tensor<8x4xf32>
  %s = weir.sub %r, %m : tensor<2x4xf32>, tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}
