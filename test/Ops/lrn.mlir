// lrn: each element divided by a power of the squares of the channels around.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/lrn.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/lrn.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/lrn.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @default(
// CHECK: %y = weir.lrn %x {size = 3 : i64} : tensor<1x5x3x3xf32>
// COST: default: tensor<1x5x3x3xf32>, 360 flops, 360 bytes, library ok
func.func @default(%x: tensor<1x5x3x3xf32>) -> tensor<1x5x3x3xf32> {
  %y = weir.lrn %x {size = 3} : tensor<1x5x3x3xf32>
  return %y : tensor<1x5x3x3xf32>
}

// CHECK-LABEL: func.func @even_size(
// CHECK: %y = weir.lrn %x {alpha = 1.000000e-01 : f64, beta = 5.000000e-01 : f64, bias = 2.000000e+00 : f64, size = 4 : i64} : tensor<2x6x2xf32>
// COST: even_size: tensor<2x6x2xf32>, 216 flops, 192 bytes, library ok
func.func @even_size(%x: tensor<2x6x2xf32>) -> tensor<2x6x2xf32> {
  %y = weir.lrn %x {alpha = 0.1, beta = 0.5, bias = 2.0, size = 4} : tensor<2x6x2xf32>
  return %y : tensor<2x6x2xf32>
}

// CHECK-LABEL: func.func @one_channel(
// CHECK: %y = weir.lrn %x {alpha = 1.000000e+00 : f64, size = 5 : i64} : tensor<1x1x4x2xf32>
// COST: one_channel: tensor<1x1x4x2xf32>, 80 flops, 64 bytes, library ok
func.func @one_channel(%x: tensor<1x1x4x2xf32>) -> tensor<1x1x4x2xf32> {
  %y = weir.lrn %x {alpha = 1.0, size = 5} : tensor<1x1x4x2xf32>
  return %y : tensor<1x1x4x2xf32>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: %y = weir.lrn %x {alpha = 1.000000e-01 : f64, size = 3 : i64} : tensor<1x4x2x2xbf16>
// COST: bf16: tensor<1x4x2x2xbf16>, 128 flops, 64 bytes, library ok
func.func @bf16(%x: tensor<1x4x2x2xbf16>) -> tensor<1x4x2x2xbf16> {
  %y = weir.lrn %x {alpha = 0.1, size = 3} : tensor<1x4x2x2xbf16>
  return %y : tensor<1x4x2x2xbf16>
}

// CHECK-LABEL: func.func @channels_last(
// CHECK: %y = weir.lrn %x {alpha = 1.000000e-01 : f64, size = 3 : i64} : tensor<1x6x2x2xf32, #weir.layout<[0, 2, 3, 1]>> -> tensor<1x6x2x2xf32, #weir.layout<[0, 2, 3, 1]>>
// COST: channels_last: tensor<1x6x2x2xf32, #weir.layout<[0, 2, 3, 1]>>, 192 flops, 192 bytes, library ok
func.func @channels_last(%x: tensor<1x6x2x2xf32, #weir.layout<[0, 2, 3, 1]>>)
    -> tensor<1x6x2x2xf32, #weir.layout<[0, 2, 3, 1]>> {
  %y = weir.lrn %x {alpha = 0.1, size = 3} : tensor<1x6x2x2xf32, #weir.layout<[0, 2, 3, 1]>> -> tensor<1x6x2x2xf32, #weir.layout<[0, 2, 3, 1]>>
  return %y : tensor<1x6x2x2xf32, #weir.layout<[0, 2, 3, 1]>>
}

// CHECK-LABEL: func.func @no_spatial(
// CHECK: %y = weir.lrn %x {size = 3 : i64} : tensor<2x3xf32>
// COST: no_spatial: tensor<2x3xf32>, 48 flops, 48 bytes, library ok
func.func @no_spatial(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = weir.lrn %x {size = 3} : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.lrn %x {size = 3 : i64} : tensor<1x3x2xf16>
// COST: half: tensor<1x3x2xf16>, 48 flops, 24 bytes, library no cpu kernel for weir.cast of f16
func.func @half(%x: tensor<1x3x2xf16>) -> tensor<1x3x2xf16> {
  %y = weir.lrn %x {size = 3} : tensor<1x3x2xf16>
  return %y : tensor<1x3x2xf16>
}

//--- errors.mlir
func.func @error(%x: tensor<1x4x2x2xf32>) {
  // expected-error@below {{'weir.lrn' op attribute 'size' expects 1 to 1073741824, found 0}}
  weir.lrn %x {size = 0} : tensor<1x4x2x2xf32>
  return
}

// -----

func.func @error(%x: tensor<1x4x2x2xf32>) {
  // expected-error@below {{'weir.lrn' requires attribute 'size'}}
  weir.lrn %x : tensor<1x4x2x2xf32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.lrn' op operand 0 (4): expects rank at least 2, found rank 1}}
  weir.lrn %x {size = 3} : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<1x3x4xi32>) {
  // expected-error@below {{'weir.lrn' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.lrn %x {size = 3} : tensor<1x3x4xi32>
  return
}
