// Scales and shifts by known values go into the weights before them.
// RUN: graph-opt %s -split-input-file --weir-lift-parameters --weir-fold-affine --canonicalize | FileCheck %s

// A batch norm behind a convolution without bias: one convolution with one.
weir.parameter @w : tensor<4x3x3x3xf32> = dense<0.5> : tensor<4x3x3x3xf32>
weir.parameter @scale : tensor<4xf32> = dense<2.0> : tensor<4xf32>
weir.parameter @bias : tensor<4xf32> = dense<3.0> : tensor<4xf32>
weir.parameter @mean : tensor<4xf32> = dense<0.5> : tensor<4xf32>
weir.parameter @variance : tensor<4xf32> = dense<1.0> : tensor<4xf32>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x3x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %w = weir.read @w : tensor<4x3x3x3xf32>
  %scale = weir.read @scale : tensor<4xf32>
  %bias = weir.read @bias : tensor<4xf32>
  %mean = weir.read @mean : tensor<4xf32>
  %variance = weir.read @variance : tensor<4xf32>
  %c = weir.conv %x, %w {pads = [1, 1, 1, 1]} : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
  // CHECK-NOT: weir.batch_norm
  // CHECK: %[[N:.*]] = weir.conv %x, %w_folded, %c_bias_folded {pads = [1, 1, 1, 1]}
  // CHECK-NEXT: %r = weir.relu %[[N]]
  %n = weir.batch_norm %c, %scale, %bias, %mean, %variance
      : tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  %r = weir.relu %n : tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// -----

// What is known only in the run, what somebody else reads, and what varies along
// other dims stays.
weir.parameter @w : tensor<4x3x3x3xf32> = dense<0.5> : tensor<4x3x3x3xf32>
weir.parameter @row : tensor<8xf32> = dense<0.5> : tensor<8xf32>
weir.parameter @channel : tensor<4x1x1xf32> = dense<0.5> : tensor<4x1x1xf32>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x3x8x8xf32>, %s: tensor<4x1x1xf32>)
    -> (tensor<1x4x6x6xf32>, tensor<1x4x8x8xf32>, tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) {
  %w = weir.read @w : tensor<4x3x3x3xf32>
  %row = weir.read @row : tensor<8xf32>
  %channel = weir.read @channel : tensor<4x1x1xf32>
  // CHECK-DAG: %runs = weir.mul %a, %s
  %a = weir.conv %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
  %runs = weir.mul %a, %s : tensor<1x4x6x6xf32>, tensor<4x1x1xf32>
  // CHECK-DAG: %along = weir.mul %b, %row
  %b = weir.conv %x, %w {pads = [1, 1, 1, 1]} : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
  %along = weir.mul %b, %row : tensor<1x4x8x8xf32>, tensor<8xf32>
  // CHECK-DAG: %shared = weir.mul %c, %channel
  %c = weir.conv %x, %w {strides = [1, 1]} : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
  %shared = weir.mul %c, %channel : tensor<1x4x6x6xf32>, tensor<4x1x1xf32>
  return %runs, %along, %shared, %c : tensor<1x4x6x6xf32>, tensor<1x4x8x8xf32>, tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>
}

// -----

