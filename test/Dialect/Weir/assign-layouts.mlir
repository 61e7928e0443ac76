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
