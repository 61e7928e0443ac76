// dropout: random elements replaced by 0, the others made larger.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/dropout.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/dropout.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/dropout.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @matrix(
// CHECK: %y = weir.dropout %x, %s {stream = 2 : i64} : tensor<4x9xf32>, tensor<i64>
// COST: matrix: tensor<4x9xf32>, 2376 flops, 296 bytes, library {{.*}}
func.func @matrix(%x: tensor<4x9xf32>, %s: tensor<i64>) -> tensor<4x9xf32> {
  %y = weir.dropout %x, %s {stream = 2} : tensor<4x9xf32>, tensor<i64>
  return %y : tensor<4x9xf32>
}

// CHECK-LABEL: func.func @stream(
// CHECK: %y = weir.dropout %x, %s {stream = 9223372036854775807 : i64} : tensor<4x9xf32>, tensor<i64>
// COST: stream: tensor<4x9xf32>, 2376 flops, 296 bytes, library {{.*}}
func.func @stream(%x: tensor<4x9xf32>, %s: tensor<i64>) -> tensor<4x9xf32> {
  %y = weir.dropout %x, %s {stream = 9223372036854775807} : tensor<4x9xf32>, tensor<i64>
  return %y : tensor<4x9xf32>
}

// CHECK-LABEL: func.func @seldom(
// CHECK: %y = weir.dropout %x, %s {ratio = 1.000000e-01 : f64, seed = -5 : i64, stream = 3 : i64} : tensor<2x3x5x4xf64>, tensor<i64>
// COST: seldom: tensor<2x3x5x4xf64>, 8400 flops, 1928 bytes, library {{.*}}
func.func @seldom(%x: tensor<2x3x5x4xf64>, %s: tensor<i64>) -> tensor<2x3x5x4xf64> {
  %y = weir.dropout %x, %s {ratio = 0.1, seed = -5, stream = 3} : tensor<2x3x5x4xf64>, tensor<i64>
  return %y : tensor<2x3x5x4xf64>
}

// CHECK-LABEL: func.func @mostly(
// CHECK: %y = weir.dropout %x, %s {ratio = 0.69999999999999996 : f64, seed = 9223372036854775807 : i64, stream = 2 : i64} : tensor<33xf32>, tensor<i32>
// COST: mostly: tensor<33xf32>, 2112 flops, 268 bytes, library {{.*}}
func.func @mostly(%x: tensor<33xf32>, %s: tensor<i32>) -> tensor<33xf32> {
  %y = weir.dropout %x, %s {ratio = 0.7, seed = 9223372036854775807, stream = 2} : tensor<33xf32>, tensor<i32>
  return %y : tensor<33xf32>
}

// CHECK-LABEL: func.func @huge_step(
// CHECK: %y = weir.dropout %x, %s {seed = 7 : i64, stream = 2 : i64} : tensor<6x2xf32>, tensor<i64>
// COST: huge_step: tensor<6x2xf32>, 792 flops, 104 bytes, library {{.*}}
func.func @huge_step(%x: tensor<6x2xf32>, %s: tensor<i64>) -> tensor<6x2xf32> {
  %y = weir.dropout %x, %s {seed = 7, stream = 2} : tensor<6x2xf32>, tensor<i64>
  return %y : tensor<6x2xf32>
}