// An op that asks for another device keeps to itself.
weir.parameter @w : tensor<4x5xf32> = dense<0.5> : tensor<4x5xf32>
weir.parameter @s : tensor<4xf32> = dense<0.5> : tensor<4xf32>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x5xf32>) -> tensor<2x4xf32> {
  %w = weir.read @w : tensor<4x5xf32>
  %s = weir.read @s : tensor<4xf32>
  // CHECK: weir.linear %x, %w on "cpu:0"
  // CHECK: weir.mul %{{.*}}, %s on "cpu:1"
  %l = weir.linear %x, %w on "cpu:0" : tensor<2x5xf32>, tensor<4x5xf32>
  %y = weir.mul %l, %s on "cpu:1" : tensor<2x4xf32>, tensor<4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// What takes the place of annotated ops is asked for like them: the two steps
// that four come to, and the shift behind a product.
weir.parameter @w : tensor<5x4xf32> = dense<0.5> : tensor<5x4xf32>
weir.parameter @s : tensor<4xf32> = dense<0.5> : tensor<4xf32>
weir.parameter @t : tensor<5xf32> = dense<0.5> : tensor<5xf32>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x5xf32>) -> tensor<2x4xf32> {
  %w = weir.read @w : tensor<5x4xf32>
  %s = weir.read @s : tensor<4xf32>
  %t = weir.read @t : tensor<5xf32>
  // CHECK: %[[SCALED:.*]] = weir.mul %x, %{{.*}} on "cpu:1" {stage = 2 : i64}
  // CHECK: %[[SHIFTED:.*]] = weir.add %[[SCALED]], %{{.*}} on "cpu:1" {stage = 2 : i64}
  // CHECK: %[[PRODUCT:.*]] = weir.matmul %[[SHIFTED]], %{{.*}} on "cpu:0" {stage = 3 : i64}
  // CHECK: weir.add %[[PRODUCT]], %{{.*}} on "cpu:0" {stage = 3 : i64}
  %a = weir.mul %x, %t on "cpu:1" {stage = 2 : i64} : tensor<2x5xf32>, tensor<5xf32>
  %b = weir.mul %a, %t on "cpu:1" {stage = 2 : i64} : tensor<2x5xf32>, tensor<5xf32>
  %c = weir.add %b, %t on "cpu:1" {stage = 2 : i64} : tensor<2x5xf32>, tensor<5xf32>
  %d = weir.add %c, %t on "cpu:1" {stage = 2 : i64} : tensor<2x5xf32>, tensor<5xf32>
  %p = weir.matmul %d, %w on "cpu:0" {stage = 3 : i64} : tensor<2x5xf32>, tensor<5x4xf32>
  %q = weir.mul %p, %s on "cpu:0" {stage = 3 : i64} : tensor<2x4xf32>, tensor<4xf32>
  %y = weir.add %q, %s on "cpu:0" {stage = 3 : i64} : tensor<2x4xf32>, tensor<4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// A matrix product has no bias: the shift stays behind it, scaled.
weir.parameter @w : tensor<5x4xf32> = dense<0.5> : tensor<5x4xf32>
weir.parameter @s : tensor<4xf32> = dense<0.5> : tensor<4xf32>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x5xf32>) -> tensor<2x4xf32> {
  %w = weir.read @w : tensor<5x4xf32>
  %s = weir.read @s : tensor<4xf32>
  // CHECK: %[[P:.*]] = weir.matmul %x, %w_folded
  // CHECK: %{{.*}} = weir.add %[[P]], %{{.*}} : tensor<2x4xf32>, tensor<4xf32>
  // CHECK-NEXT: return
  %m = weir.matmul %x, %w : tensor<2x5xf32>, tensor<5x4xf32>
  %d = weir.sub %m, %s : tensor<2x4xf32>, tensor<4xf32>
  %y = weir.mul %d, %s : tensor<2x4xf32>, tensor<4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// A batch norm by itself is one scale and one shift.
weir.parameter @p : tensor<4xf32> = dense<0.5> : tensor<4xf32>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %p = weir.read @p : tensor<4xf32>
  // CHECK: %[[S:.*]] = weir.mul %x, %{{.*}} : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>
  // CHECK: %[[N:.*]] = weir.add %[[S]], %{{.*}} : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>
  // CHECK-NEXT: return %[[N]]
  %n = weir.batch_norm %x, %p, %p, %p, %p
      : tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return %n : tensor<1x4x8x8xf32>
}

// -----

// Weights of few digits are not rounded again.
weir.parameter @w : tensor<4x5xbf16> = dense<0.5> : tensor<4x5xbf16>
weir.parameter @s : tensor<4xbf16> = dense<0.5> : tensor<4xbf16>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x5xbf16>) -> tensor<2x4xbf16> {
  %w = weir.read @w : tensor<4x5xbf16>
  %s = weir.read @s : tensor<4xbf16>
  // CHECK: weir.linear %x, %w
  // CHECK-NEXT: weir.mul
  %l = weir.linear %x, %w : tensor<2x5xbf16>, tensor<4x5xbf16>
  %y = weir.mul %l, %s : tensor<2x4xbf16>, tensor<4xbf16>
  return %y : tensor<2x4xbf16>
}

// -----

