// conv_weight_gradient: what conv adds to the gradient of its weight.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/conv_weight_gradient.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/conv_weight_gradient.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/conv_weight_gradient.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @plain(
// CHECK: %y = weir.conv_weight_gradient %x, %t {kernel_shape = [2, 3]} : tensor<2x3x5x4xf32>, tensor<2x4x4x2xf32>
// COST: plain: tensor<4x3x2x3xf32>, 2304 flops, 1024 bytes, library ok
func.func @plain(%x: tensor<2x3x5x4xf32>, %t: tensor<2x4x4x2xf32>) -> tensor<4x3x2x3xf32> {
  %y = weir.conv_weight_gradient %x, %t {kernel_shape = [2, 3]} : tensor<2x3x5x4xf32>, tensor<2x4x4x2xf32>
  return %y : tensor<4x3x2x3xf32>
}

// CHECK-LABEL: func.func @strided(
// CHECK: %y = weir.conv_weight_gradient %x, %t {kernel_shape = [3, 2], pads = [1, 0, 1, 0], strides = [2, 2]} : tensor<1x2x7x6xf32>, tensor<1x3x4x3xf32>
// COST: strided: tensor<3x2x3x2xf32>, 864 flops, 624 bytes, library ok
func.func @strided(%x: tensor<1x2x7x6xf32>, %t: tensor<1x3x4x3xf32>) -> tensor<3x2x3x2xf32> {
  %y = weir.conv_weight_gradient %x, %t {kernel_shape = [3, 2], pads = [1, 0, 1, 0], strides = [2, 2]} : tensor<1x2x7x6xf32>, tensor<1x3x4x3xf32>
  return %y : tensor<3x2x3x2xf32>
}

// CHECK-LABEL: func.func @dilated(
// CHECK: %y = weir.conv_weight_gradient %x, %t {dilations = [2, 1], kernel_shape = [2, 3]} : tensor<1x2x6x5xf64>, tensor<1x2x4x3xf64>
// COST: dilated: tensor<2x2x2x3xf64>, 576 flops, 864 bytes, library no cpu kernel for weir.conv_weight_gradient of f64, and the topology file excludes kernel 'generated'
func.func @dilated(%x: tensor<1x2x6x5xf64>, %t: tensor<1x2x4x3xf64>) -> tensor<2x2x2x3xf64> {
  %y = weir.conv_weight_gradient %x, %t {dilations = [2, 1], kernel_shape = [2, 3]} : tensor<1x2x6x5xf64>, tensor<1x2x4x3xf64>
  return %y : tensor<2x2x2x3xf64>
}

// CHECK-LABEL: func.func @groups(
// CHECK: %y = weir.conv_weight_gradient %x, %t {groups = 2 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1]} : tensor<2x4x3x3xf32>, tensor<2x6x3x3xf32>
// COST: groups: tensor<6x2x3x3xf32>, 3888 flops, 1152 bytes, library ok
func.func @groups(%x: tensor<2x4x3x3xf32>, %t: tensor<2x6x3x3xf32>) -> tensor<6x2x3x3xf32> {
  %y = weir.conv_weight_gradient %x, %t {groups = 2, kernel_shape = [3, 3], pads = [1, 1, 1, 1]} : tensor<2x4x3x3xf32>, tensor<2x6x3x3xf32>
  return %y : tensor<6x2x3x3xf32>
}

