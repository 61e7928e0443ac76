// batch_norm_gradient: the gradients of batch_norm_training for x, scale and bias.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/batch_norm_gradient.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/batch_norm_gradient.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/batch_norm_gradient.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @two_dims(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
// COST: two_dims: tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, 984 flops, 1500 bytes, library ok
func.func @two_dims(%g: tensor<2x3x4x5xf32>, %x: tensor<2x3x4x5xf32>, %scale: tensor<3xf32>, %mean: tensor<3xf32>, %variance: tensor<3xf32>)
    -> (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>) {
  %y:3 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  return %y#0, %y#1, %y#2 : tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @no_spatial(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance {epsilon = 1.000000e-03 : f64} : tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
// COST: no_spatial: tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, 120 flops, 204 bytes, library ok
func.func @no_spatial(%g: tensor<4x3xf32>, %x: tensor<4x3xf32>, %scale: tensor<3xf32>, %mean: tensor<3xf32>, %variance: tensor<3xf32>)
    -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %y:3 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance {epsilon = 1.000000e-03 : f64} : tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  return %y#0, %y#1, %y#2 : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @three_dims(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<1x2x2x3x2xf32>, tensor<1x2x2x3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
// COST: three_dims: tensor<1x2x2x3x2xf32>, tensor<2xf32>, tensor<2xf32>, 208 flops, 328 bytes, library ok
func.func @three_dims(%g: tensor<1x2x2x3x2xf32>, %x: tensor<1x2x2x3x2xf32>, %scale: tensor<2xf32>, %mean: tensor<2xf32>, %variance: tensor<2xf32>)
    -> (tensor<1x2x2x3x2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %y:3 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<1x2x2x3x2xf32>, tensor<1x2x2x3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  return %y#0, %y#1, %y#2 : tensor<1x2x2x3x2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @one_channel(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<1x1x3xf32>, tensor<1x1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
// COST: one_channel: tensor<1x1x3xf32>, tensor<1xf32>, tensor<1xf32>, 32 flops, 56 bytes, library ok
func.func @one_channel(%g: tensor<1x1x3xf32>, %x: tensor<1x1x3xf32>, %scale: tensor<1xf32>, %mean: tensor<1xf32>, %variance: tensor<1xf32>)
    -> (tensor<1x1x3xf32>, tensor<1xf32>, tensor<1xf32>) {
  %y:3 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<1x1x3xf32>, tensor<1x1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
  return %y#0, %y#1, %y#2 : tensor<1x1x3xf32>, tensor<1xf32>, tensor<1xf32>
}

// CHECK-LABEL: func.func @many_rows(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<3x23x50xf32>, tensor<3x23x50xf32>, tensor<23xf32>, tensor<23xf32>, tensor<23xf32>
// COST: many_rows: tensor<3x23x50xf32>, tensor<23xf32>, tensor<23xf32>, 27784 flops, 41860 bytes, library ok
func.func @many_rows(%g: tensor<3x23x50xf32>, %x: tensor<3x23x50xf32>, %scale: tensor<23xf32>, %mean: tensor<23xf32>, %variance: tensor<23xf32>)
    -> (tensor<3x23x50xf32>, tensor<23xf32>, tensor<23xf32>) {
  %y:3 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<3x23x50xf32>, tensor<3x23x50xf32>, tensor<23xf32>, tensor<23xf32>, tensor<23xf32>
  return %y#0, %y#1, %y#2 : tensor<3x23x50xf32>, tensor<23xf32>, tensor<23xf32>
}

// CHECK-LABEL: func.func @many_channels(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<150xf32>, tensor<150xf32>, tensor<150xf32> -> (tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<150xf32>, tensor<150xf32>)
// COST: many_channels: tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<150xf32>, tensor<150xf32>, 13200 flops, 21000 bytes, library ok
func.func @many_channels(%g: tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, %x: tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, %scale: tensor<150xf32>, %mean: tensor<150xf32>, %variance: tensor<150xf32>)
    -> (tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<150xf32>, tensor<150xf32>) {
  %y:3 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<150xf32>, tensor<150xf32>, tensor<150xf32> -> (tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<150xf32>, tensor<150xf32>)
  return %y#0, %y#1, %y#2 : tensor<5x150x2x1xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<150xf32>, tensor<150xf32>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<2x20x3x3xbf16>, tensor<2x20x3x3xbf16>, tensor<20xbf16>, tensor<20xbf16>, tensor<20xbf16>
// COST: bf16: tensor<2x20x3x3xbf16>, tensor<20xbf16>, tensor<20xbf16>, 3040 flops, 2360 bytes, library ok
func.func @bf16(%g: tensor<2x20x3x3xbf16>, %x: tensor<2x20x3x3xbf16>, %scale: tensor<20xbf16>, %mean: tensor<20xbf16>, %variance: tensor<20xbf16>)
    -> (tensor<2x20x3x3xbf16>, tensor<20xbf16>, tensor<20xbf16>) {
  %y:3 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<2x20x3x3xbf16>, tensor<2x20x3x3xbf16>, tensor<20xbf16>, tensor<20xbf16>, tensor<20xbf16>
  return %y#0, %y#1, %y#2 : tensor<2x20x3x3xbf16>, tensor<20xbf16>, tensor<20xbf16>
}

// CHECK-LABEL: func.func @f64(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<2x3x4xf64>, tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
// COST: f64: tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, 216 flops, 696 bytes, library no cpu kernel for weir.sub of f64, and the topology file excludes kernel 'generated'
func.func @f64(%g: tensor<2x3x4xf64>, %x: tensor<2x3x4xf64>, %scale: tensor<3xf64>, %mean: tensor<3xf64>, %variance: tensor<3xf64>)
    -> (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>) {
  %y:3 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<2x3x4xf64>, tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
  return %y#0, %y#1, %y#2 : tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>
}

// CHECK-LABEL: func.func @channels_last(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> (tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3xf32>, tensor<3xf32>)
// COST: channels_last: tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3xf32>, tensor<3xf32>, 408 flops, 636 bytes, library ok
func.func @channels_last(%g: tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, %x: tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, %scale: tensor<3xf32>, %mean: tensor<3xf32>, %variance: tensor<3xf32>)
    -> (tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3xf32>, tensor<3xf32>) {
  %y:3 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> (tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3xf32>, tensor<3xf32>)
  return %y#0, %y#1, %y#2 : tensor<1x3x4x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<2x3x4xf16>, tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>
// COST: half: tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>, 216 flops, 174 bytes, library no cpu kernel for weir.cast of f16, and the topology file excludes kernel 'generated'
func.func @half(%g: tensor<2x3x4xf16>, %x: tensor<2x3x4xf16>, %scale: tensor<3xf16>, %mean: tensor<3xf16>, %variance: tensor<3xf16>)
    -> (tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>) {
  %y:3 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<2x3x4xf16>, tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>
  return %y#0, %y#1, %y#2 : tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>
}

// CHECK-LABEL: func.func @no_channels(
// CHECK: %y, %y_0, %y_1 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<2x0x4xf32>, tensor<2x0x4xf32>, tensor<0xf32>, tensor<0xf32>, tensor<0xf32>
// COST: no_channels: tensor<2x0x4xf32>, tensor<0xf32>, tensor<0xf32>, 0 flops, 0 bytes, library ok
func.func @no_channels(%g: tensor<2x0x4xf32>, %x: tensor<2x0x4xf32>, %scale: tensor<0xf32>, %mean: tensor<0xf32>, %variance: tensor<0xf32>)
    -> (tensor<2x0x4xf32>, tensor<0xf32>, tensor<0xf32>) {
  %y:3 = weir.batch_norm_gradient %g, %x, %scale, %mean, %variance : tensor<2x0x4xf32>, tensor<2x0x4xf32>, tensor<0xf32>, tensor<0xf32>, tensor<0xf32>
  return %y#0, %y#1, %y#2 : tensor<2x0x4xf32>, tensor<0xf32>, tensor<0xf32>
}

//--- errors.mlir
func.func @error(%x: tensor<2x3x4xf32>, %c: tensor<3xf32>) {
  // expected-error@below {{'weir.batch_norm_gradient' op attribute 'epsilon' expects a finite number from 0 on, found}}
  weir.batch_norm_gradient %x, %x, %c, %c, %c {epsilon = 0x7FF0000000000000 : f64} : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @error(%g: tensor<2x3x5xf32>, %x: tensor<2x3x4xf32>, %c: tensor<3xf32>) {
  // expected-error@below {{'weir.batch_norm_gradient' op dim 'x0' is 5 by operand 0 (2x3x5) but 4 by operand 1 (2x3x4)}}
  weir.batch_norm_gradient %g, %x, %c, %c, %c : tensor<2x3x5xf32>, tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3x4xf32>, %c: tensor<3xf32>) {
  // expected-error@below {{'weir.batch_norm_gradient' op expects at least 5 operands, found 3}}
  weir.batch_norm_gradient %x, %x, %c : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<3xf32>
  return
}

// -----

func.func @error(%x: tensor<2x3x4xf32>, %c: tensor<3xf32>, %mean: tensor<3xf64>) {
  // expected-error@below {{'weir.batch_norm_gradient' op operand 3 expects element type f32 like the operands before, found f64; insert a weir.cast}}
  weir.batch_norm_gradient %x, %x, %c, %mean, %c : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf64>, tensor<3xf32>
  return
}
