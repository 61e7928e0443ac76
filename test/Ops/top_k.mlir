// top_k: positions of the k largest elements along an axis.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/top_k.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/top_k.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/top_k.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// Equal elements keep their order.
// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.top_k %x {k = 3 : i64} : tensor<3x7xf32>
// COST: rows: tensor<3x3xi64>, 1659 flops, 156 bytes, library ok
func.func @rows(%x: tensor<3x7xf32>) -> tensor<3x3xi64> {
  %y = weir.top_k %x {k = 3} : tensor<3x7xf32>
  return %y : tensor<3x3xi64>
}

// CHECK-LABEL: func.func @columns(
// CHECK: %y = weir.top_k %x {axis = 0 : i64, k = 2 : i64} : tensor<5x1x3xbf16>
// COST: columns: tensor<2x1x3xi64>, 885 flops, 78 bytes, library ok
func.func @columns(%x: tensor<5x1x3xbf16>) -> tensor<2x1x3xi64> {
  %y = weir.top_k %x {axis = 0, k = 2} : tensor<5x1x3xbf16>
  return %y : tensor<2x1x3xi64>
}

// CHECK-LABEL: func.func @smallest(
// CHECK: %y = weir.top_k %x {k = 4 : i64, largest = false} : tensor<2x6xf16>
// COST: smallest: tensor<2x4xi64>, 828 flops, 88 bytes, library ok
func.func @smallest(%x: tensor<2x6xf16>) -> tensor<2x4xi64> {
  %y = weir.top_k %x {k = 4, largest = false} : tensor<2x6xf16>
  return %y : tensor<2x4xi64>
}

// CHECK-LABEL: func.func @all(
// CHECK: %y = weir.top_k %x {k = 6 : i64} : tensor<6xf64>
// COST: all: tensor<6xi64>, 414 flops, 96 bytes, library ok
func.func @all(%x: tensor<6xf64>) -> tensor<6xi64> {
  %y = weir.top_k %x {k = 6} : tensor<6xf64>
  return %y : tensor<6xi64>
}

// CHECK-LABEL: func.func @one(
// CHECK: %y = weir.top_k %x {axis = 1 : i64, k = 1 : i64} : tensor<2x9xi32>
// COST: one: tensor<2x1xi64>, 1098 flops, 88 bytes, library ok
func.func @one(%x: tensor<2x9xi32>) -> tensor<2x1xi64> {
  %y = weir.top_k %x {axis = 1, k = 1} : tensor<2x9xi32>
  return %y : tensor<2x1xi64>
}

// CHECK-LABEL: func.func @huge_u64(
// CHECK: %y = weir.top_k %x {k = 3 : i64} : tensor<3x8xui64>
// COST: huge_u64: tensor<3x3xi64>, 1320 flops, 264 bytes, library ok
func.func @huge_u64(%x: tensor<3x8xui64>) -> tensor<3x3xi64> {
  %y = weir.top_k %x {k = 3} : tensor<3x8xui64>
  return %y : tensor<3x3xi64>
}

// CHECK-LABEL: func.func @huge_i8(
// CHECK: %y = weir.top_k %x {k = 5 : i64, largest = false} : tensor<3x8xi8>
// COST: huge_i8: tensor<3x5xi64>, 1320 flops, 144 bytes, library ok
func.func @huge_i8(%x: tensor<3x8xi8>) -> tensor<3x5xi64> {
  %y = weir.top_k %x {k = 5, largest = false} : tensor<3x8xi8>
  return %y : tensor<3x5xi64>
}

// CHECK-LABEL: func.func @truth(
// CHECK: %y = weir.top_k %x {k = 2 : i64} : tensor<2x5xi1>
// COST: truth: tensor<2x2xi64>, 370 flops, 42 bytes, library ok
func.func @truth(%x: tensor<2x5xi1>) -> tensor<2x2xi64> {
  %y = weir.top_k %x {k = 2} : tensor<2x5xi1>
  return %y : tensor<2x2xi64>
}

// NaN comes first.
// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.top_k %x {k = 4 : i64} : tensor<9xf32>
// COST: nan: tensor<4xi64>, 891 flops, 68 bytes, library ok
func.func @nan(%x: tensor<9xf32>) -> tensor<4xi64> {
  %y = weir.top_k %x {k = 4} : tensor<9xf32>
  return %y : tensor<4xi64>
}

// NaN comes last.
// CHECK-LABEL: func.func @nan_smallest(
// CHECK: %y = weir.top_k %x {k = 9 : i64, largest = false} : tensor<9xf32>
// COST: nan_smallest: tensor<9xi64>, 891 flops, 108 bytes, library ok
func.func @nan_smallest(%x: tensor<9xf32>) -> tensor<9xi64> {
  %y = weir.top_k %x {k = 9, largest = false} : tensor<9xf32>
  return %y : tensor<9xi64>
}

// CHECK-LABEL: func.func @more_than_a_buffer(
// CHECK: %y = weir.top_k %x {k = 5 : i64} : tensor<2x100xf32>
// COST: more_than_a_buffer: tensor<2x5xi64>, 201800 flops, 880 bytes, library ok
func.func @more_than_a_buffer(%x: tensor<2x100xf32>) -> tensor<2x5xi64> {
  %y = weir.top_k %x {k = 5} : tensor<2x100xf32>
  return %y : tensor<2x5xi64>
}

// CHECK-LABEL: func.func @nothing(
// CHECK: %y = weir.top_k %x {k = 0 : i64} : tensor<2x5xf32>
// COST: nothing: tensor<2x0xi64>, 0 flops, 40 bytes, library ok
func.func @nothing(%x: tensor<2x5xf32>) -> tensor<2x0xi64> {
  %y = weir.top_k %x {k = 0} : tensor<2x5xf32>
  return %y : tensor<2x0xi64>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.top_k %x {k = 2 : i64} : tensor<0x5xf32>
// COST: empty: tensor<0x2xi64>, 0 flops, 0 bytes, library ok
func.func @empty(%x: tensor<0x5xf32>) -> tensor<0x2xi64> {
  %y = weir.top_k %x {k = 2} : tensor<0x5xf32>
  return %y : tensor<0x2xi64>
}

//--- errors.mlir
func.func @error(%x: tensor<5x3xf32>) {
  // expected-error@below {{'weir.top_k' op attribute 'k' expects a value from 0 to 3, the size of axis 1 of operand 0 (5x3), found 4}}
  weir.top_k %x {k = 4} : tensor<5x3xf32>
  return
}

// -----

func.func @error(%x: tensor<5x3xf32>) {
  // expected-error@below {{'weir.top_k' op attribute 'k' expects a value from 0 to 3, the size of axis 1 of operand 0 (5x3), found -1}}
  weir.top_k %x {k = -1} : tensor<5x3xf32>
  return
}

// -----

func.func @error(%x: tensor<5x3xf32>) {
  // expected-error@below {{'weir.top_k' op attribute 'axis' expects a value from -2 to 1, found 2}}
  weir.top_k %x {axis = 2, k = 1} : tensor<5x3xf32>
  return
}

// -----

func.func @error(%x: tensor<5x3xf32>) {
  // expected-error@below {{'weir.top_k' requires attribute 'k'}}
  weir.top_k %x {axis = 1} : tensor<5x3xf32>
  return
}

// -----

func.func @error(%x: tensor<3000000000xf32>) {
  // expected-error@below {{'weir.top_k' op axis 0 of operand 0 (3000000000) is too long to compare every two of its elements; apply top_k to parts of it first}}
  weir.top_k %x {k = 16} : tensor<3000000000xf32>
  return
}
