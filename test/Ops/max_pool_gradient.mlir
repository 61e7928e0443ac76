// max_pool_gradient: the gradient of max_pool for its input.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/max_pool_gradient.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/max_pool_gradient.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/max_pool_gradient.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @plain(
// CHECK: %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [2, 2], sizes = [4, 6], strides = [2, 2]} : tensor<1x2x2x3xf32>, tensor<1x2x2x3xui8>
// COST: plain: tensor<1x2x4x6xf32>, 192 flops, 252 bytes, library ok
func.func @plain(%dy: tensor<1x2x2x3xf32>, %taps: tensor<1x2x2x3xui8>) -> tensor<1x2x4x6xf32> {
  %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [2, 2], sizes = [4, 6], strides = [2, 2]} : tensor<1x2x2x3xf32>, tensor<1x2x2x3xui8>
  return %x : tensor<1x2x4x6xf32>
}

// CHECK-LABEL: func.func @overlapping(
// CHECK: %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [3, 3], sizes = [7, 5], strides = [2, 2]} : tensor<1x2x3x2xf32>, tensor<1x2x3x2xui8>
// COST: overlapping: tensor<1x2x7x5xf32>, 540 flops, 340 bytes, library ok
func.func @overlapping(%dy: tensor<1x2x3x2xf32>, %taps: tensor<1x2x3x2xui8>) -> tensor<1x2x7x5xf32> {
  %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [3, 3], sizes = [7, 5], strides = [2, 2]} : tensor<1x2x3x2xf32>, tensor<1x2x3x2xui8>
  return %x : tensor<1x2x7x5xf32>
}

// CHECK-LABEL: func.func @padded(
// CHECK: %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [3, 3], pads = [1, 0, 1, 2], sizes = [5, 5], strides = [2, 2]} : tensor<2x1x3x3xf32>, tensor<2x1x3x3xui8>
// COST: padded: tensor<2x1x5x5xf32>, 810 flops, 290 bytes, library ok
func.func @padded(%dy: tensor<2x1x3x3xf32>, %taps: tensor<2x1x3x3xui8>) -> tensor<2x1x5x5xf32> {
  %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [3, 3], pads = [1, 0, 1, 2], sizes = [5, 5], strides = [2, 2]} : tensor<2x1x3x3xf32>, tensor<2x1x3x3xui8>
  return %x : tensor<2x1x5x5xf32>
}

// CHECK-LABEL: func.func @dilated(
// CHECK: %x = weir.max_pool_gradient %dy, %taps {dilations = [2, 3], kernel_shape = [2, 2], sizes = [6, 6]} : tensor<1x2x4x3xf32>, tensor<1x2x4x3xui8>
// COST: dilated: tensor<1x2x6x6xf32>, 480 flops, 408 bytes, library no cpu kernel for weir.leaf of f32
func.func @dilated(%dy: tensor<1x2x4x3xf32>, %taps: tensor<1x2x4x3xui8>) -> tensor<1x2x6x6xf32> {
  %x = weir.max_pool_gradient %dy, %taps {dilations = [2, 3], kernel_shape = [2, 2], sizes = [6, 6]} : tensor<1x2x4x3xf32>, tensor<1x2x4x3xui8>
  return %x : tensor<1x2x6x6xf32>
}

// CHECK-LABEL: func.func @one_dim(
// CHECK: %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [4], pads = [1, 2], sizes = [9], strides = [2]} : tensor<1x3x5xf32>, tensor<1x3x5xui8>
// COST: one_dim: tensor<1x3x9xf32>, 45 flops, 183 bytes, library ok
func.func @one_dim(%dy: tensor<1x3x5xf32>, %taps: tensor<1x3x5xui8>) -> tensor<1x3x9xf32> {
  %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [4], pads = [1, 2], sizes = [9], strides = [2]} : tensor<1x3x5xf32>, tensor<1x3x5xui8>
  return %x : tensor<1x3x9xf32>
}

