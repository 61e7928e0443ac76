// conv: convolution over 1 to 3 spatial dims with groups, dilation and padding.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/conv.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/conv.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/conv.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @plain(
// CHECK: %y = weir.conv %x, %w : tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>
// COST: plain: tensor<1x3x3x3xf32>, 972 flops, 524 bytes, library ok
func.func @plain(%x: tensor<1x2x5x5xf32>, %w: tensor<3x2x3x3xf32>)
    -> tensor<1x3x3x3xf32> {
  %y = weir.conv %x, %w : tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>
  return %y : tensor<1x3x3x3xf32>
}

// CHECK-LABEL: func.func @uneven_pads(
// CHECK: %y = weir.conv %x, %w, %b {pads = [1, 0, 2, 1]} : tensor<2x2x5x4xf32>, tensor<3x2x3x2xf32>, tensor<3xf32>
// COST: uneven_pads: tensor<2x3x6x4xf32>, 3456 flops, 1052 bytes, library ok
func.func @uneven_pads(%x: tensor<2x2x5x4xf32>,
    %w: tensor<3x2x3x2xf32>,
    %b: tensor<3xf32>)
    -> tensor<2x3x6x4xf32> {
  %y = weir.conv %x, %w, %b {pads = [1, 0, 2, 1]} : tensor<2x2x5x4xf32>, tensor<3x2x3x2xf32>, tensor<3xf32>
  return %y : tensor<2x3x6x4xf32>
}

// CHECK-LABEL: func.func @strided(
// CHECK: %y = weir.conv %x, %w, %b {pads = [1, 1, 1, 1], strides = [2, 3]} : tensor<1x3x7x6xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>
// COST: strided: tensor<1x4x4x2xf32>, 1728 flops, 1080 bytes, library ok
func.func @strided(%x: tensor<1x3x7x6xf32>,
    %w: tensor<4x3x3x3xf32>,
    %b: tensor<4xf32>)
    -> tensor<1x4x4x2xf32> {
  %y = weir.conv %x, %w, %b {pads = [1, 1, 1, 1], strides = [2, 3]} : tensor<1x3x7x6xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>
  return %y : tensor<1x4x4x2xf32>
}

// CHECK-LABEL: func.func @dilated(
// CHECK: %y = weir.conv %x, %w {dilations = [2, 3]} : tensor<1x2x7x7xf32>, tensor<2x2x3x3xf32>
// COST: dilated: tensor<1x2x3x1xf32>, 216 flops, 560 bytes, library ok
func.func @dilated(%x: tensor<1x2x7x7xf32>, %w: tensor<2x2x3x3xf32>)
    -> tensor<1x2x3x1xf32> {
  %y = weir.conv %x, %w {dilations = [2, 3]} : tensor<1x2x7x7xf32>, tensor<2x2x3x3xf32>
  return %y : tensor<1x2x3x1xf32>
}

// CHECK-LABEL: func.func @grouped(
// CHECK: %y = weir.conv %x, %w, %b {groups = 2 : i64, pads = [1, 1, 1, 1]} : tensor<1x4x5x5xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>
// COST: grouped: tensor<1x6x5x5xf32>, 5400 flops, 1456 bytes, library ok
func.func @grouped(%x: tensor<1x4x5x5xf32>,
    %w: tensor<6x2x3x3xf32>,
    %b: tensor<6xf32>)
    -> tensor<1x6x5x5xf32> {
  %y = weir.conv %x, %w, %b {groups = 2, pads = [1, 1, 1, 1]} : tensor<1x4x5x5xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>
  return %y : tensor<1x6x5x5xf32>
}

// CHECK-LABEL: func.func @depthwise(
// CHECK: %y = weir.conv %x, %w {groups = 3 : i64} : tensor<1x3x4x4xf32>, tensor<3x1x3x3xf32>
// COST: depthwise: tensor<1x3x2x2xf32>, 216 flops, 348 bytes, library ok
func.func @depthwise(%x: tensor<1x3x4x4xf32>, %w: tensor<3x1x3x3xf32>)
    -> tensor<1x3x2x2xf32> {
  %y = weir.conv %x, %w {groups = 3} : tensor<1x3x4x4xf32>, tensor<3x1x3x3xf32>
  return %y : tensor<1x3x2x2xf32>
}

