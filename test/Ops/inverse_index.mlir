// inverse_index: where each position stands in the input, or -1.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/inverse_index.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/inverse_index.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/inverse_index.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.inverse_index %x {size = 7 : i64} : tensor<5xi64>
// COST: vector: tensor<7xi64>, 35 flops, 96 bytes, library ok
func.func @vector(%x: tensor<5xi64>) -> tensor<7xi64> {
  %y = weir.inverse_index %x {size = 7} : tensor<5xi64>
  return %y : tensor<7xi64>
}

// The last of several counts.
// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.inverse_index %x {size = 2 : i64} : tensor<4x3xi32>
// COST: rows: tensor<2x3xi64>, 84 flops, 96 bytes, library ok
func.func @rows(%x: tensor<4x3xi32>) -> tensor<2x3xi64> {
  %y = weir.inverse_index %x {size = 2} : tensor<4x3xi32>
  return %y : tensor<2x3xi64>
}

// CHECK-LABEL: func.func @columns(
// CHECK: %y = weir.inverse_index %x {axis = -1 : i64, size = 3 : i64} : tensor<2x1x6xi64>
// COST: columns: tensor<2x1x3xi64>, 84 flops, 144 bytes, library ok
func.func @columns(%x: tensor<2x1x6xi64>) -> tensor<2x1x3xi64> {
  %y = weir.inverse_index %x {axis = -1, size = 3} : tensor<2x1x6xi64>
  return %y : tensor<2x1x3xi64>
}

// CHECK-LABEL: func.func @nothing(
// CHECK: %y = weir.inverse_index %x {axis = 1 : i64, size = 3 : i64} : tensor<0x2xi64>
// COST: nothing: tensor<0x3xi64>, 0 flops, 0 bytes, library ok
func.func @nothing(%x: tensor<0x2xi64>) -> tensor<0x3xi64> {
  %y = weir.inverse_index %x {axis = 1, size = 3} : tensor<0x2xi64>
  return %y : tensor<0x3xi64>
}

// CHECK-LABEL: func.func @outside(
// CHECK: %y = weir.inverse_index %x {size = 4 : i64} : tensor<9xi64>
// COST: outside: tensor<4xi64>, 63 flops, 104 bytes, library ok
func.func @outside(%x: tensor<9xi64>) -> tensor<4xi64> {
  %y = weir.inverse_index %x {size = 4} : tensor<9xi64>
  return %y : tensor<4xi64>
}

// CHECK-LABEL: func.func @u8(
// CHECK: %y = weir.inverse_index %x {size = 4 : i64} : tensor<6xui8>
// COST: u8: tensor<4xi64>, 42 flops, 38 bytes, library ok
func.func @u8(%x: tensor<6xui8>) -> tensor<4xi64> {
  %y = weir.inverse_index %x {size = 4} : tensor<6xui8>
  return %y : tensor<4xi64>
}

// CHECK-LABEL: func.func @u64(
// CHECK: %y = weir.inverse_index %x {size = 4 : i64} : tensor<6xui64>
// COST: u64: tensor<4xi64>, 42 flops, 80 bytes, library ok
func.func @u64(%x: tensor<6xui64>) -> tensor<4xi64> {
  %y = weir.inverse_index %x {size = 4} : tensor<6xui64>
  return %y : tensor<4xi64>
}

// An unsigned index never counts from the end.
// CHECK-LABEL: func.func @outside_unsigned(
// CHECK: %y = weir.inverse_index %x {size = 4 : i64} : tensor<9xui64>
// COST: outside_unsigned: tensor<4xi64>, 63 flops, 104 bytes, library ok
func.func @outside_unsigned(%x: tensor<9xui64>) -> tensor<4xi64> {
  %y = weir.inverse_index %x {size = 4} : tensor<9xui64>
  return %y : tensor<4xi64>
}

//--- errors.mlir
func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.inverse_index' op operand 0 expects an integer element type, found f32; insert a weir.cast}}
  weir.inverse_index %x {size = 3} : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xi64>) {
  // expected-error@below {{'weir.inverse_index' requires attribute 'size'}}
  weir.inverse_index %x : tensor<4xi64>
  return
}

// -----

func.func @error(%x: tensor<4xi64>) {
  // expected-error@below {{'weir.inverse_index' op attribute 'axis' expects a value from -1 to 0, found 1}}
  weir.inverse_index %x {axis = 1, size = 3} : tensor<4xi64>
  return
}

// -----

func.func @error(%x: tensor<0x2xi64>) {
  // expected-error@below {{'weir.inverse_index' op expects at least one element along axis 0}}
  weir.inverse_index %x {size = 3} : tensor<0x2xi64>
  return
}

// -----

func.func @error(%x: tensor<4xi64>) {
  // expected-error@below {{'weir.inverse_index' op attribute 'size' expects values from 0 to 281474976710656, found -3}}
  weir.inverse_index %x {size = -3} : tensor<4xi64>
  return
}