// CHECK-LABEL: func.func @three_dims(
// CHECK: %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [2, 2, 2], sizes = [3, 4, 3]} : tensor<1x1x2x3x2xf32>, tensor<1x1x2x3x2xui8>
// COST: three_dims: tensor<1x1x3x4x3xf32>, 672 flops, 204 bytes, library ok
func.func @three_dims(%dy: tensor<1x1x2x3x2xf32>, %taps: tensor<1x1x2x3x2xui8>) -> tensor<1x1x3x4x3xf32> {
  %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [2, 2, 2], sizes = [3, 4, 3]} : tensor<1x1x2x3x2xf32>, tensor<1x1x2x3x2xui8>
  return %x : tensor<1x1x3x4x3xf32>
}

// CHECK-LABEL: func.func @ceil(
// CHECK: %x = weir.max_pool_gradient %dy, %taps {ceil_mode = true, kernel_shape = [2, 2], sizes = [5, 5], strides = [2, 2]} : tensor<1x1x3x3xf32>, tensor<1x1x3x3xui8>
// COST: ceil: tensor<1x1x5x5xf32>, 144 flops, 145 bytes, library ok
func.func @ceil(%dy: tensor<1x1x3x3xf32>, %taps: tensor<1x1x3x3xui8>) -> tensor<1x1x5x5xf32> {
  %x = weir.max_pool_gradient %dy, %taps {ceil_mode = true, kernel_shape = [2, 2], sizes = [5, 5], strides = [2, 2]} : tensor<1x1x3x3xf32>, tensor<1x1x3x3xui8>
  return %x : tensor<1x1x5x5xf32>
}

// CHECK-LABEL: func.func @channels_last(
// CHECK: %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [3, 3], pads = [1, 1, 1, 1], sizes = [6, 4], strides = [2, 2]} : tensor<2x20x3x2xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<2x20x3x2xui8, #weir.layout<[0, 2, 3, 1]>> -> tensor<2x20x6x4xf32, #weir.layout<[0, 2, 3, 1]>>
// COST: channels_last: tensor<2x20x6x4xf32, #weir.layout<[0, 2, 3, 1]>>, 10800 flops, 5040 bytes, library ok
func.func @channels_last(%dy: tensor<2x20x3x2xf32, #weir.layout<[0, 2, 3, 1]>>, %taps: tensor<2x20x3x2xui8, #weir.layout<[0, 2, 3, 1]>>) -> tensor<2x20x6x4xf32, #weir.layout<[0, 2, 3, 1]>> {
  %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [3, 3], pads = [1, 1, 1, 1], sizes = [6, 4], strides = [2, 2]} : tensor<2x20x3x2xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<2x20x3x2xui8, #weir.layout<[0, 2, 3, 1]>> -> tensor<2x20x6x4xf32, #weir.layout<[0, 2, 3, 1]>>
  return %x : tensor<2x20x6x4xf32, #weir.layout<[0, 2, 3, 1]>>
}

// CHECK-LABEL: func.func @many_taps(
// CHECK: %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [16, 16], sizes = [17, 17]} : tensor<1x1x2x2xf32>, tensor<1x1x2x2xi32>
// COST: many_taps: tensor<1x1x17x17xf32>, 5120 flops, 1188 bytes, library ok
func.func @many_taps(%dy: tensor<1x1x2x2xf32>, %taps: tensor<1x1x2x2xi32>) -> tensor<1x1x17x17xf32> {
  %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [16, 16], sizes = [17, 17]} : tensor<1x1x2x2xf32>, tensor<1x1x2x2xi32>
  return %x : tensor<1x1x17x17xf32>
}