// CHECK-LABEL: func.func @one_dim(
// CHECK: %y = weir.conv %x, %w, %b {pads = [2, 1], strides = [2]} : tensor<2x3x9xf32>, tensor<4x3x3xf32>, tensor<4xf32>
// COST: one_dim: tensor<2x4x5xf32>, 720 flops, 536 bytes, library ok
func.func @one_dim(%x: tensor<2x3x9xf32>,
    %w: tensor<4x3x3xf32>,
    %b: tensor<4xf32>)
    -> tensor<2x4x5xf32> {
  %y = weir.conv %x, %w, %b {pads = [2, 1], strides = [2]} : tensor<2x3x9xf32>, tensor<4x3x3xf32>, tensor<4xf32>
  return %y : tensor<2x4x5xf32>
}

// CHECK-LABEL: func.func @three_dims(
// CHECK: %y = weir.conv %x, %w, %b {pads = [0, 1, 0, 0, 1, 1]} : tensor<1x2x3x4x3xf32>, tensor<2x2x2x2x2xf32>, tensor<2xf32>
// COST: three_dims: tensor<1x2x2x5x3xf32>, 1920 flops, 664 bytes, library ok
func.func @three_dims(%x: tensor<1x2x3x4x3xf32>,
    %w: tensor<2x2x2x2x2xf32>,
    %b: tensor<2xf32>)
    -> tensor<1x2x2x5x3xf32> {
  %y = weir.conv %x, %w, %b {pads = [0, 1, 0, 0, 1, 1]} : tensor<1x2x3x4x3xf32>, tensor<2x2x2x2x2xf32>, tensor<2xf32>
  return %y : tensor<1x2x2x5x3xf32>
}

// CHECK-LABEL: func.func @pointwise(
// CHECK: %y = weir.conv %x, %w, %b : tensor<1x4x3x1xbf16>, tensor<5x4x1x1xbf16>, tensor<5xbf16>
// COST: pointwise: tensor<1x5x3x1xbf16>, 120 flops, 104 bytes, library ok
func.func @pointwise(%x: tensor<1x4x3x1xbf16>,
    %w: tensor<5x4x1x1xbf16>,
    %b: tensor<5xbf16>)
    -> tensor<1x5x3x1xbf16> {
  %y = weir.conv %x, %w, %b : tensor<1x4x3x1xbf16>, tensor<5x4x1x1xbf16>, tensor<5xbf16>
  return %y : tensor<1x5x3x1xbf16>
}

// CHECK-LABEL: func.func @channels_last(
// CHECK: %y = weir.conv %x, %w, %b {pads = [1, 1, 1, 1]} : tensor<1x3x5x5xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<4x3x3x3xf32>, tensor<4xf32> -> tensor<1x4x5x5xf32, #weir.layout<[0, 2, 3, 1]>>
// COST: channels_last: tensor<1x4x5x5xf32, #weir.layout<[0, 2, 3, 1]>>, 5400 flops, 1148 bytes, library ok
func.func @channels_last(%x: tensor<1x3x5x5xf32, #weir.layout<[0, 2, 3, 1]>>,
    %w: tensor<4x3x3x3xf32>,
    %b: tensor<4xf32>)
    -> tensor<1x4x5x5xf32, #weir.layout<[0, 2, 3, 1]>> {
  %y = weir.conv %x, %w, %b {pads = [1, 1, 1, 1]} : tensor<1x3x5x5xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<4x3x3x3xf32>, tensor<4xf32> -> tensor<1x4x5x5xf32, #weir.layout<[0, 2, 3, 1]>>
  return %y : tensor<1x4x5x5xf32, #weir.layout<[0, 2, 3, 1]>>
}

