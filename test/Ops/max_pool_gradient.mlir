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
// CHECK: %y = weir.max_pool_gradient %x, %t {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x2x4x6xf32>, tensor<1x2x2x3xf32>
// COST: plain: tensor<1x2x4x6xf32>, 808 flops, 432 bytes, library ok
func.func @plain(%x: tensor<1x2x4x6xf32>, %t: tensor<1x2x2x3xf32>) -> tensor<1x2x4x6xf32> {
  %y = weir.max_pool_gradient %x, %t {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x2x4x6xf32>, tensor<1x2x2x3xf32>
  return %y : tensor<1x2x4x6xf32>
}

// CHECK-LABEL: func.func @overlapping(
// CHECK: %y = weir.max_pool_gradient %x, %t {kernel_shape = [3, 3], strides = [2, 2]} : tensor<1x2x7x5xf32>, tensor<1x2x3x2xf32>
// COST: overlapping: tensor<1x2x7x5xf32>, 1888 flops, 608 bytes, library ok
func.func @overlapping(%x: tensor<1x2x7x5xf32>, %t: tensor<1x2x3x2xf32>) -> tensor<1x2x7x5xf32> {
  %y = weir.max_pool_gradient %x, %t {kernel_shape = [3, 3], strides = [2, 2]} : tensor<1x2x7x5xf32>, tensor<1x2x3x2xf32>
  return %y : tensor<1x2x7x5xf32>
}

// CHECK-LABEL: func.func @padded(
// CHECK: %y = weir.max_pool_gradient %x, %t {kernel_shape = [3, 3], pads = [1, 0, 1, 2], strides = [2, 2]} : tensor<2x1x5x5xf32>, tensor<2x1x3x3xf32>
// COST: padded: tensor<2x1x5x5xf32>, 2794 flops, 472 bytes, library ok
func.func @padded(%x: tensor<2x1x5x5xf32>, %t: tensor<2x1x3x3xf32>) -> tensor<2x1x5x5xf32> {
  %y = weir.max_pool_gradient %x, %t {kernel_shape = [3, 3], pads = [1, 0, 1, 2], strides = [2, 2]} : tensor<2x1x5x5xf32>, tensor<2x1x3x3xf32>
  return %y : tensor<2x1x5x5xf32>
}

// CHECK-LABEL: func.func @dilated(
// CHECK: %y = weir.max_pool_gradient %x, %t {dilations = [2, 3], kernel_shape = [2, 2]} : tensor<1x2x6x6xf32>, tensor<1x2x4x3xf32>
// COST: dilated: tensor<1x2x6x6xf32>, 1686 flops, 672 bytes, library kernel 'reorder' does not write f64
func.func @dilated(%x: tensor<1x2x6x6xf32>, %t: tensor<1x2x4x3xf32>) -> tensor<1x2x6x6xf32> {
  %y = weir.max_pool_gradient %x, %t {dilations = [2, 3], kernel_shape = [2, 2]} : tensor<1x2x6x6xf32>, tensor<1x2x4x3xf32>
  return %y : tensor<1x2x6x6xf32>
}

// CHECK-LABEL: func.func @one_dim(
// CHECK: %y = weir.max_pool_gradient %x, %t {kernel_shape = [4], pads = [1, 2], strides = [2]} : tensor<1x3x9xf32>, tensor<1x3x5xf32>
// COST: one_dim: tensor<1x3x9xf32>, 798 flops, 276 bytes, library ok
func.func @one_dim(%x: tensor<1x3x9xf32>, %t: tensor<1x3x5xf32>) -> tensor<1x3x9xf32> {
  %y = weir.max_pool_gradient %x, %t {kernel_shape = [4], pads = [1, 2], strides = [2]} : tensor<1x3x9xf32>, tensor<1x3x5xf32>
  return %y : tensor<1x3x9xf32>
}

// CHECK-LABEL: func.func @three_dims(
// CHECK: %y = weir.max_pool_gradient %x, %t {kernel_shape = [2, 2, 2]} : tensor<1x1x3x4x3xf32>, tensor<1x1x2x3x2xf32>
// COST: three_dims: tensor<1x1x3x4x3xf32>, 2077 flops, 336 bytes, library ok
func.func @three_dims(%x: tensor<1x1x3x4x3xf32>, %t: tensor<1x1x2x3x2xf32>) -> tensor<1x1x3x4x3xf32> {
  %y = weir.max_pool_gradient %x, %t {kernel_shape = [2, 2, 2]} : tensor<1x1x3x4x3xf32>, tensor<1x1x2x3x2xf32>
  return %y : tensor<1x1x3x4x3xf32>
}

// CHECK-LABEL: func.func @ceil(
// CHECK: %y = weir.max_pool_gradient %x, %t {ceil_mode = true, kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x1x5x5xf32>, tensor<1x1x3x3xf32>
// COST: ceil: tensor<1x1x5x5xf32>, 616 flops, 236 bytes, library ok
func.func @ceil(%x: tensor<1x1x5x5xf32>, %t: tensor<1x1x3x3xf32>) -> tensor<1x1x5x5xf32> {
  %y = weir.max_pool_gradient %x, %t {ceil_mode = true, kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x1x5x5xf32>, tensor<1x1x3x3xf32>
  return %y : tensor<1x1x5x5xf32>
}

// CHECK-LABEL: func.func @f64(
// CHECK: %y = weir.max_pool_gradient %x, %t {kernel_shape = [2, 2]} : tensor<1x2x4x4xf64>, tensor<1x2x3x3xf64>
// COST: f64: tensor<1x2x4x4xf64>, 1252 flops, 656 bytes, library no cpu kernel for weir.max_pool of f64, and the topology file excludes kernel 'generated'
func.func @f64(%x: tensor<1x2x4x4xf64>, %t: tensor<1x2x3x3xf64>) -> tensor<1x2x4x4xf64> {
  %y = weir.max_pool_gradient %x, %t {kernel_shape = [2, 2]} : tensor<1x2x4x4xf64>, tensor<1x2x3x3xf64>
  return %y : tensor<1x2x4x4xf64>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.max_pool_gradient %x, %t {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x2x4x4xbf16>, tensor<1x2x2x2xbf16>
// COST: half: tensor<1x2x4x4xbf16>, 540 flops, 144 bytes, library ok
func.func @half(%x: tensor<1x2x4x4xbf16>, %t: tensor<1x2x2x2xbf16>) -> tensor<1x2x4x4xbf16> {
  %y = weir.max_pool_gradient %x, %t {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x2x4x4xbf16>, tensor<1x2x2x2xbf16>
  return %y : tensor<1x2x4x4xbf16>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.max_pool_gradient %x, %t {kernel_shape = [2, 2]} : tensor<0x2x4x4xf32>, tensor<0x2x3x3xf32>
// COST: empty: tensor<0x2x4x4xf32>, 28 flops, 0 bytes, library kernel 'reorder' does not write f64
func.func @empty(%x: tensor<0x2x4x4xf32>, %t: tensor<0x2x3x3xf32>) -> tensor<0x2x4x4xf32> {
  %y = weir.max_pool_gradient %x, %t {kernel_shape = [2, 2]} : tensor<0x2x4x4xf32>, tensor<0x2x3x3xf32>
  return %y : tensor<0x2x4x4xf32>
}

//--- errors.mlir
func.func @other_gradient(%x: tensor<1x2x4x6xf32>, %y: tensor<1x2x2x2xf32>) {
  // expected-error@below {{'weir.max_pool_gradient' op expects a gradient of 'tensor<1x2x2x3xf32>', the result of max_pool, found 'tensor<1x2x2x2xf32>'}}
  weir.max_pool_gradient %x, %y {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x2x4x6xf32>, tensor<1x2x2x2xf32>
  return
}

// -----

func.func @no_kernel_shape(%x: tensor<1x2x4x6xf32>) {
  // expected-error@below {{attribute 'kernel_shape' expects 2 values, one per spatial dim, found 0}}
  weir.max_pool_gradient %x, %x {kernel_shape = []} : tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>
  return
}

// -----

func.func @needs_kernel_shape(%x: tensor<1x2x4x6xf32>) {
  // expected-error@below {{'weir.max_pool_gradient' requires attribute 'kernel_shape'}}
  weir.max_pool_gradient %x, %x : tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>
  return
}

// -----

func.func @integers(%x: tensor<1x2x4x6xi32>) {
  // expected-error@below {{'weir.max_pool_gradient' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.max_pool_gradient %x, %x {kernel_shape = [1, 1]} : tensor<1x2x4x6xi32>, tensor<1x2x4x6xi32>
  return
}