// CHECK-LABEL: func.func @f64(
// CHECK: %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [2, 2], sizes = [4, 4]} : tensor<1x2x3x3xf64>, tensor<1x2x3x3xui8>
// COST: f64: tensor<1x2x4x4xf64>, 360 flops, 418 bytes, library no cpu kernel for weir.leaf of f64
func.func @f64(%dy: tensor<1x2x3x3xf64>, %taps: tensor<1x2x3x3xui8>) -> tensor<1x2x4x4xf64> {
  %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [2, 2], sizes = [4, 4]} : tensor<1x2x3x3xf64>, tensor<1x2x3x3xui8>
  return %x : tensor<1x2x4x4xf64>
}

// CHECK-LABEL: func.func @half(
// CHECK: %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [2, 2], sizes = [4, 4], strides = [2, 2]} : tensor<1x2x2x2xbf16>, tensor<1x2x2x2xui8>
// COST: half: tensor<1x2x4x4xbf16>, 128 flops, 88 bytes, library ok
func.func @half(%dy: tensor<1x2x2x2xbf16>, %taps: tensor<1x2x2x2xui8>) -> tensor<1x2x4x4xbf16> {
  %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [2, 2], sizes = [4, 4], strides = [2, 2]} : tensor<1x2x2x2xbf16>, tensor<1x2x2x2xui8>
  return %x : tensor<1x2x4x4xbf16>
}

// CHECK-LABEL: func.func @small(
// CHECK: %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [2, 2], sizes = [4, 4], strides = [2, 2]} : tensor<1x2x2x2xf16>, tensor<1x2x2x2xui8>
// COST: small: tensor<1x2x4x4xf16>, 128 flops, 88 bytes, library no cpu kernel for weir.cast of f16
func.func @small(%dy: tensor<1x2x2x2xf16>, %taps: tensor<1x2x2x2xui8>) -> tensor<1x2x4x4xf16> {
  %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [2, 2], sizes = [4, 4], strides = [2, 2]} : tensor<1x2x2x2xf16>, tensor<1x2x2x2xui8>
  return %x : tensor<1x2x4x4xf16>
}

// CHECK-LABEL: func.func @only_padding(
// CHECK: %x = weir.max_pool_gradient %dy, %taps {dilations = [4, 1], kernel_shape = [2, 2], pads = [1, 0, 2, 0], sizes = [2, 3]} : tensor<1x1x1x2xf32>, tensor<1x1x1x2xui8>
// COST: only_padding: tensor<1x1x2x3xf32>, 40 flops, 34 bytes, library no cpu kernel for weir.leaf of f32
func.func @only_padding(%dy: tensor<1x1x1x2xf32>, %taps: tensor<1x1x1x2xui8>) -> tensor<1x1x2x3xf32> {
  %x = weir.max_pool_gradient %dy, %taps {dilations = [4, 1], kernel_shape = [2, 2], pads = [1, 0, 2, 0], sizes = [2, 3]} : tensor<1x1x1x2xf32>, tensor<1x1x1x2xui8>
  return %x : tensor<1x1x2x3xf32>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [2, 2], sizes = [4, 4]} : tensor<0x2x3x3xf32>, tensor<0x2x3x3xui8>
// COST: empty: tensor<0x2x4x4xf32>, 0 flops, 0 bytes, library no cpu kernel for weir.leaf of f32
func.func @empty(%dy: tensor<0x2x3x3xf32>, %taps: tensor<0x2x3x3xui8>) -> tensor<0x2x4x4xf32> {
  %x = weir.max_pool_gradient %dy, %taps {kernel_shape = [2, 2], sizes = [4, 4]} : tensor<0x2x3x3xf32>, tensor<0x2x3x3xui8>
  return %x : tensor<0x2x4x4xf32>
}

//--- errors.mlir
func.func @other_gradient(%dy: tensor<1x2x2x2xf32>, %t: tensor<1x2x2x2xui8>) {
  // expected-error@below {{'weir.max_pool_gradient' op expects a gradient of 1x2x2x3, the shape of the result of max_pool, found 1x2x2x2}}
  weir.max_pool_gradient %dy, %t {kernel_shape = [2, 2], sizes = [4, 6], strides = [2, 2]} : tensor<1x2x2x2xf32>, tensor<1x2x2x2xui8>
  return
}

