// Anchors take in the pointwise chain behind them; generated ops form clusters.
// RUN: graph-opt %s -split-input-file --weir-form-groups | FileCheck %s

// Bias, residual and activation are fused with the product.
// CHECK-LABEL: func.func @epilogues
func.func @epilogues(%x: tensor<32x64xf32>, %w: tensor<64x32xf32>, %b: tensor<32xf32>, %r: tensor<32x32xf32>) -> tensor<32x32xf32> {
  // CHECK: weir.group
  // CHECK-NEXT: weir.matmul
  // CHECK-NEXT: weir.add
  // CHECK-NEXT: weir.add
  // CHECK-NEXT: weir.relu
  // CHECK-NEXT: weir.yield
  // CHECK-NOT: weir.group
  %m = weir.matmul %x, %w : tensor<32x64xf32>, tensor<64x32xf32>
  %a = weir.add %m, %b : tensor<32x32xf32>, tensor<32xf32>
  %s = weir.add %r, %a : tensor<32x32xf32>, tensor<32x32xf32>
  %y = weir.relu %s : tensor<32x32xf32>
  return %y : tensor<32x32xf32>
}

// -----

// A value with two readers is stored.
// CHECK-LABEL: func.func @two_readers
func.func @two_readers(%x: tensor<32x64xf32>, %w: tensor<64x32xf32>) -> tensor<32x32xf32> {
  // CHECK: %m = weir.group
  // CHECK: %t = weir.group
  // CHECK-NEXT: weir.tanh
  // CHECK-NEXT: weir.mul
  %m = weir.matmul %x, %w : tensor<32x64xf32>, tensor<64x32xf32>
  %t = weir.tanh %m : tensor<32x32xf32>
  %y = weir.mul %t, %m : tensor<32x32xf32>, tensor<32x32xf32>
  return %y : tensor<32x32xf32>
}

// -----

// An annotation splits, and the group remembers what it kept out. An op that
// asks for nothing goes along.
// CHECK-LABEL: func.func @annotated
func.func @annotated(%x: tensor<32x64xf32>, %w: tensor<64x32xf32>) -> tensor<32x32xf32> {
  // CHECK: %m = weir.group {{.*}} on "cpu:0" {weir.split_by = ["t"]}
  // CHECK-NEXT: weir.matmul
  // CHECK-NEXT: weir.relu
  // CHECK-NEXT: weir.yield
  // CHECK: %t = weir.group {{.*}} on "cpu:1"
  %m = weir.matmul %x, %w on "cpu:0" : tensor<32x64xf32>, tensor<64x32xf32>
  %r = weir.relu %m : tensor<32x32xf32>
  %t = weir.tanh %r on "cpu:1" : tensor<32x32xf32>
  return %t : tensor<32x32xf32>
}

// -----

// Only the left operand of a subtraction can be the kernel's result.
// CHECK-LABEL: func.func @right_side
func.func @right_side(%x: tensor<32x64xf32>, %w: tensor<64x32xf32>, %r: tensor<32x32xf32>) -> tensor<32x32xf32> {
  // CHECK: %m = weir.group
  // CHECK: %s = weir.group
  %m = weir.matmul %x, %w : tensor<32x64xf32>, tensor<64x32xf32>
  %s = weir.sub %r, %m : tensor<32x32xf32>, tensor<32x32xf32>
  return %s : tensor<32x32xf32>
}

// -----

