// Convolutions run channels-last, with relayouts only where layouts meet.
// RUN: graph-opt %s -split-input-file --weir-assign-layouts | FileCheck %s

// The input is laid out anew once; relu and pool stay in the layout; reshape
// wants row-major.
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

// A transpose has another order of dims, so it begins row-major.
// CHECK-LABEL: func.func @turned
func.func @turned(%x: tensor<1x4x6x6xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<6x6x4x1xf32> {
  %c = weir.conv %x, %w : tensor<1x4x6x6xf32>, tensor<4x4x1x1xf32>
  // CHECK: %[[R:.*]] = weir.relayout %c : tensor<1x4x6x6xf32, #weir.layout<[0, 2, 3, 1]>>{{$}}
  // CHECK: weir.transpose %[[R]]
  %t = weir.transpose %c {perm = [3, 2, 1, 0]} : tensor<1x4x6x6xf32>
  return %t : tensor<6x6x4x1xf32>
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
