// relu_gradient: the gradient where y is above 0, else 0.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/relu_gradient.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/relu_gradient.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/relu_gradient.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.relu_gradient %g, %x : tensor<7xf32>, tensor<7xf32>
// COST: vector: tensor<7xf32>, 14 flops, 84 bytes, library ok
func.func @vector(%g: tensor<7xf32>, %x: tensor<7xf32>)
    -> tensor<7xf32> {
  %y = weir.relu_gradient %g, %x : tensor<7xf32>, tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: func.func @matrix(
// CHECK: %y = weir.relu_gradient %g, %x : tensor<3x50xbf16>, tensor<3x50xbf16>
// COST: matrix: tensor<3x50xbf16>, 300 flops, 900 bytes, library ok
func.func @matrix(%g: tensor<3x50xbf16>, %x: tensor<3x50xbf16>)
    -> tensor<3x50xbf16> {
  %y = weir.relu_gradient %g, %x : tensor<3x50xbf16>, tensor<3x50xbf16>
  return %y : tensor<3x50xbf16>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.relu_gradient %g, %x : tensor<1x4x1xf32>, tensor<1x4x1xf32>
// COST: unit_dims: tensor<1x4x1xf32>, 8 flops, 48 bytes, library ok
func.func @unit_dims(%g: tensor<1x4x1xf32>, %x: tensor<1x4x1xf32>)
    -> tensor<1x4x1xf32> {
  %y = weir.relu_gradient %g, %x : tensor<1x4x1xf32>, tensor<1x4x1xf32>
  return %y : tensor<1x4x1xf32>
}

// CHECK-LABEL: func.func @broadcast(
// CHECK: %y = weir.relu_gradient %g, %x : tensor<2x3x4xf32>, tensor<4xf32>
// COST: broadcast: tensor<2x3x4xf32>, 48 flops, 208 bytes, library ok
func.func @broadcast(%g: tensor<2x3x4xf32>, %x: tensor<4xf32>)
    -> tensor<2x3x4xf32> {
  %y = weir.relu_gradient %g, %x : tensor<2x3x4xf32>, tensor<4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.relu_gradient %g, %x : tensor<f64>, tensor<f64>
// COST: scalar: tensor<f64>, 2 flops, 24 bytes, library no cpu kernel for weir.relu_gradient of f64, and the topology file excludes kernel 'generated'
func.func @scalar(%g: tensor<f64>, %x: tensor<f64>)
    -> tensor<f64> {
  %y = weir.relu_gradient %g, %x : tensor<f64>, tensor<f64>
  return %y : tensor<f64>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.relu_gradient %g, %x : tensor<2x3xf16>, tensor<2x3xf16>
// COST: half: tensor<2x3xf16>, 12 flops, 36 bytes, library no cpu kernel for weir.relu_gradient of f16, and the topology file excludes kernel 'generated'
func.func @half(%g: tensor<2x3xf16>, %x: tensor<2x3xf16>)
    -> tensor<2x3xf16> {
  %y = weir.relu_gradient %g, %x : tensor<2x3xf16>, tensor<2x3xf16>
  return %y : tensor<2x3xf16>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.relu_gradient %g, %x : tensor<0x3xf32>, tensor<0x3xf32>
// COST: empty: tensor<0x3xf32>, 0 flops, 0 bytes, library ok
func.func @empty(%g: tensor<0x3xf32>, %x: tensor<0x3xf32>)
    -> tensor<0x3xf32> {
  %y = weir.relu_gradient %g, %x : tensor<0x3xf32>, tensor<0x3xf32>
  return %y : tensor<0x3xf32>
}

// CHECK-LABEL: func.func @infinite(
// CHECK: %y = weir.relu_gradient %g, %x : tensor<6xf32>, tensor<6xf32>
// COST: infinite: tensor<6xf32>, 12 flops, 72 bytes, library ok
func.func @infinite(%g: tensor<6xf32>, %x: tensor<6xf32>)
    -> tensor<6xf32> {
  %y = weir.relu_gradient %g, %x : tensor<6xf32>, tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.relu_gradient %g, %x : tensor<6xf32>, tensor<6xf32>
// COST: nan: tensor<6xf32>, 12 flops, 72 bytes, library ok
func.func @nan(%g: tensor<6xf32>, %x: tensor<6xf32>)
    -> tensor<6xf32> {
  %y = weir.relu_gradient %g, %x : tensor<6xf32>, tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @channels_last(
// CHECK: %y = weir.relu_gradient %g, %x : tensor<1x3x2x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<1x3x2x4xf32, #weir.layout<[0, 2, 3, 1]>> -> tensor<1x3x2x4xf32, #weir.layout<[0, 2, 3, 1]>>
// COST: channels_last: tensor<1x3x2x4xf32, #weir.layout<[0, 2, 3, 1]>>, 48 flops, 288 bytes, library ok
func.func @channels_last(%g: tensor<1x3x2x4xf32, #weir.layout<[0, 2, 3, 1]>>, %x: tensor<1x3x2x4xf32, #weir.layout<[0, 2, 3, 1]>>)
    -> tensor<1x3x2x4xf32, #weir.layout<[0, 2, 3, 1]>> {
  %y = weir.relu_gradient %g, %x : tensor<1x3x2x4xf32, #weir.layout<[0, 2, 3, 1]>>, tensor<1x3x2x4xf32, #weir.layout<[0, 2, 3, 1]>> -> tensor<1x3x2x4xf32, #weir.layout<[0, 2, 3, 1]>>
  return %y : tensor<1x3x2x4xf32, #weir.layout<[0, 2, 3, 1]>>
}

//--- errors.mlir
func.func @error(%x: tensor<4xi32>) {
  // expected-error@below {{'weir.relu_gradient' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.relu_gradient %x, %x : tensor<4xi32>, tensor<4xi32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@below {{'weir.relu_gradient' op operand 1 expects element type f32 like the operands before, found f64; insert a weir.cast}}
  weir.relu_gradient %x, %y : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.relu_gradient' op expects at least 2 operands, found 1}}
  weir.relu_gradient %x : tensor<4xf32>
  return
}