// What code is generated for becomes one group, branches included; each value
// that is read outside is a result.
// CHECK-LABEL: func.func @cluster
func.func @cluster(%x: tensor<64x256xf32>, %b: tensor<256xf32>) -> (tensor<64x256xf32>, tensor<64x256xf32>) {
  // CHECK: %{{.+}}:2 = weir.group
  // CHECK-NEXT: weir.add
  // CHECK-NEXT: weir.softmax
  // CHECK-NEXT: weir.gelu
  // CHECK-NEXT: weir.mul
  // CHECK-NEXT: weir.yield
  // CHECK-NOT: weir.group
  %s = weir.add %x, %b : tensor<64x256xf32>, tensor<256xf32>
  %n = weir.softmax %s : tensor<64x256xf32>
  %g = weir.gelu %s : tensor<64x256xf32>
  %y = weir.mul %n, %g : tensor<64x256xf32>, tensor<64x256xf32>
  return %s, %y : tensor<64x256xf32>, tensor<64x256xf32>
}

// -----

// The sum reads the exponential also by way of the product: with both in one
// group, that group and the product's would wait for each other.
// CHECK-LABEL: func.func @no_cycle
func.func @no_cycle(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {
  // CHECK: weir.group
  // CHECK-NEXT: weir.exp
  // CHECK-NEXT: weir.yield
  // CHECK: weir.group
  // CHECK-NEXT: weir.matmul
  // CHECK: weir.group
  // CHECK-NEXT: weir.sub
  %e = weir.exp %x : tensor<256x256xf32>
  %m = weir.matmul %e, %x : tensor<256x256xf32>, tensor<256x256xf32>
  %y = weir.sub %e, %m : tensor<256x256xf32>, tensor<256x256xf32>
  return %y : tensor<256x256xf32>
}

// -----

// A sum over rows needs all of them: it does not share the rows of what it
// reads.
// CHECK-LABEL: func.func @other_rows
func.func @other_rows(%x: tensor<256x256xf32>) -> tensor<256xf32> {
  // CHECK: weir.group
  // CHECK-NEXT: weir.exp
  // CHECK-NEXT: weir.yield
  // CHECK: weir.group
  // CHECK-NEXT: weir.reduce_sum
  %e = weir.exp %x : tensor<256x256xf32>
  %y = weir.reduce_sum %e {axes = [0], keepdims = false} : tensor<256x256xf32>
  return %y : tensor<256xf32>
}

// -----

// Consecutive tiny products become one kernel.
// CHECK-LABEL: func.func @tiny
func.func @tiny(%x: tensor<8x8xf32>, %a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: weir.group
  // CHECK-NEXT: weir.matmul
  // CHECK-NEXT: weir.matmul
  // CHECK-NEXT: weir.yield
  // CHECK-NOT: weir.group
  %0 = weir.matmul %x, %a : tensor<8x8xf32>, tensor<8x8xf32>
  %1 = weir.matmul %0, %b : tensor<8x8xf32>, tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// Any row may be picked: a row of the result is not made of the same row of
// what it picks from.
// CHECK-LABEL: func.func @picked_rows
func.func @picked_rows(%x: tensor<64x96xf32>, %i: tensor<64x1xi64>) -> tensor<64x96xf32> {
  // CHECK: weir.group
  // CHECK-NEXT: weir.exp
  // CHECK-NEXT: weir.yield
  // CHECK: weir.group
  // CHECK-NEXT: weir.gather_nd
  %a = weir.exp %x : tensor<64x96xf32>
  %b = weir.gather_nd %a, %i : tensor<64x96xf32>, tensor<64x1xi64>
  return %b : tensor<64x96xf32>
}

// -----

// The first row is one of many: with it in one kernel, one thread would compute
// all rows.
// CHECK-LABEL: func.func @first_row
func.func @first_row(%x: tensor<128x768xf32>) -> (tensor<128x768xf32>, tensor<1x768xf32>) {
  // CHECK: weir.group
  // CHECK-NEXT: weir.exp
  // CHECK-NEXT: weir.yield
  // CHECK: weir.group
  // CHECK-NEXT: weir.slice
  %a = weir.exp %x : tensor<128x768xf32>
  %b = weir.slice %a {starts = [0, 0], sizes = [1, 768]} : tensor<128x768xf32>
  return %a, %b : tensor<128x768xf32>, tensor<1x768xf32>
}