// A scalar that is shifted twice stays a scalar.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: %[[Y:.*]] = weir.add %x, %{{.*}} : tensor<f32>, tensor<f32>
  // CHECK-NEXT: return %[[Y]] : tensor<f32>
  %a = weir.constant dense<1.75> : tensor<f32>
  %b = weir.constant dense<2.0> : tensor<f32>
  %s = weir.add %x, %a : tensor<f32>, tensor<f32>
  %y = weir.add %s, %b : tensor<f32>, tensor<f32>
  return %y : tensor<f32>
}

// -----

// A number that is added and subtracted again rounds: both stay.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[A:.*]] = weir.add %x, %c
  // CHECK-DAG: %y = weir.sub %[[A]], %c
  %c = weir.constant dense<12582912.0> : tensor<f32>
  %s = weir.constant dense<1.0e-3> : tensor<f32>
  %a = weir.add %x, %c : tensor<4xf32>, tensor<f32>
  %y = weir.sub %a, %c : tensor<4xf32>, tensor<f32>
  // So does one that is scaled.
  // CHECK-DAG: %[[B:.*]] = weir.sub %x, %c
  // CHECK-DAG: %[[S:.*]] = weir.mul %[[B]], %s
  // CHECK-DAG: %z = weir.add %[[S]], %c
  %b = weir.sub %x, %c : tensor<4xf32>, tensor<f32>
  %t = weir.mul %b, %s : tensor<4xf32>, tensor<f32>
  %z = weir.add %t, %c : tensor<4xf32>, tensor<f32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// -----

// Factors whose product is no normal number stay, and shifts whose sum is
// infinite. Others are one.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %large = weir.constant dense<1.0e30> : tensor<f32>
  %small = weir.constant dense<1.0e-30> : tensor<f32>
  %huge = weir.constant dense<3.0e38> : tensor<f32>
  %two = weir.constant dense<2.0> : tensor<f32>
  // CHECK-DAG: %[[A:.*]] = weir.mul %x, %large
  // CHECK-DAG: weir.mul %[[A]], %large
  %a = weir.mul %x, %large : tensor<4xf32>, tensor<f32>
  %y0 = weir.mul %a, %large : tensor<4xf32>, tensor<f32>
  // CHECK-DAG: %[[B:.*]] = weir.mul %x, %small
  // CHECK-DAG: %y1 = weir.div %[[B]], %large
  %b = weir.mul %x, %small : tensor<4xf32>, tensor<f32>
  %y1 = weir.div %b, %large : tensor<4xf32>, tensor<f32>
  // CHECK-DAG: %[[C:.*]] = weir.add %x, %huge
  // CHECK-DAG: %y2 = weir.add %[[C]], %huge
  %c = weir.add %x, %huge : tensor<4xf32>, tensor<f32>
  %y2 = weir.add %c, %huge : tensor<4xf32>, tensor<f32>
  // CHECK-DAG: %[[D:.*]] = weir.div %{{.*}}, %{{.*}} : tensor<1xf32>, tensor<1xf32>
  // CHECK-DAG: weir.mul %x, %[[D]]
  %d = weir.mul %x, %large : tensor<4xf32>, tensor<f32>
  %y3 = weir.div %d, %two : tensor<4xf32>, tensor<f32>
  return %y0, %y1, %y2, %y3
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A weight takes no scale that would make it infinite or subnormal, not even
// that of a batch norm. Zeros stay zeros.
weir.parameter @large : tensor<4x2xf32> = dense<[[-1.0e20, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]> : tensor<4x2xf32>
weir.parameter @ordinary : tensor<4x2xf32> = dense<[[1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]> : tensor<4x2xf32>
weir.parameter @filter : tensor<2x4x1x1xf32> uniform <seed = 1, low = -1.0e-20, high = 1.0e-20>
weir.parameter @one : tensor<2xf32> = dense<1.0> : tensor<2xf32>
weir.parameter @tiny : tensor<2xf32> = dense<1.0e-20> : tensor<2xf32>
weir.parameter @apart : tensor<2x4xf32> = dense<[[1.0, 1.0, 1.0, 1.0], [1.0e-30, 1.0, 1.0, 1.0]]> : tensor<2x4xf32>
weir.parameter @fitting : tensor<2xf32> = dense<[1.0e-20, 1.0]> : tensor<2xf32>
weir.parameter @swapped : tensor<2xf32> = dense<[1.0, 1.0e-20]> : tensor<2xf32>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x4xf32>, %i: tensor<1x4x8x8xf32>)
    -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2x8x8xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  %apart = weir.read @apart : tensor<2x4xf32>
  %fitting = weir.read @fitting : tensor<2xf32>
  %swapped = weir.read @swapped : tensor<2xf32>
  // CHECK-DAG: weir.linear %x, %apart_folded
  %e = weir.linear %x, %apart : tensor<1x4xf32>, tensor<2x4xf32>
  %f = weir.mul %e, %fitting : tensor<1x2xf32>, tensor<2xf32>
  // CHECK-DAG: %[[G:.*]] = weir.linear %x, %apart :
  // CHECK-DAG: weir.mul %[[G]], %swapped
  %g = weir.linear %x, %apart : tensor<1x4xf32>, tensor<2x4xf32>
  %h = weir.mul %g, %swapped : tensor<1x2xf32>, tensor<2xf32>
  %large = weir.read @large : tensor<4x2xf32>
  %ordinary = weir.read @ordinary : tensor<4x2xf32>
  %filter = weir.read @filter : tensor<2x4x1x1xf32>
  %one = weir.read @one : tensor<2xf32>
  %tiny = weir.read @tiny : tensor<2xf32>
  %c = weir.constant dense<1.0e20> : tensor<f32>
  // CHECK-DAG: %[[A:.*]] = weir.matmul %x, %large
  // CHECK-DAG: %y = weir.mul %[[A]], %c
  %a = weir.matmul %x, %large : tensor<1x4xf32>, tensor<4x2xf32>
  %y = weir.mul %a, %c : tensor<1x2xf32>, tensor<f32>
  // CHECK-DAG: weir.matmul %x, %ordinary_folded
  %b = weir.matmul %x, %ordinary : tensor<1x4xf32>, tensor<4x2xf32>
  %z = weir.mul %b, %c : tensor<1x2xf32>, tensor<f32>
  // CHECK-DAG: weir.conv %i, %filter, %n_bias_folded
  %n = weir.conv %i, %filter : tensor<1x4x8x8xf32>, tensor<2x4x1x1xf32>
  %m = weir.batch_norm %n, %tiny, %one, %one, %one
      : tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  return %y, %z, %m, %f, %h : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2x8x8xf32>, tensor<1x2xf32>, tensor<1x2xf32>
}

