// max_pool_training: max_pool, and which tap of each window it takes.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/max_pool_training.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/max_pool_training.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/max_pool_training.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @plain(
// CHECK: %y, %y_0 = weir.max_pool_training %x {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x2x4x6xf32>
// COST: plain: tensor<1x2x2x3xf32>, tensor<1x2x2x3xui8>, 640 flops, 252 bytes, library ok
func.func @plain(%x: tensor<1x2x4x6xf32>) -> (tensor<1x2x2x3xf32>, tensor<1x2x2x3xui8>) {
  %y:2 = weir.max_pool_training %x {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x2x4x6xf32>
  return %y#0, %y#1 : tensor<1x2x2x3xf32>, tensor<1x2x2x3xui8>
}

// The first of equal elements counts.
// CHECK-LABEL: func.func @overlapping(
// CHECK: %y, %y_0 = weir.max_pool_training %x {kernel_shape = [3, 3], strides = [2, 2]} : tensor<1x2x7x5xf32>
// COST: overlapping: tensor<1x2x3x2xf32>, tensor<1x2x3x2xui8>, 1072 flops, 340 bytes, library ok
func.func @overlapping(%x: tensor<1x2x7x5xf32>) -> (tensor<1x2x3x2xf32>, tensor<1x2x3x2xui8>) {
  %y:2 = weir.max_pool_training %x {kernel_shape = [3, 3], strides = [2, 2]} : tensor<1x2x7x5xf32>
  return %y#0, %y#1 : tensor<1x2x3x2xf32>, tensor<1x2x3x2xui8>
}

// Taps in the padding count.
// CHECK-LABEL: func.func @padded(
// CHECK: %y, %y_0 = weir.max_pool_training %x {kernel_shape = [3, 3], pads = [1, 0, 1, 2], strides = [2, 2]} : tensor<2x1x5x5xf32>
// COST: padded: tensor<2x1x3x3xf32>, tensor<2x1x3x3xui8>, 1570 flops, 290 bytes, library ok
func.func @padded(%x: tensor<2x1x5x5xf32>) -> (tensor<2x1x3x3xf32>, tensor<2x1x3x3xui8>) {
  %y:2 = weir.max_pool_training %x {kernel_shape = [3, 3], pads = [1, 0, 1, 2], strides = [2, 2]} : tensor<2x1x5x5xf32>
  return %y#0, %y#1 : tensor<2x1x3x3xf32>, tensor<2x1x3x3xui8>
}

// CHECK-LABEL: func.func @dilated(
// CHECK: %y, %y_0 = weir.max_pool_training %x {dilations = [2, 3], kernel_shape = [2, 2]} : tensor<1x2x6x6xf32>
// COST: dilated: tensor<1x2x4x3xf32>, tensor<1x2x4x3xui8>, 1254 flops, 408 bytes, library kernel 'max_pool': expected windows without dilation
func.func @dilated(%x: tensor<1x2x6x6xf32>) -> (tensor<1x2x4x3xf32>, tensor<1x2x4x3xui8>) {
  %y:2 = weir.max_pool_training %x {dilations = [2, 3], kernel_shape = [2, 2]} : tensor<1x2x6x6xf32>
  return %y#0, %y#1 : tensor<1x2x4x3xf32>, tensor<1x2x4x3xui8>
}

// CHECK-LABEL: func.func @one_dim(
// CHECK: %y, %y_0 = weir.max_pool_training %x {kernel_shape = [4], pads = [1, 2], strides = [2]} : tensor<1x3x9xf32>
// COST: one_dim: tensor<1x3x5xf32>, tensor<1x3x5xui8>, 618 flops, 183 bytes, library ok
func.func @one_dim(%x: tensor<1x3x9xf32>) -> (tensor<1x3x5xf32>, tensor<1x3x5xui8>) {
  %y:2 = weir.max_pool_training %x {kernel_shape = [4], pads = [1, 2], strides = [2]} : tensor<1x3x9xf32>
  return %y#0, %y#1 : tensor<1x3x5xf32>, tensor<1x3x5xui8>
}

// CHECK-LABEL: func.func @three_dims(
// CHECK: %y, %y_0 = weir.max_pool_training %x {kernel_shape = [2, 2, 2]} : tensor<1x1x3x4x3xf32>
// COST: three_dims: tensor<1x1x2x3x2xf32>, tensor<1x1x2x3x2xui8>, 1117 flops, 204 bytes, library ok
func.func @three_dims(%x: tensor<1x1x3x4x3xf32>) -> (tensor<1x1x2x3x2xf32>, tensor<1x1x2x3x2xui8>) {
  %y:2 = weir.max_pool_training %x {kernel_shape = [2, 2, 2]} : tensor<1x1x3x4x3xf32>
  return %y#0, %y#1 : tensor<1x1x2x3x2xf32>, tensor<1x1x2x3x2xui8>
}

// CHECK-LABEL: func.func @ceil(
// CHECK: %y, %y_0 = weir.max_pool_training %x {ceil_mode = true, kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x1x5x5xf32>
// COST: ceil: tensor<1x1x3x3xf32>, tensor<1x1x3x3xui8>, 490 flops, 145 bytes, library ok
func.func @ceil(%x: tensor<1x1x5x5xf32>) -> (tensor<1x1x3x3xf32>, tensor<1x1x3x3xui8>) {
  %y:2 = weir.max_pool_training %x {ceil_mode = true, kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x1x5x5xf32>
  return %y#0, %y#1 : tensor<1x1x3x3xf32>, tensor<1x1x3x3xui8>
}

// CHECK-LABEL: func.func @channels_last(
// CHECK: %y, %y_0 = weir.max_pool_training %x {kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]} : tensor<2x20x6x4xf32, #weir.layout<[0, 2, 3, 1]>> -> (tensor<2x20x3x2xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<2x20x3x2xui8, #weir.layout<[0, 2, 3, 1]>>)
// COST: channels_last: tensor<2x20x3x2xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<2x20x3x2xui8, #weir.layout<[0, 2, 3, 1]>>, 20438 flops, 5040 bytes, library ok
func.func @channels_last(%x: tensor<2x20x6x4xf32, #weir.layout<[0, 2, 3, 1]>>) -> (tensor<2x20x3x2xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<2x20x3x2xui8, #weir.layout<[0, 2, 3, 1]>>) {
  %y:2 = weir.max_pool_training %x {kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]} : tensor<2x20x6x4xf32, #weir.layout<[0, 2, 3, 1]>> -> (tensor<2x20x3x2xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<2x20x3x2xui8, #weir.layout<[0, 2, 3, 1]>>)
  return %y#0, %y#1 : tensor<2x20x3x2xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<2x20x3x2xui8, #weir.layout<[0, 2, 3, 1]>>
}

// More taps than 8 bits count.
// CHECK-LABEL: func.func @many_taps(
// CHECK: %y, %y_0 = weir.max_pool_training %x {kernel_shape = [16, 16]} : tensor<1x1x17x17xf32>
// COST: many_taps: tensor<1x1x2x2xf32>, tensor<1x1x2x2xi32>, 7596 flops, 1188 bytes, library ok
func.func @many_taps(%x: tensor<1x1x17x17xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi32>) {
  %y:2 = weir.max_pool_training %x {kernel_shape = [16, 16]} : tensor<1x1x17x17xf32>
  return %y#0, %y#1 : tensor<1x1x2x2xf32>, tensor<1x1x2x2xi32>
}

// CHECK-LABEL: func.func @f64(
// CHECK: %y, %y_0 = weir.max_pool_training %x {kernel_shape = [2, 2]} : tensor<1x2x4x4xf64>
// COST: f64: tensor<1x2x3x3xf64>, tensor<1x2x3x3xui8>, 928 flops, 418 bytes, library no cpu kernel for weir.max_pool of f64
func.func @f64(%x: tensor<1x2x4x4xf64>) -> (tensor<1x2x3x3xf64>, tensor<1x2x3x3xui8>) {
  %y:2 = weir.max_pool_training %x {kernel_shape = [2, 2]} : tensor<1x2x4x4xf64>
  return %y#0, %y#1 : tensor<1x2x3x3xf64>, tensor<1x2x3x3xui8>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y, %y_0 = weir.max_pool_training %x {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x2x4x4xbf16>
// COST: half: tensor<1x2x2x2xbf16>, tensor<1x2x2x2xui8>, 428 flops, 88 bytes, library ok
func.func @half(%x: tensor<1x2x4x4xbf16>) -> (tensor<1x2x2x2xbf16>, tensor<1x2x2x2xui8>) {
  %y:2 = weir.max_pool_training %x {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x2x4x4xbf16>
  return %y#0, %y#1 : tensor<1x2x2x2xbf16>, tensor<1x2x2x2xui8>
}

// CHECK-LABEL: func.func @small(
// CHECK: %y, %y_0 = weir.max_pool_training %x {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x2x4x4xf16>
// COST: small: tensor<1x2x2x2xf16>, tensor<1x2x2x2xui8>, 428 flops, 88 bytes, library no cpu kernel for weir.cast of f16
func.func @small(%x: tensor<1x2x4x4xf16>) -> (tensor<1x2x2x2xf16>, tensor<1x2x2x2xui8>) {
  %y:2 = weir.max_pool_training %x {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x2x4x4xf16>
  return %y#0, %y#1 : tensor<1x2x2x2xf16>, tensor<1x2x2x2xui8>
}

// CHECK-LABEL: func.func @only_padding(
// CHECK: %y, %y_0 = weir.max_pool_training %x {dilations = [4, 1], kernel_shape = [2, 2], pads = [1, 0, 2, 0]} : tensor<1x1x2x3xf32>
// COST: only_padding: tensor<1x1x1x2xf32>, tensor<1x1x1x2xui8>, 118 flops, 34 bytes, library kernel 'max_pool': expected windows without dilation
func.func @only_padding(%x: tensor<1x1x2x3xf32>) -> (tensor<1x1x1x2xf32>, tensor<1x1x1x2xui8>) {
  %y:2 = weir.max_pool_training %x {dilations = [4, 1], kernel_shape = [2, 2], pads = [1, 0, 2, 0]} : tensor<1x1x2x3xf32>
  return %y#0, %y#1 : tensor<1x1x1x2xf32>, tensor<1x1x1x2xui8>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y, %y_0 = weir.max_pool_training %x {kernel_shape = [2, 2]} : tensor<0x2x4x4xf32>
// COST: empty: tensor<0x2x3x3xf32>, tensor<0x2x3x3xui8>, 28 flops, 0 bytes, library kernel 'reorder' does not write f64
func.func @empty(%x: tensor<0x2x4x4xf32>) -> (tensor<0x2x3x3xf32>, tensor<0x2x3x3xui8>) {
  %y:2 = weir.max_pool_training %x {kernel_shape = [2, 2]} : tensor<0x2x4x4xf32>
  return %y#0, %y#1 : tensor<0x2x3x3xf32>, tensor<0x2x3x3xui8>
}

//--- errors.mlir
func.func @no_kernel_shape(%x: tensor<1x2x4x6xf32>) {
  // expected-error@below {{attribute 'kernel_shape' expects 2 values, one per spatial dim, found 0}}
  weir.max_pool_training %x {kernel_shape = []} : tensor<1x2x4x6xf32>
  return
}

// -----

func.func @needs_kernel_shape(%x: tensor<1x2x4x6xf32>) {
  // expected-error@below {{'weir.max_pool_training' requires attribute 'kernel_shape'}}
  weir.max_pool_training %x : tensor<1x2x4x6xf32>
  return
}

// -----

func.func @integers(%x: tensor<1x2x4x6xi32>) {
  // expected-error@below {{'weir.max_pool_training' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.max_pool_training %x {kernel_shape = [1, 1]} : tensor<1x2x4x6xi32>
  return
}

// -----

func.func @only_padding_behind(%x: tensor<1x2x4x6xf32>) {
  // expected-error@below {{attribute 'pads' expects less than the 2 elements that a window spans in spatial dim 1, found 2}}
  weir.max_pool_training %x {kernel_shape = [2, 2], pads = [0, 0, 0, 2]} : tensor<1x2x4x6xf32>
  return
}