// -----

func.func @other_taps(%dy: tensor<1x2x2x3xf32>, %t: tensor<1x2x2x2xui8>) {
  // expected-error@below {{'weir.max_pool_gradient' op dim 'y1' is 3 by operand 0 (1x2x2x3) but 2 by operand 1 (1x2x2x2)}}
  weir.max_pool_gradient %dy, %t {kernel_shape = [2, 2], sizes = [4, 6], strides = [2, 2]} : tensor<1x2x2x3xf32>, tensor<1x2x2x2xui8>
  return
}

// -----

func.func @few_sizes(%dy: tensor<1x2x2x3xf32>, %t: tensor<1x2x2x3xui8>) {
  // expected-error@below {{'weir.max_pool_gradient' op attribute 'sizes' expects 2 values, one per spatial dim, found 1}}
  weir.max_pool_gradient %dy, %t {kernel_shape = [2, 2], sizes = [4], strides = [2, 2]} : tensor<1x2x2x3xf32>, tensor<1x2x2x3xui8>
  return
}

// -----

func.func @many_sizes(%dy: tensor<1x2x2x3xf32>, %t: tensor<1x2x2x3xui8>) {
  // expected-error@below {{'weir.max_pool_gradient' op attribute 'sizes' expects 2 values, one per spatial dim, found 3}}
  weir.max_pool_gradient %dy, %t {kernel_shape = [2, 2], sizes = [4, 6, 9], strides = [2, 2]} : tensor<1x2x2x3xf32>, tensor<1x2x2x3xui8>
  return
}

// -----

func.func @negative_size(%dy: tensor<1x2x2x3xf32>, %t: tensor<1x2x2x3xui8>) {
  // expected-error@below {{'weir.max_pool_gradient' op attribute 'sizes' expects values from 0 to 281474976710656, found -6}}
  weir.max_pool_gradient %dy, %t {kernel_shape = [2, 2], sizes = [4, -6], strides = [2, 2]} : tensor<1x2x2x3xf32>, tensor<1x2x2x3xui8>
  return
}

// -----

func.func @no_kernel_shape(%dy: tensor<1x2x4x6xf32>, %t: tensor<1x2x4x6xui8>) {
  // expected-error@below {{attribute 'kernel_shape' expects 2 values, one per spatial dim, found 0}}
  weir.max_pool_gradient %dy, %t {kernel_shape = [], sizes = [4, 6]} : tensor<1x2x4x6xf32>, tensor<1x2x4x6xui8>
  return
}

// -----

func.func @needs_kernel_shape(%dy: tensor<1x2x4x6xf32>, %t: tensor<1x2x4x6xui8>) {
  // expected-error@below {{'weir.max_pool_gradient' requires attribute 'kernel_shape'}}
  weir.max_pool_gradient %dy, %t {sizes = [4, 6]} : tensor<1x2x4x6xf32>, tensor<1x2x4x6xui8>
  return
}

// -----

func.func @integers(%dy: tensor<1x2x4x6xi32>, %t: tensor<1x2x4x6xui8>) {
  // expected-error@below {{'weir.max_pool_gradient' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.max_pool_gradient %dy, %t {kernel_shape = [1, 1], sizes = [4, 6]} : tensor<1x2x4x6xi32>, tensor<1x2x4x6xui8>
  return
}

// -----

func.func @float_taps(%dy: tensor<1x2x4x6xf32>) {
  // expected-error@below {{'weir.max_pool_gradient' op operand 1 expects an integer element type, found f32; insert a weir.cast}}
  weir.max_pool_gradient %dy, %dy {kernel_shape = [1, 1], sizes = [4, 6]} : tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>
  return
}