// -----

// Caffe writes the scale and shift of a batch norm as ops of their own. They go
// into the convolution even if they cancel what the batch norm adds, but not if
// they cancel the convolution's own bias.
weir.parameter @w : tensor<2x4x1x1xf32> = dense<0.5> : tensor<2x4x1x1xf32>
weir.parameter @one : tensor<2xf32> = dense<1.0> : tensor<2xf32>
weir.parameter @bias : tensor<2xf32> = dense<[-0.5, 0.25]> : tensor<2xf32>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x4x8x8xf32>) -> (tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>) {
  %w = weir.read @w : tensor<2x4x1x1xf32>
  %one = weir.read @one : tensor<2xf32>
  %bias = weir.read @bias : tensor<2xf32>
  %c = weir.constant dense<2.0> : tensor<2x1x1xf32>
  %d = weir.constant dense<[[[0.75]], [[-0.75]]]> : tensor<2x1x1xf32>
  // CHECK-DAG: %[[A:.*]] = weir.conv %x, %w_folded, %n_bias_folded
  %n = weir.conv %x, %w : tensor<1x4x8x8xf32>, tensor<2x4x1x1xf32>
  %m = weir.batch_norm %n, %one, %bias, %one, %one
      : tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  %s = weir.mul %m, %c : tensor<1x2x8x8xf32>, tensor<2x1x1xf32>
  %y = weir.add %s, %d : tensor<1x2x8x8xf32>, tensor<2x1x1xf32>
  // CHECK-DAG: %[[B:.*]] = weir.conv %x, %w{{.*}}, %bias_folded
  // CHECK-DAG: %z = weir.add %[[B]],
  %o = weir.conv %x, %w, %bias : tensor<1x4x8x8xf32>, tensor<2x4x1x1xf32>, tensor<2xf32>
  %p = weir.batch_norm %o, %one, %bias, %one, %one
      : tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  %z = weir.add %p, %d : tensor<1x2x8x8xf32>, tensor<2x1x1xf32>
  // CHECK: return %[[A]], %z
  return %y, %z : tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>
}

// -----

