// arg_max: position of the largest element along an axis.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/arg_max.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/arg_max.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/arg_max.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.arg_max %x {axis = 0 : i64} : tensor<5x3xf32>
// COST: rows: tensor<1x3xi64>, 90 flops, 84 bytes, library no cpu kernel for weir.is_nan of f32
func.func @rows(%x: tensor<5x3xf32>) -> tensor<1x3xi64> {
  %y = weir.arg_max %x {axis = 0} : tensor<5x3xf32>
  return %y : tensor<1x3xi64>
}

// CHECK-LABEL: func.func @columns(
// CHECK: %y = weir.arg_max %x {axis = -1 : i64, keepdims = false} : tensor<2x3x7xf32>
// COST: columns: tensor<2x3xi64>, 252 flops, 216 bytes, library no cpu kernel for weir.is_nan of f32
func.func @columns(%x: tensor<2x3x7xf32>) -> tensor<2x3xi64> {
  %y = weir.arg_max %x {axis = -1, keepdims = false} : tensor<2x3x7xf32>
  return %y : tensor<2x3xi64>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.arg_max %x {axis = 1 : i64} : tensor<4x1x3xbf16>
// COST: unit_dims: tensor<4x1x3xi64>, 72 flops, 120 bytes, library no cpu kernel for weir.is_nan of f32
func.func @unit_dims(%x: tensor<4x1x3xbf16>) -> tensor<4x1x3xi64> {
  %y = weir.arg_max %x {axis = 1} : tensor<4x1x3xbf16>
  return %y : tensor<4x1x3xi64>
}

// The first of several counts.
// CHECK-LABEL: func.func @ties(
// CHECK: %y = weir.arg_max %x {axis = 1 : i64} : tensor<3x40xi32>
// COST: ties: tensor<3x1xi64>, 480 flops, 504 bytes, library no cpu kernel for weir.reduce_max of i32
func.func @ties(%x: tensor<3x40xi32>) -> tensor<3x1xi64> {
  %y = weir.arg_max %x {axis = 1} : tensor<3x40xi32>
  return %y : tensor<3x1xi64>
}

// The last of several counts.
// CHECK-LABEL: func.func @last_tie(
// CHECK: %y = weir.arg_max %x {axis = 1 : i64, keepdims = false, last = true} : tensor<3x40xi32>
// COST: last_tie: tensor<3xi64>, 480 flops, 504 bytes, library no cpu kernel for weir.reduce_max of i32
func.func @last_tie(%x: tensor<3x40xi32>) -> tensor<3xi64> {
  %y = weir.arg_max %x {axis = 1, keepdims = false, last = true} : tensor<3x40xi32>
  return %y : tensor<3xi64>
}

// CHECK-LABEL: func.func @f64(
// CHECK: %y = weir.arg_max %x {axis = 0 : i64, keepdims = false} : tensor<6xf64>
// COST: f64: tensor<i64>, 36 flops, 56 bytes, library no cpu kernel for weir.reduce_max of f64
func.func @f64(%x: tensor<6xf64>) -> tensor<i64> {
  %y = weir.arg_max %x {axis = 0, keepdims = false} : tensor<6xf64>
  return %y : tensor<i64>
}

// CHECK-LABEL: func.func @u8(
// CHECK: %y = weir.arg_max %x {axis = 0 : i64} : tensor<6x2xui8>
// COST: u8: tensor<1x2xi64>, 48 flops, 28 bytes, library no cpu kernel for weir.reduce_max of u8
func.func @u8(%x: tensor<6x2xui8>) -> tensor<1x2xi64> {
  %y = weir.arg_max %x {axis = 0} : tensor<6x2xui8>
  return %y : tensor<1x2xi64>
}

// CHECK-LABEL: func.func @infinite(
// CHECK: %y = weir.arg_max %x {axis = 0 : i64} : tensor<6xf32>
// COST: infinite: tensor<1xi64>, 36 flops, 32 bytes, library no cpu kernel for weir.is_nan of f32
func.func @infinite(%x: tensor<6xf32>) -> tensor<1xi64> {
  %y = weir.arg_max %x {axis = 0} : tensor<6xf32>
  return %y : tensor<1xi64>
}

// NaN is found, as numpy does.
// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.arg_max %x {axis = 0 : i64} : tensor<6xf32>
// COST: nan: tensor<1xi64>, 36 flops, 32 bytes, library no cpu kernel for weir.is_nan of f32
func.func @nan(%x: tensor<6xf32>) -> tensor<1xi64> {
  %y = weir.arg_max %x {axis = 0} : tensor<6xf32>
  return %y : tensor<1xi64>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.arg_max %x {axis = 1 : i64} : tensor<0x3xf32>
// COST: empty: tensor<0x1xi64>, 0 flops, 0 bytes, library no cpu kernel for weir.is_nan of f32
func.func @empty(%x: tensor<0x3xf32>) -> tensor<0x1xi64> {
  %y = weir.arg_max %x {axis = 1} : tensor<0x3xf32>
  return %y : tensor<0x1xi64>
}

// CHECK-LABEL: func.func @huge_u64(
// CHECK: %y = weir.arg_max %x {axis = 1 : i64} : tensor<3x5xui64>
// COST: huge_u64: tensor<3x1xi64>, 60 flops, 144 bytes, library no cpu kernel for weir.reduce_max of u64
func.func @huge_u64(%x: tensor<3x5xui64>) -> tensor<3x1xi64> {
  %y = weir.arg_max %x {axis = 1} : tensor<3x5xui64>
  return %y : tensor<3x1xi64>
}

//--- errors.mlir
func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.arg_max' op attribute 'axis' expects values from -1 to 0, found 1}}
  weir.arg_max %x {axis = 1} : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.arg_max' requires attribute 'axis'}}
  weir.arg_max %x : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<0x3xf32>) {
  // expected-error@below {{'weir.arg_max' op expects at least one element along axis 0}}
  weir.arg_max %x {axis = 0} : tensor<0x3xf32>
  return
}

// -----

func.func @error(%x: tensor<f32>) {
  // expected-error@below {{'weir.arg_max' op attribute 'axis' expects no axes for a scalar, found 0}}
  weir.arg_max %x {axis = 0} : tensor<f32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.arg_max' has no attribute 'axes'; it has axis, device, keepdims, last, stage}}
  weir.arg_max %x {axes = [0]} : tensor<4xf32>
  return
}

// -----

func.func @error(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error@below {{'weir.arg_max' op expects at most 1 operands, found 2}}
  weir.arg_max %a, %b {axis = 0} : tensor<4xf32>, tensor<4xf32>
  return
}
