// A norm in training takes in what is behind it, although other ops read its
// mean and variance. Its group is launched where the norm stands.
// RUN: graph-opt %s -split-input-file --weir-form-groups | FileCheck %s

// The update of a running mean stands between the norm and its relu.
// CHECK-LABEL: func.func @update
func.func @update(%x: tensor<8x64xf32>, %s: tensor<64xf32>, %r: tensor<64xf32>) -> (tensor<8x64xf32>, tensor<64xf32>) {
  // CHECK: %[[NORM:.*]]:2 = weir.group
  // CHECK-NEXT: weir.batch_norm_training
  // CHECK-NEXT: weir.relu
  // CHECK-NEXT: weir.yield
  // CHECK: %[[NEXT:.*]] = weir.group (%{{.*}} = %r, %{{.*}} = %[[NORM]]#0
  // CHECK-NEXT: weir.add
  // CHECK: return %[[NORM]]#1, %[[NEXT]]
  %y, %m, %v = weir.batch_norm_training %x, %s, %s : tensor<8x64xf32>, tensor<64xf32>, tensor<64xf32>
  %n = weir.add %r, %m : tensor<64xf32>, tensor<64xf32>
  %z = weir.relu %y : tensor<8x64xf32>
  return %z, %n : tensor<8x64xf32>, tensor<64xf32>
}

// -----

// A residual from before the norm is taken in, one that follows from the norm
// itself is not: the group would need its own result.
// CHECK-LABEL: func.func @residuals
func.func @residuals(%x: tensor<8x64xf32>, %s: tensor<64xf32>) -> (tensor<8x64xf32>, tensor<64xf32>) {
  // CHECK: weir.relu
  // CHECK: %[[NORM:.*]]:2 = weir.group
  // CHECK-NEXT: weir.batch_norm_training
  // CHECK-NEXT: weir.add
  // CHECK-NEXT: weir.yield
  // CHECK: weir.group
  // CHECK-NEXT: weir.add
  %r = weir.relu %x : tensor<8x64xf32>
  %y, %m, %v = weir.batch_norm_training %x, %s, %s : tensor<8x64xf32>, tensor<64xf32>, tensor<64xf32>
  %a = weir.add %y, %r : tensor<8x64xf32>, tensor<8x64xf32>
  %z = weir.add %a, %m : tensor<8x64xf32>, tensor<64xf32>
  return %z, %m : tensor<8x64xf32>, tensor<64xf32>
}

// -----

// Two norms: the sum behind both is taken in by the later one.
// CHECK-LABEL: func.func @shortcut
func.func @shortcut(%x: tensor<8x64xf32>, %s: tensor<64xf32>) -> (tensor<8x64xf32>, tensor<64xf32>, tensor<64xf32>) {
  // CHECK: weir.group
  // CHECK-NEXT: weir.batch_norm_training
  // CHECK-NEXT: weir.yield
  // CHECK: weir.group
  // CHECK-NEXT: weir.batch_norm_training
  // CHECK-NEXT: weir.add
  // CHECK-NEXT: weir.relu
  // CHECK-NEXT: weir.yield
  %y, %m, %v = weir.batch_norm_training %x, %s, %s : tensor<8x64xf32>, tensor<64xf32>, tensor<64xf32>
  %t, %n, %w = weir.batch_norm_training %x, %s, %s : tensor<8x64xf32>, tensor<64xf32>, tensor<64xf32>
  %a = weir.add %y, %t : tensor<8x64xf32>, tensor<8x64xf32>
  %z = weir.relu %a : tensor<8x64xf32>
  return %z, %m, %n : tensor<8x64xf32>, tensor<64xf32>, tensor<64xf32>
}
