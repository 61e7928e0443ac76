// batch_norm_training: each channel by the statistics of the batch, then scaled
// and shifted; also the statistics.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/batch_norm_training.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/batch_norm_training.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/batch_norm_training.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @two_dims(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_training %x, %scale, %bias : tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>
// COST: two_dims: tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, 735 flops, 1008 bytes, library ok
func.func @two_dims(%x: tensor<2x3x4x5xf32>, %scale: tensor<3xf32>, %bias: tensor<3xf32>)
    -> (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>) {
  %y:3 = weir.batch_norm_training %x, %scale, %bias : tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>
  return %y#0, %y#1, %y#2 : tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @no_spatial(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_training %x, %scale, %bias {epsilon = 1.000000e-03 : f64} : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
// COST: no_spatial: tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, 87 flops, 144 bytes, library ok
func.func @no_spatial(%x: tensor<4x3xf32>, %scale: tensor<3xf32>, %bias: tensor<3xf32>)
    -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %y:3 = weir.batch_norm_training %x, %scale, %bias {epsilon = 1.000000e-03 : f64} : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  return %y#0, %y#1, %y#2 : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @three_dims(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_training %x, %scale, %bias : tensor<1x2x2x3x2xf32>, tensor<2xf32>, tensor<2xf32>
// COST: three_dims: tensor<1x2x2x3x2xf32>, tensor<2xf32>, tensor<2xf32>, 154 flops, 224 bytes, library ok
func.func @three_dims(%x: tensor<1x2x2x3x2xf32>, %scale: tensor<2xf32>, %bias: tensor<2xf32>)
    -> (tensor<1x2x2x3x2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %y:3 = weir.batch_norm_training %x, %scale, %bias : tensor<1x2x2x3x2xf32>, tensor<2xf32>, tensor<2xf32>
  return %y#0, %y#1, %y#2 : tensor<1x2x2x3x2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @one_channel(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_training %x, %scale, %bias : tensor<1x1x3xf32>, tensor<1xf32>, tensor<1xf32>
// COST: one_channel: tensor<1x1x3xf32>, tensor<1xf32>, tensor<1xf32>, 23 flops, 40 bytes, library ok
func.func @one_channel(%x: tensor<1x1x3xf32>, %scale: tensor<1xf32>, %bias: tensor<1xf32>)
    -> (tensor<1x1x3xf32>, tensor<1xf32>, tensor<1xf32>) {
  %y:3 = weir.batch_norm_training %x, %scale, %bias : tensor<1x1x3xf32>, tensor<1xf32>, tensor<1xf32>
  return %y#0, %y#1, %y#2 : tensor<1x1x3xf32>, tensor<1xf32>, tensor<1xf32>
}

// CHECK-LABEL: func.func @many_rows(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_training %x, %scale, %bias : tensor<3x23x50xf32>, tensor<23xf32>, tensor<23xf32>
// COST: many_rows: tensor<3x23x50xf32>, tensor<23xf32>, tensor<23xf32>, 20815 flops, 27968 bytes, library ok
func.func @many_rows(%x: tensor<3x23x50xf32>, %scale: tensor<23xf32>, %bias: tensor<23xf32>)
    -> (tensor<3x23x50xf32>, tensor<23xf32>, tensor<23xf32>) {
  %y:3 = weir.batch_norm_training %x, %scale, %bias : tensor<3x23x50xf32>, tensor<23xf32>, tensor<23xf32>
  return %y#0, %y#1, %y#2 : tensor<3x23x50xf32>, tensor<23xf32>, tensor<23xf32>
}

// CHECK-LABEL: func.func @many_channels(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_training %x, %scale, %bias : tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<150xf32>, tensor<150xf32> -> (tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<150xf32>, tensor<150xf32>)
// COST: many_channels: tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<150xf32>, tensor<150xf32>, 9750 flops, 14400 bytes, library ok
func.func @many_channels(%x: tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, %scale: tensor<150xf32>, %bias: tensor<150xf32>)
    -> (tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<150xf32>, tensor<150xf32>) {
  %y:3 = weir.batch_norm_training %x, %scale, %bias : tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<150xf32>, tensor<150xf32> -> (tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<150xf32>, tensor<150xf32>)
  return %y#0, %y#1, %y#2 : tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<150xf32>, tensor<150xf32>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_training %x, %scale, %bias : tensor<2x20x3x3xbf16>, tensor<20xbf16>, tensor<20xbf16>
// COST: bf16: tensor<2x20x3x3xbf16>, tensor<20xbf16>, tensor<20xbf16>, 2260 flops, 1600 bytes, library ok
func.func @bf16(%x: tensor<2x20x3x3xbf16>, %scale: tensor<20xbf16>, %bias: tensor<20xbf16>)
    -> (tensor<2x20x3x3xbf16>, tensor<20xbf16>, tensor<20xbf16>) {
  %y:3 = weir.batch_norm_training %x, %scale, %bias : tensor<2x20x3x3xbf16>, tensor<20xbf16>, tensor<20xbf16>
  return %y#0, %y#1, %y#2 : tensor<2x20x3x3xbf16>, tensor<20xbf16>, tensor<20xbf16>
}

// CHECK-LABEL: func.func @f64(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_training %x, %scale, %bias : tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>
// COST: f64: tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, 159 flops, 480 bytes, library no cpu kernel for weir.reduce_sum of f64, and the topology file excludes kernel 'generated'
func.func @f64(%x: tensor<2x3x4xf64>, %scale: tensor<3xf64>, %bias: tensor<3xf64>)
    -> (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>) {
  %y:3 = weir.batch_norm_training %x, %scale, %bias : tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>
  return %y#0, %y#1, %y#2 : tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>
}

// CHECK-LABEL: func.func @channels_last(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_training %x, %scale, %bias : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3xf32>, tensor<3xf32> -> (tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3xf32>, tensor<3xf32>)
// COST: channels_last: tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3xf32>, tensor<3xf32>, 303 flops, 432 bytes, library ok
func.func @channels_last(%x: tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, %scale: tensor<3xf32>, %bias: tensor<3xf32>)
    -> (tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3xf32>, tensor<3xf32>) {
  %y:3 = weir.batch_norm_training %x, %scale, %bias : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3xf32>, tensor<3xf32> -> (tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3xf32>, tensor<3xf32>)
  return %y#0, %y#1, %y#2 : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_training %x, %scale, %bias : tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>
// COST: half: tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>, 159 flops, 120 bytes, library no cpu kernel for weir.cast of f16, and the topology file excludes kernel 'generated'
func.func @half(%x: tensor<2x3x4xf16>, %scale: tensor<3xf16>, %bias: tensor<3xf16>)
    -> (tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>) {
  %y:3 = weir.batch_norm_training %x, %scale, %bias : tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>
  return %y#0, %y#1, %y#2 : tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>
}

// CHECK-LABEL: func.func @no_channels(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_training %x, %scale, %bias : tensor<2x0x4xf32>, tensor<0xf32>, tensor<0xf32>
// COST: no_channels: tensor<2x0x4xf32>, tensor<0xf32>, tensor<0xf32>, 0 flops, 0 bytes, library ok
func.func @no_channels(%x: tensor<2x0x4xf32>, %scale: tensor<0xf32>, %bias: tensor<0xf32>)
    -> (tensor<2x0x4xf32>, tensor<0xf32>, tensor<0xf32>) {
  %y:3 = weir.batch_norm_training %x, %scale, %bias : tensor<2x0x4xf32>, tensor<0xf32>, tensor<0xf32>
  return %y#0, %y#1, %y#2 : tensor<2x0x4xf32>, tensor<0xf32>, tensor<0xf32>
}

//--- errors.mlir
func.func @error(%x: tensor<2x3x4xf32>, %c: tensor<3xf32>) {
  // expected-error@below {{'weir.batch_norm_training' op attribute 'epsilon' expects a finite number from 0 on, found}}
  weir.batch_norm_training %x, %c, %c {epsilon = 0x7FF8000000000000 : f64} : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3x4xf32>, %scale: tensor<4xf32>, %bias: tensor<3xf32>) {
  // expected-error@below {{'weir.batch_norm_training' op dim 'c' is 3 by operand 0 (2x3x4) but 4 by operand 1 (4)}}
  weir.batch_norm_training %x, %scale, %bias : tensor<2x3x4xf32>, tensor<4xf32>, tensor<3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3x4xf32>, %scale: tensor<3xf32>) {
  // expected-error@below {{'weir.batch_norm_training' op expects at least 3 operands, found 2}}
  weir.batch_norm_training %x, %scale : tensor<2x3x4xf32>, tensor<3xf32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.batch_norm_training' op operand 0}}
  weir.batch_norm_training %x, %x, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3x4xi32>, %scale: tensor<3xi32>, %bias: tensor<3xi32>) {
  // expected-error@below {{'weir.batch_norm_training' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.batch_norm_training %x, %scale, %bias : tensor<2x3x4xi32>, tensor<3xi32>, tensor<3xi32>
  return
}
