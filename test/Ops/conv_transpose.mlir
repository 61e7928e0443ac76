// conv_transpose: the gradient of conv in its input, with output_padding.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/conv_transpose.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/conv_transpose.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/conv_transpose.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @plain(
// CHECK: %y = weir.conv_transpose %x, %w : tensor<1x2x3x3xf32>, tensor<2x3x3x3xf32>
// COST: plain: tensor<1x3x5x5xf32>, 972 flops, 588 bytes, library ok
func.func @plain(%x: tensor<1x2x3x3xf32>, %w: tensor<2x3x3x3xf32>)
    -> tensor<1x3x5x5xf32> {
  %y = weir.conv_transpose %x, %w : tensor<1x2x3x3xf32>, tensor<2x3x3x3xf32>
  return %y : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func.func @strided(
// CHECK: %y = weir.conv_transpose %x, %w, %b {pads = [1, 1, 1, 1], strides = [2, 3]} : tensor<1x3x3x4xf32>, tensor<3x2x3x3xf32>, tensor<2xf32>
// COST: strided: tensor<1x2x5x10xf32>, 1296 flops, 768 bytes, library ok
func.func @strided(%x: tensor<1x3x3x4xf32>,
    %w: tensor<3x2x3x3xf32>,
    %b: tensor<2xf32>)
    -> tensor<1x2x5x10xf32> {
  %y = weir.conv_transpose %x, %w, %b {pads = [1, 1, 1, 1], strides = [2, 3]} : tensor<1x3x3x4xf32>, tensor<3x2x3x3xf32>, tensor<2xf32>
  return %y : tensor<1x2x5x10xf32>
}

// CHECK-LABEL: func.func @output_padding(
// CHECK: %y = weir.conv_transpose %x, %w, %b {output_padding = [1, 1], pads = [1, 1, 1, 1], strides = [2, 2]} : tensor<1x2x3x3xf32>, tensor<2x2x3x3xf32>, tensor<2xf32>
// COST: output_padding: tensor<1x2x6x6xf32>, 648 flops, 512 bytes, library ok
func.func @output_padding(%x: tensor<1x2x3x3xf32>,
    %w: tensor<2x2x3x3xf32>,
    %b: tensor<2xf32>)
    -> tensor<1x2x6x6xf32> {
  %y = weir.conv_transpose %x, %w, %b {output_padding = [1, 1], pads = [1, 1, 1, 1], strides = [2, 2]} : tensor<1x2x3x3xf32>, tensor<2x2x3x3xf32>, tensor<2xf32>
  return %y : tensor<1x2x6x6xf32>
}

// CHECK-LABEL: func.func @dilated(
// CHECK: %y = weir.conv_transpose %x, %w {dilations = [3, 2], pads = [0, 1, 2, 0]} : tensor<1x2x3x3xf32>, tensor<2x2x2x3xf32>
// COST: dilated: tensor<1x2x4x6xf32>, 432 flops, 360 bytes, library ok
func.func @dilated(%x: tensor<1x2x3x3xf32>, %w: tensor<2x2x2x3xf32>)
    -> tensor<1x2x4x6xf32> {
  %y = weir.conv_transpose %x, %w {dilations = [3, 2], pads = [0, 1, 2, 0]} : tensor<1x2x3x3xf32>, tensor<2x2x2x3xf32>
  return %y : tensor<1x2x4x6xf32>
}

// CHECK-LABEL: func.func @grouped(
// CHECK: %y = weir.conv_transpose %x, %w, %b {groups = 2 : i64, strides = [2, 2]} : tensor<2x4x3x3xf32>, tensor<4x3x2x2xf32>, tensor<6xf32>
// COST: grouped: tensor<2x6x6x6xf32>, 1728 flops, 2232 bytes, library ok
func.func @grouped(%x: tensor<2x4x3x3xf32>,
    %w: tensor<4x3x2x2xf32>,
    %b: tensor<6xf32>)
    -> tensor<2x6x6x6xf32> {
  %y = weir.conv_transpose %x, %w, %b {groups = 2, strides = [2, 2]} : tensor<2x4x3x3xf32>, tensor<4x3x2x2xf32>, tensor<6xf32>
  return %y : tensor<2x6x6x6xf32>
}

// CHECK-LABEL: func.func @one_dim(
// CHECK: %y = weir.conv_transpose %x, %w, %b {pads = [1, 2], strides = [3]} : tensor<1x2x5xf32>, tensor<2x3x4xf32>, tensor<3xf32>
// COST: one_dim: tensor<1x3x13xf32>, 240 flops, 304 bytes, library ok
func.func @one_dim(%x: tensor<1x2x5xf32>,
    %w: tensor<2x3x4xf32>,
    %b: tensor<3xf32>)
    -> tensor<1x3x13xf32> {
  %y = weir.conv_transpose %x, %w, %b {pads = [1, 2], strides = [3]} : tensor<1x2x5xf32>, tensor<2x3x4xf32>, tensor<3xf32>
  return %y : tensor<1x3x13xf32>
}

// CHECK-LABEL: func.func @three_dims(
// CHECK: %y = weir.conv_transpose %x, %w {strides = [2, 1, 2]} : tensor<1x2x2x2x2xf32>, tensor<2x1x2x2x2xf32>
// COST: three_dims: tensor<1x1x4x3x4xf32>, 256 flops, 320 bytes, library ok
func.func @three_dims(%x: tensor<1x2x2x2x2xf32>, %w: tensor<2x1x2x2x2xf32>)
    -> tensor<1x1x4x3x4xf32> {
  %y = weir.conv_transpose %x, %w {strides = [2, 1, 2]} : tensor<1x2x2x2x2xf32>, tensor<2x1x2x2x2xf32>
  return %y : tensor<1x1x4x3x4xf32>
}

// CHECK-LABEL: func.func @pointwise(
// CHECK: %y = weir.conv_transpose %x, %w, %b : tensor<1x4x3x1xbf16>, tensor<4x3x1x1xbf16>, tensor<3xbf16>
// COST: pointwise: tensor<1x3x3x1xbf16>, 72 flops, 72 bytes, library ok
func.func @pointwise(%x: tensor<1x4x3x1xbf16>,
    %w: tensor<4x3x1x1xbf16>,
    %b: tensor<3xbf16>)
    -> tensor<1x3x3x1xbf16> {
  %y = weir.conv_transpose %x, %w, %b : tensor<1x4x3x1xbf16>, tensor<4x3x1x1xbf16>, tensor<3xbf16>
  return %y : tensor<1x3x3x1xbf16>
}

// CHECK-LABEL: func.func @channels_last(
// CHECK: %y = weir.conv_transpose %x, %w, %b {pads = [1, 1, 1, 1], strides = [2, 2]} : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3x2x3x3xf32>, tensor<2xf32> -> tensor<1x2x7x7xf32, #weir.layout<[0, 2, 3, 1]>>
// COST: channels_last: tensor<1x2x7x7xf32, #weir.layout<[0, 2, 3, 1]>>, 1728 flops, 808 bytes, library ok
func.func @channels_last(%x: tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>,
    %w: tensor<3x2x3x3xf32>,
    %b: tensor<2xf32>)
    -> tensor<1x2x7x7xf32, #weir.layout<[0, 2, 3, 1]>> {
  %y = weir.conv_transpose %x, %w, %b {pads = [1, 1, 1, 1], strides = [2, 2]} : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3x2x3x3xf32>, tensor<2xf32> -> tensor<1x2x7x7xf32, #weir.layout<[0, 2, 3, 1]>>
  return %y : tensor<1x2x7x7xf32, #weir.layout<[0, 2, 3, 1]>>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.conv_transpose %x, %w, %b {output_padding = [1], strides = [2]} : tensor<1x2x4xf16>, tensor<2x1x3xf16>, tensor<1xf16>
// COST: half: tensor<1x1x10xf16>, 48 flops, 50 bytes, library no cpu kernel for weir.conv_transpose of f16
func.func @half(%x: tensor<1x2x4xf16>, %w: tensor<2x1x3xf16>, %b: tensor<1xf16>)
    -> tensor<1x1x10xf16> {
  %y = weir.conv_transpose %x, %w, %b {output_padding = [1], strides = [2]} : tensor<1x2x4xf16>, tensor<2x1x3xf16>, tensor<1xf16>
  return %y : tensor<1x1x10xf16>
}

// CHECK-LABEL: func.func @uneven_pads(
// CHECK: %y = weir.conv_transpose %x, %w, %b {pads = [0, 1, 2, 1], strides = [2, 1]} : tensor<1x2x3x4xf32>, tensor<2x1x3x3xf32>, tensor<1xf32>
// COST: uneven_pads: tensor<1x1x5x4xf32>, 432 flops, 252 bytes, library ok
func.func @uneven_pads(%x: tensor<1x2x3x4xf32>, %w: tensor<2x1x3x3xf32>,
    %b: tensor<1xf32>) -> tensor<1x1x5x4xf32> {
  %y = weir.conv_transpose %x, %w, %b {pads = [0, 1, 2, 1], strides = [2, 1]} : tensor<1x2x3x4xf32>, tensor<2x1x3x3xf32>, tensor<1xf32>
  return %y : tensor<1x1x5x4xf32>
}

//--- errors.mlir
func.func @error(%x: tensor<1x3x8x8xf32>, %w: tensor<4x2x3x3xf32>) {
  // expected-error@below {{'weir.conv_transpose' op dim 0 of operand 1 (4x2x3x3) is 4, expected 3}}
  weir.conv_transpose %x, %w : tensor<1x3x8x8xf32>, tensor<4x2x3x3xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x8x8xf32>, %w: tensor<2x4x3x3xf32>) {
  // expected-error@below {{'weir.conv_transpose' op attribute 'output_padding' expects 2 values, one per spatial dim, found 1}}
  weir.conv_transpose %x, %w {output_padding = [1]} : tensor<1x2x8x8xf32>, tensor<2x4x3x3xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x8x8xf32>, %w: tensor<2x4x3x3xf32>) {
  // expected-error@below {{'weir.conv_transpose' op attribute 'pads' expects 4 values, the begins then the ends of the spatial dims, found 1}}
  weir.conv_transpose %x, %w {pads = [1]} : tensor<1x2x8x8xf32>, tensor<2x4x3x3xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x1x1xf32>, %w: tensor<2x4x3x3xf32>) {
  // expected-error@below {{'weir.conv_transpose' op spatial dim 0 of the result has -1 elements after padding, expected 0 to}}
  weir.conv_transpose %x, %w {pads = [2, 2, 2, 2]} : tensor<1x2x1x1xf32>, tensor<2x4x3x3xf32>
  return
}

// -----

func.func @error(%x: tensor<1x2x8x8xf32>,
    %w: tensor<2x4x3x3xf32>,
    %b: tensor<5xf32>) {
  // expected-error@below {{'weir.conv_transpose' op dim 0 of operand 2 (5) is 5, expected 4}}
  weir.conv_transpose %x, %w, %b : tensor<1x2x8x8xf32>, tensor<2x4x3x3xf32>, tensor<5xf32>
  return
}

// -----

func.func @error(%x: tensor<1x3x4xf32>, %w: tensor<3x1x2xbf16>) {
  // expected-error@below {{'weir.conv_transpose' op operand 1 expects element type f32 like the operands before, found bf16; insert a weir.cast}}
  weir.conv_transpose %x, %w : tensor<1x3x4xf32>, tensor<3x1x2xbf16>
  return
}

// -----

func.func @error(%x: tensor<1x3x4xf32>, %w: tensor<3x1x2xf32>) {
  // expected-error@below {{'weir.conv_transpose' op dim 1 of operand 0 (1x3x4) is 3, expected a multiple of 2}}
  weir.conv_transpose %x, %w {groups = 2} : tensor<1x3x4xf32>, tensor<3x1x2xf32>
  return
}

// -----

func.func @error(%x: tensor<1x3x4xf32>, %w: tensor<3x1x2xf32>) {
  // expected-error@below {{'weir.conv_transpose' op attribute 'output_padding' expects values from 0 to 281474976710656, found -1}}
  weir.conv_transpose %x, %w {output_padding = [-1]} : tensor<1x3x4xf32>, tensor<3x1x2xf32>
  return
}

// -----

func.func @error(%x: tensor<1x3x4xf32>, %w: tensor<3x1x2xf32>) {
  // expected-error@below {{attribute 'pads' expects numbers from 0 on, found [0, -1]}}
  weir.conv_transpose %x, %w {pads = [0, -1]} : tensor<1x3x4xf32>, tensor<3x1x2xf32>
  return
}
