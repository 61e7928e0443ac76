// Convolutions run channels-last, with relayouts only where layouts meet.
// RUN: graph-opt %s -split-input-file --weir-assign-layouts | FileCheck %s

// The input gets one relayout; relu and pool keep the layout; reshape needs
// row-major.
// CHECK-LABEL: func.func @conv_chain
func.func @conv_chain(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x36xf32> {
  // CHECK: %x_relayout = weir.relayout %x : tensor<1x3x8x8xf32> -> tensor<1x3x8x8xf32, #weir.layout<[0, 2, 3, 1]>>
  // CHECK: %c = weir.conv %x_relayout, %w : {{.*}} -> tensor<1x4x6x6xf32, #weir.layout<[0, 2, 3, 1]>>
  %c = weir.conv %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
  // CHECK: %r = weir.relu %c : {{.*}} -> tensor<1x4x6x6xf32, #weir.layout<[0, 2, 3, 1]>>
  %r = weir.relu %c : tensor<1x4x6x6xf32>
  // CHECK: %p = weir.max_pool %r {{.*}} -> tensor<1x4x3x3xf32, #weir.layout<[0, 2, 3, 1]>>
  %p = weir.max_pool %r {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x4x6x6xf32>
  // CHECK: %p_relayout = weir.relayout %p : tensor<1x4x3x3xf32, #weir.layout<[0, 2, 3, 1]>>{{$}}
  // CHECK: weir.reshape %p_relayout
  %f = weir.reshape %p {shape = [0, -1]} : tensor<1x4x3x3xf32>
  return %f : tensor<1x36xf32>
}

// -----

// Both operands of a join come in one layout; a bias along the channels stays
// as it is. The output is row-major.
// CHECK-LABEL: func.func @join
func.func @join(%x: tensor<1x4x6x6xf32>, %w: tensor<4x4x1x1xf32>, %b: tensor<4x1x1xf32>) -> tensor<1x4x6x6xf32> {
  // CHECK: %x_relayout = weir.relayout %x
  // CHECK: %c = weir.conv %x_relayout
  %c = weir.conv %x, %w : tensor<1x4x6x6xf32>, tensor<4x4x1x1xf32>
  // CHECK: %s = weir.add %x_relayout, %c : {{.*}} -> tensor<1x4x6x6xf32, #weir.layout<[0, 2, 3, 1]>>
  %s = weir.add %x, %c : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>
  // CHECK: %y = weir.add %s, %b : {{.*}}, tensor<4x1x1xf32> -> tensor<1x4x6x6xf32, #weir.layout<[0, 2, 3, 1]>>
  %y = weir.add %s, %b : tensor<1x4x6x6xf32>, tensor<4x1x1xf32>
  // CHECK: %y_relayout = weir.relayout %y : tensor<1x4x6x6xf32, #weir.layout<[0, 2, 3, 1]>>{{$}}
  // CHECK: return %y_relayout
  return %y : tensor<1x4x6x6xf32>
}

// -----

// What keeps the dims in their order stays in the layout: parts behind each
// other along the channels, cut out of and padded around. One relayout brings
// the input, one the other part, one the output.
// CHECK-LABEL: func.func @parts
// CHECK-COUNT-3: weir.relayout
// CHECK-NOT: weir.relayout
func.func @parts(%x: tensor<1x4x6x6xf32>, %w: tensor<4x4x1x1xf32>, %other: tensor<1x2x6x6xf32>) -> tensor<1x6x8x4xf32> {
  %c = weir.conv %x, %w : tensor<1x4x6x6xf32>, tensor<4x4x1x1xf32>
  %a, %b = weir.split %c {axis = 1, sizes = [1, 3]} : tensor<1x4x6x6xf32>
  %j = weir.concat %b, %other, %a {axis = 1} : tensor<1x3x6x6xf32>, tensor<1x2x6x6xf32>, tensor<1x1x6x6xf32>
  %s = weir.slice %j {starts = [0, 0, 0, 2], sizes = [1, 6, 6, 4]} : tensor<1x6x6x6xf32>
  %p = weir.pad %s {pads = [0, 0, 1, 0, 0, 0, 1, 0]} : tensor<1x6x6x4xf32>
  return %p : tensor<1x6x8x4xf32>
}

// -----

// What cuts out of dims, adds to them or repeats nothing is no transpose, even
// if it begins at the first element: it stays in the layout.
// CHECK-LABEL: func.func @from_the_first
// CHECK-COUNT-2: weir.relayout
// CHECK-NOT: weir.relayout
func.func @from_the_first(%x: tensor<1x4x6x6xf32>, %w: tensor<4x4x1x1xf32>, %v: tensor<3x2x1x1xf32>) -> tensor<1x3x7x7xf32> {
  %c = weir.conv %x, %w : tensor<1x4x6x6xf32>, tensor<4x4x1x1xf32>
  %s = weir.slice %c {starts = [0, 0, 0, 0], sizes = [1, 2, 6, 6]} : tensor<1x4x6x6xf32>
  %p = weir.pad %s {pads = [0, 0, 0, 0, 0, 0, 1, 1]} : tensor<1x2x6x6xf32>
  %e = weir.expand %p {shape = [1, 2, 7, 7]} : tensor<1x2x7x7xf32>
  %d = weir.conv %e, %v : tensor<1x2x7x7xf32>, tensor<3x2x1x1xf32>
  return %d : tensor<1x3x7x7xf32>
}

// -----

// A transpose reads its operand in the layout that it has.
// CHECK-LABEL: func.func @turned
func.func @turned(%x: tensor<1x4x6x6xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<6x6x4x1xf32> {
  %c = weir.conv %x, %w : tensor<1x4x6x6xf32>, tensor<4x4x1x1xf32>
  // CHECK: weir.transpose %c {{.*}} : tensor<1x4x6x6xf32, #weir.layout<[0, 2, 3, 1]>>{{$}}
  %t = weir.transpose %c {perm = [3, 2, 1, 0]} : tensor<1x4x6x6xf32>
  // CHECK-NEXT: return %t
  return %t : tensor<6x6x4x1xf32>
}

// -----

// A channel shuffle stays in the layout of the convolutions around it: the
// reshapes split and join the dim that is the innermost.
// CHECK-LABEL: func.func @shuffled
func.func @shuffled(%x: tensor<2x6x4x4xf32>, %w: tensor<6x6x1x1xf32>) -> tensor<2x6x4x4xf32> {
  // CHECK: %c = weir.conv
  %c = weir.conv %x, %w : tensor<2x6x4x4xf32>, tensor<6x6x1x1xf32>
  // CHECK-NEXT: %a = weir.reshape %c {{.*}} -> tensor<2x2x3x4x4xf32, #weir.layout<[0, 3, 4, 1, 2]>>
  %a = weir.reshape %c {shape = [2, 2, 3, 4, 4]} : tensor<2x6x4x4xf32>
  // CHECK-NEXT: %t = weir.transpose %a {{.*}} -> tensor<2x3x2x4x4xf32, #weir.layout<[0, 3, 4, 1, 2]>>
  %t = weir.transpose %a {perm = [0, 2, 1, 3, 4]} : tensor<2x2x3x4x4xf32>
  // CHECK-NEXT: %b = weir.reshape %t {{.*}} -> tensor<2x6x4x4xf32, #weir.layout<[0, 2, 3, 1]>>
  %b = weir.reshape %t {shape = [2, 6, 4, 4]} : tensor<2x3x2x4x4xf32>
  // CHECK-NEXT: %d = weir.conv %b
  %d = weir.conv %b, %w : tensor<2x6x4x4xf32>, tensor<6x6x1x1xf32>
  return %d : tensor<2x6x4x4xf32>
}

// -----

// Channels that become pixels: what is joined lies next to each other if the
// channels that are left come last.
// CHECK-LABEL: func.func @pixels
func.func @pixels(%x: tensor<1x12x4x4xf32>, %w: tensor<12x12x1x1xf32>, %v: tensor<3x3x1x1xf32>) -> tensor<1x3x8x8xf32> {
  // CHECK: %c = weir.conv
  %c = weir.conv %x, %w : tensor<1x12x4x4xf32>, tensor<12x12x1x1xf32>
  // CHECK-NEXT: %a = weir.reshape %c {{.*}} -> tensor<1x3x2x2x4x4xf32, #weir.layout<[0, 4, 5, 1, 2, 3]>>
  %a = weir.reshape %c {shape = [1, 3, 2, 2, 4, 4]} : tensor<1x12x4x4xf32>
  // CHECK-NEXT: %t = weir.transpose %a {{.*}} -> tensor<1x3x4x2x4x2xf32, #weir.layout<[0, 2, 3, 4, 5, 1]>>
  %t = weir.transpose %a {perm = [0, 1, 4, 2, 5, 3]} : tensor<1x3x2x2x4x4xf32>
  // CHECK-NEXT: %b = weir.reshape %t {{.*}} -> tensor<1x3x8x8xf32, #weir.layout<[0, 2, 3, 1]>>
  %b = weir.reshape %t {shape = [1, 3, 8, 8]} : tensor<1x3x4x2x4x2xf32>
  // CHECK-NEXT: %d = weir.conv %b
  %d = weir.conv %b, %v : tensor<1x3x8x8xf32>, tensor<3x3x1x1xf32>
  return %d : tensor<1x3x8x8xf32>
}

// -----

// Pixels that are repeated along dims of their own: channels stay innermost.
// CHECK-LABEL: func.func @repeated
func.func @repeated(%x: tensor<1x6x4x4xf32>, %w: tensor<6x6x1x1xf32>) -> tensor<1x6x8x12xf32> {
  // CHECK: %c = weir.conv
  %c = weir.conv %x, %w : tensor<1x6x4x4xf32>, tensor<6x6x1x1xf32>
  // CHECK-NEXT: %a = weir.reshape %c {{.*}} -> tensor<1x6x4x1x4x1xf32, #weir.layout<[0, 2, 3, 4, 5, 1]>>
  %a = weir.reshape %c {shape = [1, 6, 4, 1, 4, 1]} : tensor<1x6x4x4xf32>
  // CHECK-NEXT: %e = weir.expand %a {{.*}} -> tensor<1x6x4x2x4x3xf32, #weir.layout<[0, 2, 3, 4, 5, 1]>>
  %e = weir.expand %a {shape = [1, 6, 4, 2, 4, 3]} : tensor<1x6x4x1x4x1xf32>
  // CHECK-NEXT: %b = weir.reshape %e {{.*}} -> tensor<1x6x8x12xf32, #weir.layout<[0, 2, 3, 1]>>
  %b = weir.reshape %e {shape = [1, 6, 8, 12]} : tensor<1x6x4x2x4x3xf32>
  // CHECK-NEXT: %d = weir.conv %b
  %d = weir.conv %b, %w : tensor<1x6x8x12xf32>, tensor<6x6x1x1xf32>
  return %d : tensor<1x6x8x12xf32>
}

// -----

// Pixels become a sequence in place; its transpose is row-major immediately.
// CHECK-LABEL: func.func @sequence
func.func @sequence(%x: tensor<2x6x1x8xf32>, %w: tensor<6x6x1x1xf32>) -> tensor<2x8x6xf32> {
  // CHECK: %c = weir.conv
  %c = weir.conv %x, %w : tensor<2x6x1x8xf32>, tensor<6x6x1x1xf32>
  // CHECK-NEXT: %a = weir.reshape %c {{.*}} -> tensor<2x6x8xf32, #weir.layout<[0, 2, 1]>>
  %a = weir.reshape %c {shape = [2, 6, 8]} : tensor<2x6x1x8xf32>
  // CHECK-NEXT: %t = weir.transpose %a {{.*}} : tensor<2x6x8xf32, #weir.layout<[0, 2, 1]>>{{$}}
  %t = weir.transpose %a {perm = [0, 2, 1]} : tensor<2x6x8xf32>
  return %t : tensor<2x8x6xf32>
}

// -----

// A dense layer with a known weight takes the image as it lies, and has the
// weight reordered; the transpose and the reshape move nothing.
// CHECK-LABEL: func.func @flatten
func.func @flatten(%x: tensor<2x4x6x6xf32>, %k: tensor<5x4x3x3xf32>) -> tensor<2x3xf32> {
  %w = weir.constant dense<0.5> : tensor<3x80xf32>
  // CHECK: %c = weir.conv
  %c = weir.conv %x, %k : tensor<2x4x6x6xf32>, tensor<5x4x3x3xf32>
  // CHECK: %[[T:.*]] = weir.transpose %c {perm = [0, 2, 3, 1]} : tensor<2x5x4x4xf32, #weir.layout<[0, 2, 3, 1]>>{{$}}
  // CHECK: %f = weir.reshape %[[T]] {shape = [0, -1]} : tensor<2x4x4x5xf32>
  %f = weir.reshape %c {shape = [0, -1]} : tensor<2x5x4x4xf32>
  // CHECK: %[[S:.*]] = weir.reshape %w {shape = [3, 5, 4, 4]}
  // CHECK: %[[P:.*]] = weir.transpose %[[S]] {perm = [0, 2, 3, 1]} : tensor<3x5x4x4xf32>
  // CHECK: %[[W:.*]] = weir.reshape %[[P]] {shape = [3, 80]}
  // CHECK: %y = weir.linear %f, %[[W]]
  %y = weir.linear %f, %w : tensor<2x80xf32>, tensor<3x80xf32>
  return %y : tensor<2x3xf32>
}

// -----

// A sum reads a convolution's result as it lies, and what repeats its result for
// an image is written in the layout of the image. So does the gradient of a
// pool read both of its images.
// CHECK-LABEL: func.func @statistics
func.func @statistics(%x: tensor<2x4x6x6xf32>, %k: tensor<4x4x3x3xf32>) -> tensor<2x4x4x4xf32> {
  // CHECK: %c = weir.conv
  %c = weir.conv %x, %k : tensor<2x4x6x6xf32>, tensor<4x4x3x3xf32>
  // CHECK-NEXT: %s = weir.reduce_sum %c {axes = [0, 2, 3]} : tensor<2x4x4x4xf32, #weir.layout<[0, 2, 3, 1]>>{{$}}
  %s = weir.reduce_sum %c {axes = [0, 2, 3]} : tensor<2x4x4x4xf32>
  // CHECK-NEXT: %e = weir.expand %s {shape = [2, 4, 4, 4]} : tensor<1x4x1x1xf32> -> tensor<2x4x4x4xf32, #weir.layout<[0, 2, 3, 1]>>
  %e = weir.expand %s {shape = [2, 4, 4, 4]} : tensor<1x4x1x1xf32>
  // CHECK-NEXT: %d = weir.sub %c, %e
  %d = weir.sub %c, %e : tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>
  // CHECK-NEXT: %p, %p_0 = weir.max_pool_training %d {{.*}} -> (tensor<2x4x3x3xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<2x4x3x3xui8, #weir.layout<[0, 2, 3, 1]>>)
  %p:2 = weir.max_pool_training %d {kernel_shape = [2, 2]} : tensor<2x4x4x4xf32>
  // CHECK-NEXT: %g = weir.max_pool_gradient %p, %p_0 {{.*}} -> tensor<2x4x4x4xf32, #weir.layout<[0, 2, 3, 1]>>
  %g = weir.max_pool_gradient %p#0, %p#1 {kernel_shape = [2, 2], sizes = [4, 4]} : tensor<2x4x3x3xf32>, tensor<2x4x3x3xui8>
  return %g : tensor<2x4x4x4xf32>
}

// -----

// Dropout keeps the layout, and its gradient draws the numbers in the layout of
// what it multiplies.
// CHECK-LABEL: func.func @dropout
func.func @dropout(%x: tensor<2x4x6x6xf32>, %k: tensor<4x4x3x3xf32>, %seed: tensor<i64>, %step: tensor<i64>) -> tensor<2x4x4x4xf32> {
  // CHECK: %c = weir.conv
  %c = weir.conv %x, %k : tensor<2x4x6x6xf32>, tensor<4x4x3x3xf32>
  // CHECK-NEXT: %d = weir.dropout %c, %step : {{.*}} -> tensor<2x4x4x4xf32, #weir.layout<[0, 2, 3, 1]>>
  %d = weir.dropout %c, %step : tensor<2x4x4x4xf32>, tensor<i64>
  // CHECK-NEXT: %r = weir.leaf {{.*}} -> tensor<2x4x4x4xi32, #weir.layout<[0, 2, 3, 1]>>
  %r = weir.leaf %seed, %step {spec = "m=2, c=4, x=4, y=4: [], [] -> [m, c, x, y]", expression = "random(a, b, 0, index(m) + index(c))", type = i32} : tensor<i64>, tensor<i64>
  // CHECK-NEXT: %y = weir.leaf %d, %r
  %y = weir.leaf %d, %r {spec = "...,...->...", expression = "select(b < 8, 0, a)", type = f32} : tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>
  return %y : tensor<2x4x4x4xf32>
}

// A norm in training and its gradient, which reads two images, keep the layout.
// What they have for each channel has no other layout.
// CHECK-LABEL: func.func @norm
func.func @norm(%x: tensor<2x4x6x6xf32>, %k: tensor<4x4x3x3xf32>, %s: tensor<4xf32>)
    -> (tensor<2x4x4x4xf32>, tensor<4xf32>) {
  // CHECK: %c = weir.conv
  %c = weir.conv %x, %k : tensor<2x4x6x6xf32>, tensor<4x4x3x3xf32>
  // CHECK-NEXT: %n, %[[MEAN:.*]], %[[VARIANCE:.*]] = weir.batch_norm_training %c, %s, %s : {{.*}} -> (tensor<2x4x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<4xf32>, tensor<4xf32>){{$}}
  %n:3 = weir.batch_norm_training %c, %s, %s : tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>
  // CHECK-NEXT: %r = weir.relu %n
  %r = weir.relu %n#0 : tensor<2x4x4x4xf32>
  // CHECK-NEXT: %m = weir.relu_gradient %r, %n
  %m = weir.relu_gradient %r, %n#0 : tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>
  // CHECK-NEXT: %g, {{.*}} = weir.batch_norm_gradient %m, %c, %s, %[[MEAN]], %[[VARIANCE]] : {{.*}} -> (tensor<2x4x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<4xf32>, tensor<4xf32>){{$}}
  %g:3 = weir.batch_norm_gradient %m, %c, %s, %n#1, %n#2 : tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return %g#0, %g#1 : tensor<2x4x4x4xf32>, tensor<4xf32>
}
