// weir.minimize becomes gradients, updates and assignments.
// RUN: graph-opt %s --weir-build-steps -split-input-file | FileCheck %s

// One parameter is updated by itself. Its reads become one.
// CHECK-DAG: weir.parameter @w.momentum_buffer : tensor<4xf32> initial {name = "constant", value = 0.000000e+00 : f64}
// CHECK-DAG: weir.parameter @step : tensor<i64> = dense<0> : tensor<i64>
// CHECK-LABEL: func.func @one(
// CHECK-DAG: %[[W:.*]] = weir.read @w : tensor<4xf32>
// CHECK-DAG: %[[STEP:.*]] = weir.read @step : tensor<i64>
// CHECK: %[[SQUARES:.*]] = weir.mul %[[W]], %[[W]] on "cpu:1"
// CHECK: %[[LOSS:.*]] = weir.reduce_sum
// CHECK: %[[NEXT:.*]] = weir.leaf %[[STEP]] {expression = "a + 1"
// CHECK: weir.assign @step, %[[NEXT]] : tensor<i64>
// CHECK: %[[COUNT:.*]] = weir.cast %[[STEP]] {to = f64}
// CHECK: %[[RATE:.*]] = weir.leaf %[[COUNT]] {expression = "0.5 * (1)"
// CHECK: %[[ROUNDED:.*]] = weir.cast %[[RATE]] {to = f32}
// CHECK: %[[G:.*]] = weir.gradient %[[LOSS]] of %[[W]]
// CHECK: %[[V:.*]] = weir.read @w.momentum_buffer : tensor<4xf32>
// CHECK: %[[NEXT_W:[^,]*]], %[[NEXT_V:[^ ]*]] = weir.sgd_update %[[W]], %[[G]], %[[ROUNDED]], %[[V]] on "cpu:1" {momentum = 9.000000e-01 : f64}
// CHECK: weir.assign @w, %[[NEXT_W]] : tensor<4xf32>
// CHECK: weir.assign @w.momentum_buffer, %[[NEXT_V]] : tensor<4xf32>
// CHECK: return %[[LOSS]]
weir.parameter @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
func.func @one() -> tensor<f32> {
  %w = weir.read @w : tensor<4xf32>
  %again = weir.read @w : tensor<4xf32>
  %squares = weir.mul %w, %again on "cpu:1" : tensor<4xf32>, tensor<4xf32>
  %loss = weir.reduce_sum %squares {keepdims = false} : tensor<4xf32>
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.5, momentum = 0.9}} : tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Several are in a bucket, the last ones of the network first, and what the
// optimiser keeps for them too. Each group has its own bucket and rate.
// CHECK-LABEL: func.func @several(
// CHECK: weir.leaf %{{.*}} {expression = "a * 0.5"
// CHECK: %[[G:.*]]:3 = weir.gradient %{{.*}} of %c, %a, %b {weir.trains} :
// CHECK: %[[ALL:.*]] = weir.pack %[[G]]#0, %[[G]]#1
// CHECK: weir.adam_update %{{[^,]*}}, %[[ALL]], {{.*}} : tensor<32xf32>, tensor<32xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<32xf32>, tensor<32xf32>
// CHECK: weir.assign @trained, %
// CHECK: weir.adam_update %b, %[[G]]#2, {{.*}}weight_decay = 2.500000e-01 : f64{{.*}} : tensor<2xf32>
// CHECK: weir.assign @b, %
// CHECK-NOT: weir.assign @frozen
// CHECK: weir.bucket @trained : tensor<32xf32> of [@c, @a]
// CHECK: weir.bucket @trained.exp_avg : tensor<32xf32> of [@c.exp_avg, @a.exp_avg]
// CHECK: weir.bucket @trained.exp_avg_sq : tensor<32xf32> of [@c.exp_avg_sq, @a.exp_avg_sq]
weir.parameter @a : tensor<2xf32> = dense<1.0> : tensor<2xf32>
weir.parameter @b : tensor<2xf32> = dense<1.0> : tensor<2xf32>
weir.parameter @c : tensor<2xf32> = dense<1.0> : tensor<2xf32>
weir.parameter @frozen : tensor<2xf32> = dense<1.0> : tensor<2xf32>
func.func @several() -> tensor<f32> {
  %a = weir.read @a : tensor<2xf32>
  %b = weir.read @b : tensor<2xf32>
  %c = weir.read @c : tensor<2xf32>
  %frozen = weir.read @frozen : tensor<2xf32>
  %x = weir.mul %a, %b : tensor<2xf32>, tensor<2xf32>
  %y = weir.mul %x, %c : tensor<2xf32>, tensor<2xf32>
  %z = weir.mul %y, %frozen : tensor<2xf32>, tensor<2xf32>
  %loss = weir.reduce_sum %z {keepdims = false} : tensor<2xf32>
  weir.minimize %loss {
      optimizer = {name = "adam", rate = 0.001},
      groups = [{parameters = ["b"], rate_factor = 0.5, weight_decay = 0.25},
                {parameters = ["froz*"], frozen = true}]} : tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Large parameters are in several buckets, the first of which is updated while
// gradients of the others are still to come. A bucket has a fourth of all bytes
// at least, and 4 MiB at least. The last 1 MiB is no bucket of its own.
// CHECK-LABEL: func.func @large(
// CHECK: %[[G:.*]]:6 = weir.gradient %{{.*}} of %e, %d, %c, %b, %a, %none {weir.trains} :
// CHECK: %[[FIRST:.*]] = weir.pack %[[G]]#0, %[[G]]#1 :
// CHECK: %[[SECOND:.*]] = weir.pack %[[G]]#2, %[[G]]#3, %[[G]]#4, %[[G]]#5 :
// CHECK: weir.sgd_update %{{[^,]*}}, %[[FIRST]], {{.*}}
// CHECK-NEXT: weir.assign @trained,
// CHECK-NEXT: weir.sgd_update %{{[^,]*}}, %[[SECOND]], {{.*}}
// CHECK-NEXT: weir.assign @trained_0,
// CHECK: weir.bucket @trained : tensor<1048576xf32> of [@e, @d]
// CHECK: weir.bucket @trained_0 : tensor<1310720xf32> of [@c, @b, @a, @none]
weir.parameter @none : tensor<0xf32> initial {name = "constant", value = 1.0}
weir.parameter @a : tensor<262144xf32> initial {name = "constant", value = 1.0}
weir.parameter @b : tensor<524288xf32> initial {name = "constant", value = 1.0}
weir.parameter @c : tensor<524288xf32> initial {name = "constant", value = 1.0}
weir.parameter @d : tensor<524288xf32> initial {name = "constant", value = 1.0}
weir.parameter @e : tensor<524288xf32> initial {name = "constant", value = 1.0}
func.func @large() -> tensor<f32> {
  %a = weir.read @a : tensor<262144xf32>
  %b = weir.read @b : tensor<524288xf32>
  %c = weir.read @c : tensor<524288xf32>
  %d = weir.read @d : tensor<524288xf32>
  %e = weir.read @e : tensor<524288xf32>
  %none = weir.read @none : tensor<0xf32>
  %zero = weir.reduce_sum %none {keepdims = false} : tensor<0xf32>
  %h0 = weir.mul %a, %zero : tensor<262144xf32>, tensor<f32>
  %f = weir.reduce_sum %h0 {keepdims = false} : tensor<262144xf32>
  %g = weir.mul %b, %f : tensor<524288xf32>, tensor<f32>
  %h = weir.mul %g, %c : tensor<524288xf32>, tensor<524288xf32>
  %i = weir.mul %h, %d : tensor<524288xf32>, tensor<524288xf32>
  %j = weir.mul %i, %e : tensor<524288xf32>, tensor<524288xf32>
  %loss = weir.reduce_sum %j {keepdims = false} : tensor<524288xf32>
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.5}} : tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Two entries train the same parameter with others, so it is in no bucket. They
// share what is kept and the step.
// CHECK-NOT: weir.bucket
// CHECK-LABEL: func.func @both(
// CHECK: weir.assign @a, %
// CHECK: weir.assign @b, %
// CHECK-LABEL: func.func @first(
// CHECK: weir.assign @a, %
// CHECK-NOT: weir.assign @b
weir.parameter @a : tensor<2xf32> = dense<1.0> : tensor<2xf32>
weir.parameter @b : tensor<2xf32> = dense<1.0> : tensor<2xf32>
func.func @both() -> tensor<f32> {
  %a = weir.read @a : tensor<2xf32>
  %b = weir.read @b : tensor<2xf32>
  %x = weir.mul %a, %b : tensor<2xf32>, tensor<2xf32>
  %loss = weir.reduce_sum %x {keepdims = false} : tensor<2xf32>
  weir.minimize %loss {optimizer = {name = "adagrad", rate = 0.1}} : tensor<f32>
  return %loss : tensor<f32>
}
func.func @first() -> tensor<f32> {
  %a = weir.read @a : tensor<2xf32>
  %loss = weir.reduce_sum %a {keepdims = false} : tensor<2xf32>
  weir.minimize %loss {optimizer = {name = "adagrad", rate = 0.1}} : tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Two losses of an entry train different parameters. The step counts once.
// CHECK-LABEL: func.func @two_losses(
// CHECK: weir.assign @step, %
// CHECK: weir.sgd_update
// CHECK-NOT: weir.assign @step
// CHECK: weir.sgd_update
// CHECK-NOT: weir.assign @step
weir.parameter @a : tensor<f32> = dense<1.0> : tensor<f32>
weir.parameter @b : tensor<f32> = dense<1.0> : tensor<f32>
func.func @two_losses() {
  %a = weir.read @a : tensor<f32>
  %b = weir.read @b : tensor<f32>
  %x = weir.mul %a, %b : tensor<f32>, tensor<f32>
  weir.minimize %x {optimizer = {name = "sgd", rate = 0.1}, parameters = ["a"]} : tensor<f32>
  %y = weir.neg %x : tensor<f32>
  weir.minimize %y {optimizer = {name = "sgd", rate = 0.1}} : tensor<f32>
  return
}

// -----

// Gradients of two runs are added; the second updates by their mean, of limited
// elements and norm. The rate is an operand, times the schedule.
// CHECK-DAG: weir.parameter @w.accumulated : tensor<3xf32> initial
// CHECK-LABEL: func.func @limits(
// CHECK: %[[RUNS:.*]] = weir.cast %{{.*}} {to = f64}
// CHECK: %[[COUNT:.*]] = weir.leaf %[[RUNS]] {expression = "floor(a / 2)"
// CHECK: weir.leaf %[[COUNT]], %{{.*}} {expression = "b * (select(a < 5, (a + 1) / 5, pow(0.5, floor(max(a - 5, 0) / 3))))"
// CHECK: weir.leaf %[[RUNS]] {expression = "select(mod(a + 1, 2) == 0, 1, 0)"
// CHECK: %[[G:.*]] = weir.gradient
// CHECK: %[[SUM:.*]] = weir.leaf %{{.*}}, %[[G]] {expression = "a + b"
// CHECK: %[[KEPT:.*]] = weir.leaf %[[SUM]], %{{.*}} {expression = "select(b == 0, a, 0)"
// CHECK: weir.assign @w.accumulated, %[[KEPT]]
// CHECK: %[[MEAN:.*]] = weir.leaf %[[SUM]] {expression = "a / 2"
// CHECK: %[[CLIPPED:.*]] = weir.leaf %[[MEAN]] {expression = "max(min(a, 0.25), -0.25)"
// CHECK: %[[FLAT:.*]] = weir.reshape %[[CLIPPED]]
// CHECK: weir.leaf %[[FLAT]] {combiner = "sum", expression = "a * a"
// CHECK: weir.leaf %{{.*}} {expression = "min(1, 3 / (sqrt(a) + 1e-6))"
// CHECK: %[[SCALED:.*]] = weir.leaf %[[CLIPPED]], %{{.*}} {expression = "a * b"
// CHECK: %[[NEXT:.*]] = weir.sgd_update %{{.*}}, %[[SCALED]], %
// CHECK: %[[CHOSEN:.*]] = weir.leaf %{{.*}}, %[[NEXT]], %{{.*}} {expression = "select(c == 0, a, b)"
// CHECK: weir.assign @w, %[[CHOSEN]]
weir.parameter @w : tensor<3xf32> = dense<1.0> : tensor<3xf32>
func.func @limits(%rate: tensor<f32>) -> tensor<f32> {
  %w = weir.read @w : tensor<3xf32>
  %loss = weir.reduce_sum %w {keepdims = false} : tensor<3xf32>
  weir.minimize %loss rate %rate {
      optimizer = {name = "sgd"}, accumulate = 2, clip_value = 0.25, clip_norm = 3,
      schedule = {name = "step", every = 3, factor = 0.5, warmup = 5}}
      : tensor<f32>, tensor<f32>
  return %loss : tensor<f32>
}