// Weights take no scale if one of them is not a number. Subnormal ones count as
// zeros.
weir.parameter @nan : tensor<2x2xf32> = dense<[[1.0, 0xFFC00000], [1.0, 1.0]]> : tensor<2x2xf32>
weir.parameter @subnormal : tensor<2x2xf32> = dense<[[1.0, 1.0e-40], [-1.0, 0.0]]> : tensor<2x2xf32>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
  %nan = weir.read @nan : tensor<2x2xf32>
  %subnormal = weir.read @subnormal : tensor<2x2xf32>
  %c = weir.constant dense<3.0> : tensor<f32>
  // CHECK-DAG: %[[A:.*]] = weir.matmul %x, %nan :
  // CHECK-DAG: weir.mul %[[A]], %c
  %a = weir.matmul %x, %nan : tensor<1x2xf32>, tensor<2x2xf32>
  %y = weir.mul %a, %c : tensor<1x2xf32>, tensor<f32>
  // CHECK-DAG: weir.matmul %x, %subnormal_folded
  %b = weir.matmul %x, %subnormal : tensor<1x2xf32>, tensor<2x2xf32>
  %z = weir.mul %b, %c : tensor<1x2xf32>, tensor<f32>
  return %y, %z : tensor<1x2xf32>, tensor<1x2xf32>
}

// -----

// The bias of a convolution and the mean of a batch norm may cancel, but not a
// bias and a shift that the graph has. What cannot be read stays.
weir.parameter @w : tensor<2x4xf32> = dense<0.5> : tensor<2x4xf32>
weir.parameter @filter : tensor<2x4x1x1xf32> = dense<0.5> : tensor<2x4x1x1xf32>
weir.parameter @unread : tensor<2x4xf32> from "no-such-file.safetensors"
weir.parameter @bias : tensor<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
weir.parameter @less : tensor<2xf32> = dense<[1.0, -2.0]> : tensor<2xf32>
weir.parameter @one : tensor<2xf32> = dense<1.0> : tensor<2xf32>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x4xf32>, %i: tensor<1x4x8x8xf32>)
    -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2x8x8xf32>) {
  %w = weir.read @w : tensor<2x4xf32>
  %filter = weir.read @filter : tensor<2x4x1x1xf32>
  %unread = weir.read @unread : tensor<2x4xf32>
  %bias = weir.read @bias : tensor<2xf32>
  %less = weir.read @less : tensor<2xf32>
  %one = weir.read @one : tensor<2xf32>
  %two = weir.constant dense<2.0> : tensor<f32>
  // CHECK-DAG: %[[A:.*]] = weir.linear %x, %w, %bias
  // CHECK-DAG: %y = weir.add %[[A]], %less
  %a = weir.linear %x, %w, %bias : tensor<1x4xf32>, tensor<2x4xf32>, tensor<2xf32>
  %y = weir.add %a, %less : tensor<1x2xf32>, tensor<2xf32>
  // CHECK-DAG: %[[B:.*]] = weir.linear %x, %unread
  // CHECK-DAG: %z = weir.mul %[[B]], %two
  %b = weir.linear %x, %unread : tensor<1x4xf32>, tensor<2x4xf32>
  %z = weir.mul %b, %two : tensor<1x2xf32>, tensor<f32>
  // CHECK-DAG: %[[N:.*]] = weir.conv %i, %filter_folded, %bias_folded
  // CHECK: return %y, %z, %[[N]]
  %n = weir.conv %i, %filter, %bias : tensor<1x4x8x8xf32>, tensor<2x4x1x1xf32>, tensor<2xf32>
  %m = weir.batch_norm %n, %one, %one, %bias, %one
      : tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  return %y, %z, %m : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2x8x8xf32>
}

// -----

// The bias of a convolution and what a batch norm adds in the end may be
// infinite together, if what it subtracts before keeps their sum finite.
weir.parameter @filter : tensor<2x4x1x1xf32> = dense<0.5> : tensor<2x4x1x1xf32>
weir.parameter @huge : tensor<2xf32> = dense<3.0e38> : tensor<2xf32>
weir.parameter @one : tensor<2xf32> = dense<1.0> : tensor<2xf32>
// CHECK-LABEL: func.func @main
func.func @main(%i: tensor<1x4x8x8xf32>) -> tensor<1x2x8x8xf32> {
  %filter = weir.read @filter : tensor<2x4x1x1xf32>
  %huge = weir.read @huge : tensor<2xf32>
  %one = weir.read @one : tensor<2xf32>
  // CHECK: %[[N:.*]] = weir.conv %i, %filter_folded, %huge_folded :
  // CHECK: return %[[N]]
  %n = weir.conv %i, %filter, %huge : tensor<1x4x8x8xf32>, tensor<2x4x1x1xf32>, tensor<2xf32>
  %m = weir.batch_norm %n, %one, %huge, %huge, %one
      : tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  return %m : tensor<1x2x8x8xf32>
}