// CHECK-LABEL: func.func @no_images(
// CHECK: %y = weir.conv %x, %w, %b : tensor<0x2x5x5xf32>, tensor<3x2x3x3xf32>, tensor<3xf32>
// COST: no_images: tensor<0x3x3x3xf32>, 0 flops, 228 bytes, library ok
func.func @no_images(%x: tensor<0x2x5x5xf32>,
    %w: tensor<3x2x3x3xf32>,
    %b: tensor<3xf32>)
    -> tensor<0x3x3x3xf32> {
  %y = weir.conv %x, %w, %b : tensor<0x2x5x5xf32>, tensor<3x2x3x3xf32>, tensor<3xf32>
  return %y : tensor<0x3x3x3xf32>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.conv %x, %w, %b : tensor<1x2x5xf16>, tensor<3x2x2xf16>, tensor<3xf16>
// COST: half: tensor<1x3x4xf16>, 96 flops, 74 bytes, library no cpu kernel for weir.conv of f16
func.func @half(%x: tensor<1x2x5xf16>, %w: tensor<3x2x2xf16>, %b: tensor<3xf16>)
    -> tensor<1x3x4xf16> {
  %y = weir.conv %x, %w, %b : tensor<1x2x5xf16>, tensor<3x2x2xf16>, tensor<3xf16>
  return %y : tensor<1x3x4xf16>
}

//--- errors.mlir
func.func @error(%x: tensor<1x3x8x8xf32>, %w: tensor<4x2x3x3xf32>) {
  // expected-error@below {{'weir.conv' op dim 1 of operand 0 (1x3x8x8) is 3, expected 2}}
  weir.conv %x, %w : tensor<1x3x8x8xf32>, tensor<4x2x3x3xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x8x8xf32>, %w: tensor<4x2x3x3xf32>) {
  // expected-error@below {{'weir.conv' op attribute 'strides' expects 2 values, one per spatial dim, found 1}}
  weir.conv %x, %w {strides = [2]} : tensor<1x2x8x8xf32>, tensor<4x2x3x3xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x8x8xf32>, %w: tensor<4x2x3x3xf32>) {
  // expected-error@below {{'weir.conv' op attribute 'pads' expects 4 values, the begins then the ends of the spatial dims, found 2}}
  weir.conv %x, %w {pads = [1, 1]} : tensor<1x2x8x8xf32>, tensor<4x2x3x3xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x8x8xf32>, %w: tensor<4x2x3x3xf32>) {
  // expected-error@below {{'weir.conv' op attribute 'dilations' expects 2 values, one per spatial dim, found 3}}
  weir.conv %x, %w {dilations = [1, 1, 1]} : tensor<1x2x8x8xf32>, tensor<4x2x3x3xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x8x8xf32>, %w: tensor<4x2x3x3xf32>) {
  // expected-error@below {{'weir.conv' op attribute 'strides' expects values from 1 to 281474976710656, found 0}}
  weir.conv %x, %w {strides = [0, 1]} : tensor<1x2x8x8xf32>, tensor<4x2x3x3xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x2x8xf32>, %w: tensor<4x2x3x3xf32>) {
  // expected-error@below {{'weir.conv' op a window of 3 does not fit into spatial dim 0 of operand 0 (1x2x2x8), which is 2 with padding}}
  weir.conv %x, %w : tensor<1x2x2x8xf32>, tensor<4x2x3x3xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x8x8xf32>, %w: tensor<3x1x3x3xf32>) {
  // expected-error@below {{'weir.conv' op dim 0 of operand 1 (3x1x3x3) is 3, expected a multiple of 2}}
  weir.conv %x, %w {groups = 2} : tensor<1x2x8x8xf32>, tensor<3x1x3x3xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x8x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'weir.conv' op operand 1 (4x2x3) has 1 spatial dims where operand 0 (1x2x8x8) has 2}}
  weir.conv %x, %w : tensor<1x2x8x8xf32>, tensor<4x2x3xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x8x8xf32>,
    %w: tensor<4x2x3x3xf32>,
    %b: tensor<5xf32>) {
  // expected-error@below {{'weir.conv' op dim 0 of operand 2 (5) is 5, expected 4}}
  weir.conv %x, %w, %b : tensor<1x2x8x8xf32>, tensor<4x2x3x3xf32>, tensor<5xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x8x8xi8>, %w: tensor<4x2x3x3xi8>) {
  // expected-error@below {{'weir.conv' op operand 0 expects a float element type, found i8; insert a weir.cast}}
  weir.conv %x, %w : tensor<1x2x8x8xi8>, tensor<4x2x3x3xi8>
  return
}

// -----

func.func @error(%x: tensor<1x2x8x8xf32>, %w: tensor<4x2x3x3xf32>) {
  // expected-error@below {{'weir.conv' has no attribute 'stride'; it has device, dilations, groups, pads, stage, strides}}
  weir.conv %x, %w {stride = [1, 1]} : tensor<1x2x8x8xf32>, tensor<4x2x3x3xf32>
  return
}

// -----

func.func @error(%x: tensor<1x1x4xf32>, %w: tensor<1x1x2xf32>) {
  // expected-error@below {{attribute 'pads' expects numbers from 0 on, found [0, -1]}}
  weir.conv %x, %w {pads = [0, -1]} : tensor<1x1x4xf32>, tensor<1x1x2xf32>
  return
}