// CHECK-LABEL: func.func @unsigned_step(
// CHECK: %y = weir.dropout %x, %s {stream = 2 : i64} : tensor<1x8xf32>, tensor<ui64>
// COST: unsigned_step: tensor<1x8xf32>, 528 flops, 72 bytes, library {{.*}}
func.func @unsigned_step(%x: tensor<1x8xf32>, %s: tensor<ui64>) -> tensor<1x8xf32> {
  %y = weir.dropout %x, %s {stream = 2} : tensor<1x8xf32>, tensor<ui64>
  return %y : tensor<1x8xf32>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.dropout %x, %s {ratio = 2.500000e-01 : f64, stream = 2 : i64} : tensor<3x4xf16>, tensor<i8>
// COST: half: tensor<3x4xf16>, 792 flops, 49 bytes, library {{.*}}
func.func @half(%x: tensor<3x4xf16>, %s: tensor<i8>) -> tensor<3x4xf16> {
  %y = weir.dropout %x, %s {ratio = 0.25, stream = 2} : tensor<3x4xf16>, tensor<i8>
  return %y : tensor<3x4xf16>
}

// CHECK-LABEL: func.func @small(
// CHECK: %y = weir.dropout %x, %s {ratio = 2.500000e-01 : f64, stream = 2 : i64} : tensor<2x7xbf16>, tensor<ui8>
// COST: small: tensor<2x7xbf16>, 924 flops, 57 bytes, library {{.*}}
func.func @small(%x: tensor<2x7xbf16>, %s: tensor<ui8>) -> tensor<2x7xbf16> {
  %y = weir.dropout %x, %s {ratio = 0.25, stream = 2} : tensor<2x7xbf16>, tensor<ui8>
  return %y : tensor<2x7xbf16>
}

// CHECK-LABEL: func.func @nothing(
// CHECK: %y = weir.dropout %x, %s {ratio = 0.000000e+00 : f64, stream = 2 : i64} : tensor<5xf32>, tensor<i64>
// COST: nothing: tensor<5xf32>, 320 flops, 48 bytes, library {{.*}}
func.func @nothing(%x: tensor<5xf32>, %s: tensor<i64>) -> tensor<5xf32> {
  %y = weir.dropout %x, %s {ratio = 0.0, stream = 2} : tensor<5xf32>, tensor<i64>
  return %y : tensor<5xf32>
}

// CHECK-LABEL: func.func @all(
// CHECK: %y = weir.dropout %x, %s {ratio = 1.000000e+00 : f64, stream = 2 : i64} : tensor<5xf32>, tensor<i64>
// COST: all: tensor<5xf32>, 320 flops, 48 bytes, library {{.*}}
func.func @all(%x: tensor<5xf32>, %s: tensor<i64>) -> tensor<5xf32> {
  %y = weir.dropout %x, %s {ratio = 1.0, stream = 2} : tensor<5xf32>, tensor<i64>
  return %y : tensor<5xf32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.dropout %x, %s {stream = 12 : i64} : tensor<f32>, tensor<i64>
// COST: scalar: tensor<f32>, 64 flops, 16 bytes, library {{.*}}
func.func @scalar(%x: tensor<f32>, %s: tensor<i64>) -> tensor<f32> {
  %y = weir.dropout %x, %s {stream = 12} : tensor<f32>, tensor<i64>
  return %y : tensor<f32>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.dropout %x, %s {stream = 2 : i64} : tensor<1x5x1xf32>, tensor<i64>
// COST: unit_dims: tensor<1x5x1xf32>, 340 flops, 48 bytes, library {{.*}}
func.func @unit_dims(%x: tensor<1x5x1xf32>, %s: tensor<i64>) -> tensor<1x5x1xf32> {
  %y = weir.dropout %x, %s {stream = 2} : tensor<1x5x1xf32>, tensor<i64>
  return %y : tensor<1x5x1xf32>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.dropout %x, %s {stream = 2 : i64} : tensor<0x4xf32>, tensor<i64>
// COST: empty: tensor<0x4xf32>, 0 flops, 8 bytes, library {{.*}}
func.func @empty(%x: tensor<0x4xf32>, %s: tensor<i64>) -> tensor<0x4xf32> {
  %y = weir.dropout %x, %s {stream = 2} : tensor<0x4xf32>, tensor<i64>
  return %y : tensor<0x4xf32>
}

//--- errors.mlir
func.func @ratio(%x: tensor<3xf32>, %s: tensor<i64>) {
  // expected-error@below {{'weir.dropout' op attribute 'ratio' expects a probability, from 0 to 1, found 1.5}}
  weir.dropout %x, %s {ratio = 1.5} : tensor<3xf32>, tensor<i64>
  return
}

// -----

func.func @steps(%x: tensor<3xf32>, %s: tensor<1xi64>) {
  // expected-error@below {{'weir.dropout' op operand 1 (1): expects rank 0, found rank 1}}
  weir.dropout %x, %s : tensor<3xf32>, tensor<1xi64>
  return
}

// -----

func.func @float_step(%x: tensor<3xf32>, %s: tensor<f32>) {
  // expected-error@below {{'weir.dropout' op operand 1 expects an integer element type, found f32; insert a weir.cast}}
  weir.dropout %x, %s : tensor<3xf32>, tensor<f32>
  return
}

// -----

func.func @integers(%x: tensor<3xi32>, %s: tensor<i64>) {
  // expected-error@below {{'weir.dropout' op operand 0 expects a float element type, found i32; insert a weir.cast}}
  weir.dropout %x, %s : tensor<3xi32>, tensor<i64>
  return
}

// -----

func.func @stream(%x: tensor<3xf32>, %s: tensor<i64>) {
  // expected-error@below {{'weir.dropout' op attribute 'stream' expects a number from 0 on, found -7; correct it, or leave it out to get one from the op's name}}
  weir.dropout %x, %s {stream = -7} : tensor<3xf32>, tensor<i64>
  return
}
