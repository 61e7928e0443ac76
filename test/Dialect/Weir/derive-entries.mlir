// What an entry assigns is derived in no entry. What two entries derive in the
// same way is one parameter, in whatever order they list their operands and
// ops. Reasons not to derive have the names of their entries.
// RUN: graph-opt %s --weir-lift-parameters --weir-derive-parameters | FileCheck %s

// CHECK: weir.not_derived = {"again/large" = "{{.*}}", "predict/large" = "{{.*}}"}

weir.parameter @w : tensor<4x4xf32> = dense<0.5> : tensor<4x4xf32>
weir.parameter @row : tensor<1024xf32> = dense<1.0> : tensor<1024xf32>
weir.parameter @scale : tensor<4xf32> = dense<2.0> : tensor<4xf32>
weir.parameter @state : tensor<4x4xf32> = dense<0.0> : tensor<4x4xf32>

// CHECK: func.func @step(
// CHECK: weir.exp %state
func.func @step(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %state = weir.read @state : tensor<4x4xf32>
  %e = weir.exp %state : tensor<4x4xf32>
  %next = weir.add %state, %x : tensor<4x4xf32>, tensor<4x4xf32>
  weir.assign @state, %next : tensor<4x4xf32>
  return %e : tensor<4x4xf32>
}

// CHECK: weir.derived @turned
// CHECK: weir.derived @scaled : tensor<4x4xf32> {
// CHECK-NEXT: %w = weir.read @w
// CHECK-NEXT: %scale = weir.read @scale
// CHECK-NEXT: weir.mul %w, %scale
// CHECK-NOT: weir.derived
// CHECK: func.func @predict(%x: tensor<4x4xf32>
// CHECK-SAME: {weir.parameter = @state}
// CHECK-SAME: {weir.parameter = @turned}
// CHECK-SAME: {weir.parameter = @scaled}
// CHECK: weir.exp %state
func.func @predict(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<1024x1024xf32>) {
  %w = weir.read @w : tensor<4x4xf32>
  %scale = weir.read @scale : tensor<4xf32>
  %state = weir.read @state : tensor<4x4xf32>
  %e = weir.exp %state : tensor<4x4xf32>
  %turned = weir.transpose %w {perm = [1, 0]} : tensor<4x4xf32>
  %scaled = weir.mul %w, %scale : tensor<4x4xf32>, tensor<4xf32>
  %a = weir.add %x, %turned : tensor<4x4xf32>, tensor<4x4xf32>
  %b = weir.add %e, %scaled : tensor<4x4xf32>, tensor<4x4xf32>
  %row = weir.read @row : tensor<1024xf32>
  %large = weir.expand %row {shape = [1024, 1024]} : tensor<1024xf32>
  return %a, %b, %large : tensor<4x4xf32>, tensor<4x4xf32>, tensor<1024x1024xf32>
}

// The ops of this entry are those of predict under other names. Only @other is
// computed differently.
// CHECK: weir.derived @other : tensor<4x4xf32> {
// CHECK-NEXT: %scale = weir.read @scale
// CHECK-NEXT: %w = weir.read @w
// CHECK-NEXT: weir.mul %scale, %w
// CHECK-NOT: weir.derived
// CHECK: func.func @again(%x: tensor<4x4xf32>
// CHECK-SAME: {weir.parameter = @scaled}
// CHECK-SAME: {weir.parameter = @turned}
// CHECK-SAME: {weir.parameter = @other}
func.func @again(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<1024x1024xf32>) {
  %scale = weir.read @scale : tensor<4xf32>
  %w = weir.read @w : tensor<4x4xf32>
  %s = weir.mul %w, %scale : tensor<4x4xf32>, tensor<4xf32>
  %t = weir.transpose %w {perm = [1, 0]} : tensor<4x4xf32>
  %other = weir.mul %scale, %w : tensor<4xf32>, tensor<4x4xf32>
  %a = weir.add %x, %t : tensor<4x4xf32>, tensor<4x4xf32>
  %b = weir.add %x, %s : tensor<4x4xf32>, tensor<4x4xf32>
  %c = weir.add %x, %other : tensor<4x4xf32>, tensor<4x4xf32>
  %row = weir.read @row : tensor<1024xf32>
  %large = weir.expand %row {shape = [1024, 1024]} : tensor<1024xf32>
  return %a, %b, %c, %large : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<1024x1024xf32>
}

// This entry reads only one of the values that share a part in predict_both.
// CHECK: weir.derived @shared
// CHECK: weir.derived @left
// CHECK: weir.derived @right
// CHECK: func.func @predict_both(
// CHECK-NOT: weir.derived
// CHECK: func.func @predict_one(
// CHECK-SAME: {weir.parameter = @left}
func.func @predict_both(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %w = weir.read @w : tensor<4x4xf32>
  %shared = weir.exp %w : tensor<4x4xf32>
  %left = weir.neg %shared : tensor<4x4xf32>
  %right = weir.sqrt %shared : tensor<4x4xf32>
  %a = weir.add %x, %left : tensor<4x4xf32>, tensor<4x4xf32>
  %b = weir.add %x, %right : tensor<4x4xf32>, tensor<4x4xf32>
  return %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
}
func.func @predict_one(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %w = weir.read @w : tensor<4x4xf32>
  %e = weir.exp %w : tensor<4x4xf32>
  %n = weir.neg %e : tensor<4x4xf32>
  %a = weir.add %x, %n : tensor<4x4xf32>, tensor<4x4xf32>
  return %a : tensor<4x4xf32>
}
