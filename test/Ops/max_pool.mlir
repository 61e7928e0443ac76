// max_pool: the largest element of each window, padding apart.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/max_pool.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/max_pool.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/max_pool.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @plain(
// CHECK: %y = weir.max_pool %x {kernel_shape = [2, 3]} : tensor<1x2x4x6xf32>
// COST: plain: tensor<1x2x3x4xf32>, 144 flops, 288 bytes, library ok
func.func @plain(%x: tensor<1x2x4x6xf32>) -> tensor<1x2x3x4xf32> {
  %y = weir.max_pool %x {kernel_shape = [2, 3]} : tensor<1x2x4x6xf32>
  return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: func.func @strided(
// CHECK: %y = weir.max_pool %x {kernel_shape = [3, 2], strides = [2, 2]} : tensor<1x2x7x5xf32>
// COST: strided: tensor<1x2x3x2xf32>, 72 flops, 328 bytes, library ok
func.func @strided(%x: tensor<1x2x7x5xf32>) -> tensor<1x2x3x2xf32> {
  %y = weir.max_pool %x {kernel_shape = [3, 2], strides = [2, 2]} : tensor<1x2x7x5xf32>
  return %y : tensor<1x2x3x2xf32>
}

// CHECK-LABEL: func.func @padded(
// CHECK: %y = weir.max_pool %x {kernel_shape = [3, 3], pads = [1, 0, 1, 2], strides = [2, 2]} : tensor<2x1x5x5xf32>
// COST: padded: tensor<2x1x3x3xf32>, 162 flops, 272 bytes, library ok
func.func @padded(%x: tensor<2x1x5x5xf32>) -> tensor<2x1x3x3xf32> {
  %y = weir.max_pool %x {kernel_shape = [3, 3], pads = [1, 0, 1, 2], strides = [2, 2]} : tensor<2x1x5x5xf32>
  return %y : tensor<2x1x3x3xf32>
}

// CHECK-LABEL: func.func @ceil(
// CHECK: %y = weir.max_pool %x {ceil_mode = true, kernel_shape = [3, 3], strides = [2, 2]} : tensor<1x2x6x6xf32>
// COST: ceil: tensor<1x2x3x3xf32>, 162 flops, 360 bytes, library ok
func.func @ceil(%x: tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32> {
  %y = weir.max_pool %x {ceil_mode = true, kernel_shape = [3, 3], strides = [2, 2]} : tensor<1x2x6x6xf32>
  return %y : tensor<1x2x3x3xf32>
}

// CHECK-LABEL: func.func @ceil_padded(
// CHECK: %y = weir.max_pool %x {ceil_mode = true, kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [3, 2]} : tensor<1x1x7x6xf32>
// COST: ceil_padded: tensor<1x1x3x4xf32>, 108 flops, 216 bytes, library ok
func.func @ceil_padded(%x: tensor<1x1x7x6xf32>) -> tensor<1x1x3x4xf32> {
  %y = weir.max_pool %x {ceil_mode = true, kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [3, 2]} : tensor<1x1x7x6xf32>
  return %y : tensor<1x1x3x4xf32>
}

// CHECK-LABEL: func.func @dilated(
// CHECK: %y = weir.max_pool %x {dilations = [2, 3], kernel_shape = [2, 2]} : tensor<1x2x6x6xf32>
// COST: dilated: tensor<1x2x4x3xf32>, 96 flops, 384 bytes, library kernel 'max_pool': expected windows without dilation
func.func @dilated(%x: tensor<1x2x6x6xf32>) -> tensor<1x2x4x3xf32> {
  %y = weir.max_pool %x {dilations = [2, 3], kernel_shape = [2, 2]} : tensor<1x2x6x6xf32>
  return %y : tensor<1x2x4x3xf32>
}

// CHECK-LABEL: func.func @one_dim(
// CHECK: %y = weir.max_pool %x {kernel_shape = [4], pads = [1, 2], strides = [2]} : tensor<1x3x9xf32>
// COST: one_dim: tensor<1x3x5xf32>, 60 flops, 168 bytes, library ok
func.func @one_dim(%x: tensor<1x3x9xf32>) -> tensor<1x3x5xf32> {
  %y = weir.max_pool %x {kernel_shape = [4], pads = [1, 2], strides = [2]} : tensor<1x3x9xf32>
  return %y : tensor<1x3x5xf32>
}

// CHECK-LABEL: func.func @three_dims(
// CHECK: %y = weir.max_pool %x {kernel_shape = [2, 2, 2]} : tensor<1x1x3x4x3xf32>
// COST: three_dims: tensor<1x1x2x3x2xf32>, 96 flops, 192 bytes, library ok
func.func @three_dims(%x: tensor<1x1x3x4x3xf32>) -> tensor<1x1x2x3x2xf32> {
  %y = weir.max_pool %x {kernel_shape = [2, 2, 2]} : tensor<1x1x3x4x3xf32>
  return %y : tensor<1x1x2x3x2xf32>
}

// CHECK-LABEL: func.func @window_of_one(
// CHECK: %y = weir.max_pool %x {kernel_shape = [1, 1]} : tensor<1x2x3x1xbf16>
// COST: window_of_one: tensor<1x2x3x1xbf16>, 6 flops, 24 bytes, library ok
func.func @window_of_one(%x: tensor<1x2x3x1xbf16>) -> tensor<1x2x3x1xbf16> {
  %y = weir.max_pool %x {kernel_shape = [1, 1]} : tensor<1x2x3x1xbf16>
  return %y : tensor<1x2x3x1xbf16>
}

// CHECK-LABEL: func.func @channels_last(
// CHECK: %y = weir.max_pool %x {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>> -> tensor<1x3x2x2xf32, #weir.layout<[0, 2, 3, 1]>>
// COST: channels_last: tensor<1x3x2x2xf32, #weir.layout<[0, 2, 3, 1]>>, 48 flops, 240 bytes, library ok
func.func @channels_last(%x: tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>)
    -> tensor<1x3x2x2xf32, #weir.layout<[0, 2, 3, 1]>> {
  %y = weir.max_pool %x {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>> -> tensor<1x3x2x2xf32, #weir.layout<[0, 2, 3, 1]>>
  return %y : tensor<1x3x2x2xf32, #weir.layout<[0, 2, 3, 1]>>
}

// CHECK-LABEL: func.func @u8(
// CHECK: %y = weir.max_pool %x {kernel_shape = [2, 2]} : tensor<1x1x4x4xui8>
// COST: u8: tensor<1x1x3x3xui8>, 36 flops, 25 bytes, library no cpu kernel for weir.max_pool of u8
func.func @u8(%x: tensor<1x1x4x4xui8>) -> tensor<1x1x3x3xui8> {
  %y = weir.max_pool %x {kernel_shape = [2, 2]} : tensor<1x1x4x4xui8>
  return %y : tensor<1x1x3x3xui8>
}

// CHECK-LABEL: func.func @infinite(
// CHECK: %y = weir.max_pool %x {kernel_shape = [1, 2]} : tensor<1x1x2x4xf32>
// COST: infinite: tensor<1x1x2x3xf32>, 12 flops, 56 bytes, library ok
func.func @infinite(%x: tensor<1x1x2x4xf32>) -> tensor<1x1x2x3xf32> {
  %y = weir.max_pool %x {kernel_shape = [1, 2]} : tensor<1x1x2x4xf32>
  return %y : tensor<1x1x2x3xf32>
}

// The last stride reaches beyond the input.
// CHECK-LABEL: func.func @strided_over(
// CHECK: %y = weir.max_pool %x {ceil_mode = true, dilations = [2], kernel_shape = [1], strides = [4]} : tensor<2x1x6xf32>
// COST: strided_over: tensor<2x1x2xf32>, 4 flops, 64 bytes, library kernel 'max_pool': expected windows without dilation
func.func @strided_over(%x: tensor<2x1x6xf32>) -> tensor<2x1x2xf32> {
  %y = weir.max_pool %x {ceil_mode = true, dilations = [2], kernel_shape = [1], strides = [4]} : tensor<2x1x6xf32>
  return %y : tensor<2x1x2xf32>
}

//--- errors.mlir
func.func @error(%x: tensor<1x2x4x4xf32>) {
  // expected-error@below {{'weir.max_pool' op attribute 'kernel_shape' expects 2 values, one per spatial dim, found 1}}
  weir.max_pool %x {kernel_shape = [2]} : tensor<1x2x4x4xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x4x4xf32>) {
  // expected-error@below {{'weir.max_pool' op a window of 5 does not fit into spatial dim 0 of operand 0 (1x2x4x4), which is 4 with padding}}
  weir.max_pool %x {kernel_shape = [5, 2]} : tensor<1x2x4x4xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x4x4xf32>) {
  // expected-error@below {{'weir.max_pool' op attribute 'pads' expects 4 values, the begins then the ends of the spatial dims, found 3}}
  weir.max_pool %x {kernel_shape = [2, 2], pads = [1, 1, 1]} : tensor<1x2x4x4xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x4x4xf32>) {
  // expected-error@below {{'weir.max_pool' op attribute 'strides' expects values from 1 to 281474976710656, found -1}}
  weir.max_pool %x {kernel_shape = [2, 2], strides = [2, -1]} : tensor<1x2x4x4xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x4x4xf32>) {
  // expected-error@below {{'weir.max_pool' requires attribute 'kernel_shape'}}
  weir.max_pool %x : tensor<1x2x4x4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.max_pool' op operand 0 (4): expects rank at least 2, found rank 1}}
  weir.max_pool %x {kernel_shape = [2]} : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x4xf32>) {
  // expected-error@below {{'weir.max_pool' op attribute 'pads' expects less than the 2 elements that a window spans in spatial dim 0, found 2}}
  weir.max_pool %x {kernel_shape = [2], pads = [1, 2]} : tensor<1x2x4xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x4xf32>) {
  // expected-error@below {{attribute 'kernel_shape' expects a list of integers such as [0, 1]}}
  weir.max_pool %x {kernel_shape = 2} : tensor<1x2x4xf32>
  return
}
