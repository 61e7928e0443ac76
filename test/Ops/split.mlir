// split: consecutive parts of a tensor along an axis.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/split.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/split.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/split.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @rows(
// CHECK: %y:2 = weir.split %x {axis = 0 : i64, sizes = [2, 3]} : tensor<5x3xf32>
// COST: rows: tensor<2x3xf32>, tensor<3x3xf32>, 0 flops, 120 bytes, library ok
func.func @rows(%x: tensor<5x3xf32>) -> (tensor<2x3xf32>, tensor<3x3xf32>) {
  %y:2 = weir.split %x {axis = 0, sizes = [2, 3]} : tensor<5x3xf32>
  return %y#0, %y#1 : tensor<2x3xf32>, tensor<3x3xf32>
}

// CHECK-LABEL: func.func @last(
// CHECK: %y:3 = weir.split %x {axis = -1 : i64, sizes = [1, 2, 3]} : tensor<2x6xbf16>
// COST: last: tensor<2x1xbf16>, tensor<2x2xbf16>, tensor<2x3xbf16>, 0 flops, 48 bytes, library ok
func.func @last(%x: tensor<2x6xbf16>)
    -> (tensor<2x1xbf16>, tensor<2x2xbf16>, tensor<2x3xbf16>) {
  %y:3 = weir.split %x {axis = -1, sizes = [1, 2, 3]} : tensor<2x6xbf16>
  return %y#0, %y#1, %y#2 : tensor<2x1xbf16>, tensor<2x2xbf16>, tensor<2x3xbf16>
}

// CHECK-LABEL: func.func @one(
// CHECK: %y = weir.split %x {axis = 1 : i64, sizes = [1]} : tensor<3x1xf32>
// COST: one: tensor<3x1xf32>, 0 flops, 24 bytes, library ok
func.func @one(%x: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %y = weir.split %x {axis = 1, sizes = [1]} : tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

// CHECK-LABEL: func.func @i32(
// CHECK: %y:2 = weir.split %x {axis = 1 : i64, sizes = [2, 2]} : tensor<1x4xi32>
// COST: i32: tensor<1x2xi32>, tensor<1x2xi32>, 0 flops, 32 bytes, library no cpu kernel for weir.split of i32
func.func @i32(%x: tensor<1x4xi32>) -> (tensor<1x2xi32>, tensor<1x2xi32>) {
  %y:2 = weir.split %x {axis = 1, sizes = [2, 2]} : tensor<1x4xi32>
  return %y#0, %y#1 : tensor<1x2xi32>, tensor<1x2xi32>
}

// CHECK-LABEL: func.func @with_empty(
// CHECK: %y:2 = weir.split %x {axis = 0 : i64, sizes = [0, 3]} : tensor<3xf32>
// COST: with_empty: tensor<0xf32>, tensor<3xf32>, 0 flops, 24 bytes, library ok
func.func @with_empty(%x: tensor<3xf32>) -> (tensor<0xf32>, tensor<3xf32>) {
  %y:2 = weir.split %x {axis = 0, sizes = [0, 3]} : tensor<3xf32>
  return %y#0, %y#1 : tensor<0xf32>, tensor<3xf32>
}

//--- errors.mlir
func.func @error(%x: tensor<5x3xf32>) {
  // expected-error@below {{'weir.split' op attribute 'sizes' adds up to 4, expected 5, the size of axis 0}}
  %y:2 = weir.split %x {axis = 0, sizes = [2, 2]} : tensor<5x3xf32>
  return
}

// -----

func.func @error(%x: tensor<5x3xf32>) {
  // expected-error@below {{'weir.split' op attribute 'sizes' expects sizes of at least 0, found -1}}
  %y:2 = weir.split %x {axis = 0, sizes = [6, -1]} : tensor<5x3xf32>
  return
}

// -----

func.func @error(%x: tensor<5x3xf32>) {
  // expected-error@below {{'weir.split' op attribute 'axis' expects a value from -2 to 1, found 2}}
  weir.split %x {axis = 2, sizes = [5]} : tensor<5x3xf32>
  return
}

// -----

func.func @error(%x: tensor<5x3xf32>) {
  // expected-error@below {{'weir.split' requires attribute 'sizes'}}
  weir.split %x {axis = 0} : tensor<5x3xf32>
  return
}
