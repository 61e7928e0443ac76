// RUN: graph-opt %s --weir-build-steps | FileCheck %s

// The artifact says how each entry trains: with all numbers of the optimiser,
// and the factor of the rate behind `a` updates.

// CHECK: weir.metadata = [
// CHECK-SAME: ["weir.training.train.optimizer", "sgd(decoupled_decay=false, l1_decay=0, momentum=0.9, nesterov=false, rate_inside=false, weight_decay=0)"],
// CHECK-SAME: ["weir.training.train.rate", "0.05"],
// CHECK-SAME: ["weir.training.train.schedule", "exponential(factor=0.5)"],
// CHECK-SAME: ["weir.training.train.rate_factor", "pow(0.5, a / 1)"],
// CHECK-SAME: ["weir.training.train.accumulate", "1"],
// CHECK-SAME: ["weir.training.train.clip_value", "0"],
// CHECK-SAME: ["weir.training.train.clip_norm", "1"],
// CHECK-SAME: ["weir.training.train.groups", "[(parameters=[*.bias], weight_decay=0)]"],
// CHECK-SAME: ["weir.training.fed.optimizer", "adagrad(
// CHECK-SAME: ["weir.training.fed.rate", "an input"],
// CHECK-SAME: ["weir.training.fed.schedule", "fixed()"]
weir.parameter @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
weir.parameter @v.bias : tensor<4xf32> = dense<1.0> : tensor<4xf32>

func.func @train(%x: tensor<4xf32>) -> tensor<f32> {
  %w = weir.read @w : tensor<4xf32>
  %v = weir.read @v.bias : tensor<4xf32>
  %y = weir.mul %x, %w : tensor<4xf32>, tensor<4xf32>
  %z = weir.add %y, %v : tensor<4xf32>, tensor<4xf32>
  %loss = weir.reduce_mean %z {keepdims = false} : tensor<4xf32>
  weir.minimize %loss {
      optimizer = {name = "sgd", rate = 0.05, momentum = 0.9},
      schedule = {name = "exponential", factor = 0.5},
      groups = [{parameters = ["*.bias"], weight_decay = 0.0}],
      clip_norm = 1.0} : tensor<f32>
  return %loss : tensor<f32>
}

func.func @fed(%x: tensor<4xf32>, %rate: tensor<f32>) -> tensor<f32> {
  %u = weir.read @u : tensor<4xf32>
  %y = weir.mul %x, %u : tensor<4xf32>, tensor<4xf32>
  %loss = weir.reduce_mean %y {keepdims = false} : tensor<4xf32>
  weir.minimize %loss rate %rate {optimizer = {name = "adagrad"}}
      : tensor<f32>, tensor<f32>
  return %loss : tensor<f32>
}

weir.parameter @u : tensor<4xf32> = dense<1.0> : tensor<4xf32>