// -----

// A small scale is known after many large ones, of which not all are kept.
weir.parameter @w : tensor<1x1048576xf64> = dense<0.5> : tensor<1x1048576xf64>
weir.parameter @s0 : tensor<1048576xf64> = dense<2.0> : tensor<1048576xf64>
weir.parameter @s1 : tensor<1048576xf64> = dense<3.0> : tensor<1048576xf64>
weir.parameter @s2 : tensor<1048576xf64> = dense<4.0> : tensor<1048576xf64>
weir.parameter @s3 : tensor<1048576xf64> = dense<5.0> : tensor<1048576xf64>
weir.parameter @s4 : tensor<1048576xf64> = dense<6.0> : tensor<1048576xf64>
weir.parameter @s5 : tensor<1048576xf64> = dense<7.0> : tensor<1048576xf64>
weir.parameter @s6 : tensor<1048576xf64> = dense<8.0> : tensor<1048576xf64>
weir.parameter @s7 : tensor<1048576xf64> = dense<9.0> : tensor<1048576xf64>
weir.parameter @s8 : tensor<1048576xf64> = dense<10.0> : tensor<1048576xf64>
weir.parameter @v : tensor<1x4xf64> = dense<0.5> : tensor<1x4xf64>
weir.parameter @few : tensor<4xf64> = dense<2.0> : tensor<4xf64>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x1xf64>) -> (tensor<1x1048576xf64>, tensor<1x4xf64>) {
  %w = weir.read @w : tensor<1x1048576xf64>
  %s0 = weir.read @s0 : tensor<1048576xf64>
  %s1 = weir.read @s1 : tensor<1048576xf64>
  %s2 = weir.read @s2 : tensor<1048576xf64>
  %s3 = weir.read @s3 : tensor<1048576xf64>
  %s4 = weir.read @s4 : tensor<1048576xf64>
  %s5 = weir.read @s5 : tensor<1048576xf64>
  %s6 = weir.read @s6 : tensor<1048576xf64>
  %s7 = weir.read @s7 : tensor<1048576xf64>
  %s8 = weir.read @s8 : tensor<1048576xf64>
  %v = weir.read @v : tensor<1x4xf64>
  %few = weir.read @few : tensor<4xf64>
  %m = weir.matmul %x, %w : tensor<1x1xf64>, tensor<1x1048576xf64>
  %y0 = weir.mul %m, %s0 : tensor<1x1048576xf64>, tensor<1048576xf64>
  %y1 = weir.mul %y0, %s1 : tensor<1x1048576xf64>, tensor<1048576xf64>
  %y2 = weir.mul %y1, %s2 : tensor<1x1048576xf64>, tensor<1048576xf64>
  %y3 = weir.mul %y2, %s3 : tensor<1x1048576xf64>, tensor<1048576xf64>
  %y4 = weir.mul %y3, %s4 : tensor<1x1048576xf64>, tensor<1048576xf64>
  %y5 = weir.mul %y4, %s5 : tensor<1x1048576xf64>, tensor<1048576xf64>
  %y6 = weir.mul %y5, %s6 : tensor<1x1048576xf64>, tensor<1048576xf64>
  %y7 = weir.mul %y6, %s7 : tensor<1x1048576xf64>, tensor<1048576xf64>
  %y8 = weir.mul %y7, %s8 : tensor<1x1048576xf64>, tensor<1048576xf64>
  // CHECK: weir.matmul %x, %v_folded
  // CHECK-NOT: weir.mul
  // CHECK: return
  %p = weir.matmul %x, %v : tensor<1x1xf64>, tensor<1x4xf64>
  %q = weir.mul %p, %few : tensor<1x4xf64>, tensor<4xf64>
  return %y8, %q : tensor<1x1048576xf64>, tensor<1x4xf64>
}
