// positions: the position of each element along an axis.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/positions.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/positions.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/positions.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.positions %x {axis = 0 : i64} : tensor<7xf32>
// COST: vector: tensor<7xi64>, 0 flops, 84 bytes, library no cpu kernel for weir.positions of f32
func.func @vector(%x: tensor<7xf32>) -> tensor<7xi64> {
  %y = weir.positions %x {axis = 0} : tensor<7xf32>
  return %y : tensor<7xi64>
}

// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.positions %x {axis = -2 : i64} : tensor<2x5x3xi1>
// COST: rows: tensor<2x5x3xi64>, 0 flops, 270 bytes, library no cpu kernel for weir.positions of i1
func.func @rows(%x: tensor<2x5x3xi1>) -> tensor<2x5x3xi64> {
  %y = weir.positions %x {axis = -2} : tensor<2x5x3xi1>
  return %y : tensor<2x5x3xi64>
}

// CHECK-LABEL: func.func @unit_dim(
// CHECK: %y = weir.positions %x {axis = 1 : i64} : tensor<4x1xui64>
// COST: unit_dim: tensor<4x1xi64>, 0 flops, 64 bytes, library no cpu kernel for weir.positions of u64
func.func @unit_dim(%x: tensor<4x1xui64>) -> tensor<4x1xi64> {
  %y = weir.positions %x {axis = 1} : tensor<4x1xui64>
  return %y : tensor<4x1xi64>
}

// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.positions %x {axis = 1 : i64} : tensor<2x6xf16>
// COST: nan: tensor<2x6xi64>, 0 flops, 120 bytes, library no cpu kernel for weir.positions of f16
func.func @nan(%x: tensor<2x6xf16>) -> tensor<2x6xi64> {
  %y = weir.positions %x {axis = 1} : tensor<2x6xf16>
  return %y : tensor<2x6xi64>
}

// CHECK-LABEL: func.func @nothing(
// CHECK: %y = weir.positions %x {axis = 0 : i64} : tensor<0x2xi32>
// COST: nothing: tensor<0x2xi64>, 0 flops, 0 bytes, library no cpu kernel for weir.positions of i32
func.func @nothing(%x: tensor<0x2xi32>) -> tensor<0x2xi64> {
  %y = weir.positions %x {axis = 0} : tensor<0x2xi32>
  return %y : tensor<0x2xi64>
}

//--- errors.mlir
func.func @error(%x: tensor<4xi64>) {
  // expected-error@below {{'weir.positions' requires attribute 'axis'}}
  weir.positions %x : tensor<4xi64>
  return
}

// -----

func.func @error(%x: tensor<4xi64>) {
  // expected-error@below {{'weir.positions' op attribute 'axis' expects a value from -1 to 0, found 1}}
  weir.positions %x {axis = 1} : tensor<4xi64>
  return
}

// -----

func.func @error(%x: tensor<f32>) {
  // expected-error@below {{'weir.positions' op attribute 'axis' is 0 for a scalar, expected a tensor of rank 1 or more}}
  weir.positions %x {axis = 0} : tensor<f32>
  return
}