// CHECK-LABEL: func.func @depthwise(
// CHECK: %y = weir.conv_weight_gradient %x, %t {groups = 3 : i64, kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x3x4x4xbf16>, tensor<1x3x2x2xbf16>
// COST: depthwise: tensor<3x1x2x2xbf16>, 96 flops, 144 bytes, library ok
func.func @depthwise(%x: tensor<1x3x4x4xbf16>, %t: tensor<1x3x2x2xbf16>) -> tensor<3x1x2x2xbf16> {
  %y = weir.conv_weight_gradient %x, %t {groups = 3, kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x3x4x4xbf16>, tensor<1x3x2x2xbf16>
  return %y : tensor<3x1x2x2xbf16>
}

// CHECK-LABEL: func.func @one_dim(
// CHECK: %y = weir.conv_weight_gradient %x, %t {kernel_shape = [2]} : tensor<2x1x6xf32>, tensor<2x2x5xf32>
// COST: one_dim: tensor<2x1x2xf32>, 80 flops, 144 bytes, library ok
func.func @one_dim(%x: tensor<2x1x6xf32>, %t: tensor<2x2x5xf32>) -> tensor<2x1x2xf32> {
  %y = weir.conv_weight_gradient %x, %t {kernel_shape = [2]} : tensor<2x1x6xf32>, tensor<2x2x5xf32>
  return %y : tensor<2x1x2xf32>
}

// CHECK-LABEL: func.func @point(
// CHECK: %y = weir.conv_weight_gradient %x, %t {kernel_shape = [1, 1]} : tensor<2x3x2x2xf32>, tensor<2x4x2x2xf32>
// COST: point: tensor<4x3x1x1xf32>, 192 flops, 272 bytes, library ok
func.func @point(%x: tensor<2x3x2x2xf32>, %t: tensor<2x4x2x2xf32>) -> tensor<4x3x1x1xf32> {
  %y = weir.conv_weight_gradient %x, %t {kernel_shape = [1, 1]} : tensor<2x3x2x2xf32>, tensor<2x4x2x2xf32>
  return %y : tensor<4x3x1x1xf32>
}

// CHECK-LABEL: func.func @three_dims(
// CHECK: %y = weir.conv_weight_gradient %x, %t {kernel_shape = [2, 2, 2]} : tensor<1x2x3x4x3xf32>, tensor<1x2x2x3x2xf32>
// COST: three_dims: tensor<2x2x2x2x2xf32>, 768 flops, 512 bytes, library ok
func.func @three_dims(%x: tensor<1x2x3x4x3xf32>, %t: tensor<1x2x2x3x2xf32>) -> tensor<2x2x2x2x2xf32> {
  %y = weir.conv_weight_gradient %x, %t {kernel_shape = [2, 2, 2]} : tensor<1x2x3x4x3xf32>, tensor<1x2x2x3x2xf32>
  return %y : tensor<2x2x2x2x2xf32>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.conv_weight_gradient %x, %t {kernel_shape = [2, 2]} : tensor<0x3x4x4xf32>, tensor<0x2x3x3xf32>
// COST: empty: tensor<2x3x2x2xf32>, 0 flops, 96 bytes, library kernel 'conv_weight_gradient' does not support operands without elements
func.func @empty(%x: tensor<0x3x4x4xf32>, %t: tensor<0x2x3x3xf32>) -> tensor<2x3x2x2xf32> {
  %y = weir.conv_weight_gradient %x, %t {kernel_shape = [2, 2]} : tensor<0x3x4x4xf32>, tensor<0x2x3x3xf32>
  return %y : tensor<2x3x2x2xf32>
}

//--- errors.mlir
func.func @other_batch(%x: tensor<2x3x5x4xf32>, %y: tensor<1x4x4x2xf32>) {
  // expected-error@below {{'weir.conv_weight_gradient' op dim 'n' is 2 by operand 0 (2x3x5x4) but 1 by operand 1 (1x4x4x2)}}
  weir.conv_weight_gradient %x, %y {kernel_shape = [2, 3]} : tensor<2x3x5x4xf32>, tensor<1x4x4x2xf32>
  return
}

// -----

func.func @integers(%x: tensor<2x3x5x4xi32>, %y: tensor<2x4x4x2xi32>) {
  // expected-error@below {{'weir.conv_weight_gradient' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.conv_weight_gradient %x, %y {kernel_shape = [2, 3]} : tensor<2x3x5x4xi32>, tensor<2x4x4x2xi32>
  return
}

// -----

func.func @no_kernel_shape(%x: tensor<2x3x5x4xf32>, %y: tensor<2x4x4x2xf32>) {
  // expected-error@below {{'weir.conv_weight_gradient' requires attribute 'kernel_shape'}}
  weir.conv_weight_gradient %x, %y : tensor<2x3x5x4xf32>, tensor<2x4x4x2xf32>
  return
}
