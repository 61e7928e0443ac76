// Windows and element types that do not fit a pool.
// RUN: graph-opt %s -verify-diagnostics -split-input-file

func.func @window(%x: tensor<1x3x8x8xf32>) {
  // expected-error@+1 {{'weir.max_pool' op a window of 9 does not fit into spatial dim 0 of operand 0 (1x3x8x8), which is 8 with padding}}
  %z = weir.max_pool %x {kernel_shape = [9, 9]} : tensor<1x3x8x8xf32>
  return
}

// -----

func.func @rank(%x: tensor<1x3x8x8xf32>) {
  // expected-error@+1 {{'weir.max_pool' op attribute 'kernel_shape' expects 2 values, one per spatial dim, found 1}}
  %z = weir.max_pool %x {kernel_shape = [2]} : tensor<1x3x8x8xf32>
  return
}

// -----

func.func @missing(%x: tensor<1x3x8x8xf32>) {
  // expected-error@+1 {{requires attribute 'kernel_shape'}}
  %z = weir.max_pool %x : tensor<1x3x8x8xf32>
  return
}

// -----

func.func @type(%x: tensor<1x3x8x8xi32>) {
  // expected-error@+1 {{'weir.average_pool' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  %z = weir.average_pool %x {kernel_shape = [2, 2]} : tensor<1x3x8x8xi32>
  return
}

// -----

func.func @empty(%x: tensor<1x3x8x8xf32>) {
  // expected-error@+1 {{'weir.max_pool' op attribute 'kernel_shape' expects 2 values, one per spatial dim, found 0}}
  %z = weir.max_pool %x {kernel_shape = []} : tensor<1x3x8x8xf32>
  return
}

// -----

func.func @emptyMean(%x: tensor<1x3x8xf32>) {
  // expected-error@+1 {{'weir.average_pool' op attribute 'kernel_shape' expects 1 value, one per spatial dim, found 0}}
  %z = weir.average_pool %x {kernel_shape = []} : tensor<1x3x8xf32>
  return
}

// -----

func.func @no_taps(%x: tensor<1x3x8x8xf32>) {
  // expected-error@+1 {{'weir.max_pool' op attribute 'kernel_shape' expects values from 1 to 281474976710656, found 0}}
  %z = weir.max_pool %x {kernel_shape = [0, 3]} : tensor<1x3x8x8xf32>
  return
}

// -----

func.func @no_spatial_dims(%x: tensor<8x8xf32>) {
  // expected-error@+1 {{'weir.sum_pool' op attribute 'kernel_shape' expects no values, because operand 0 (8x8) has no spatial dims; found 2}}
  %z = weir.sum_pool %x {kernel_shape = [1, 1]} : tensor<8x8xf32>
  return
}
