// scatter_sum: rows plus the updates at their indices.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/scatter_sum.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/scatter_sum.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/scatter_sum.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// Several updates meet one row; an index that is no row is ignored.
// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.scatter_sum %a, %b, %c : tensor<1x6x3xf32>, tensor<6xi64>, tensor<1x4x3xf32>
// COST: rows: tensor<1x4x3xf32>, 54 flops, 216 bytes, library ok
func.func @rows(%a: tensor<1x6x3xf32>, %b: tensor<6xi64>, %c: tensor<1x4x3xf32>)
    -> tensor<1x4x3xf32> {
  %y = weir.scatter_sum %a, %b, %c : tensor<1x6x3xf32>, tensor<6xi64>, tensor<1x4x3xf32>
  return %y : tensor<1x4x3xf32>
}

// CHECK-LABEL: func.func @planes(
// CHECK: %y = weir.scatter_sum %a, %b, %c : tensor<3x4x1xf64>, tensor<4xi32>, tensor<3x5x1xf64>
// COST: planes: tensor<3x5x1xf64>, 36 flops, 352 bytes, library ok
func.func @planes(%a: tensor<3x4x1xf64>,
    %b: tensor<4xi32>,
    %c: tensor<3x5x1xf64>)
    -> tensor<3x5x1xf64> {
  %y = weir.scatter_sum %a, %b, %c : tensor<3x4x1xf64>, tensor<4xi32>, tensor<3x5x1xf64>
  return %y : tensor<3x5x1xf64>
}

// CHECK-LABEL: func.func @more_than_rows(
// CHECK: %y = weir.scatter_sum %a, %b, %c : tensor<1x20x2xi32>, tensor<20xi64>, tensor<1x3x2xi32>
// COST: more_than_rows: tensor<1x3x2xi32>, 120 flops, 368 bytes, library ok
func.func @more_than_rows(%a: tensor<1x20x2xi32>,
    %b: tensor<20xi64>,
    %c: tensor<1x3x2xi32>)
    -> tensor<1x3x2xi32> {
  %y = weir.scatter_sum %a, %b, %c : tensor<1x20x2xi32>, tensor<20xi64>, tensor<1x3x2xi32>
  return %y : tensor<1x3x2xi32>
}

// Small floats are rounded once.
// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.scatter_sum %a, %b, %c : tensor<1x5x2xf16>, tensor<5xi64>, tensor<1x4x2xf16>
// COST: half: tensor<1x4x2xf16>, 30 flops, 92 bytes, library ok
func.func @half(%a: tensor<1x5x2xf16>, %b: tensor<5xi64>, %c: tensor<1x4x2xf16>)
    -> tensor<1x4x2xf16> {
  %y = weir.scatter_sum %a, %b, %c : tensor<1x5x2xf16>, tensor<5xi64>, tensor<1x4x2xf16>
  return %y : tensor<1x4x2xf16>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: %y = weir.scatter_sum %a, %b, %c : tensor<2x5x1xbf16>, tensor<5xui8>, tensor<2x4x1xbf16>
// COST: bf16: tensor<2x4x1xbf16>, 30 flops, 57 bytes, library ok
func.func @bf16(%a: tensor<2x5x1xbf16>,
    %b: tensor<5xui8>,
    %c: tensor<2x4x1xbf16>)
    -> tensor<2x4x1xbf16> {
  %y = weir.scatter_sum %a, %b, %c : tensor<2x5x1xbf16>, tensor<5xui8>, tensor<2x4x1xbf16>
  return %y : tensor<2x4x1xbf16>
}

// CHECK-LABEL: func.func @huge_u64(
// CHECK: %y = weir.scatter_sum %a, %b, %c : tensor<1x7x2xui64>, tensor<7xi16>, tensor<1x4x2xui64>
// COST: huge_u64: tensor<1x4x2xui64>, 42 flops, 254 bytes, library ok
func.func @huge_u64(%a: tensor<1x7x2xui64>,
    %b: tensor<7xi16>,
    %c: tensor<1x4x2xui64>)
    -> tensor<1x4x2xui64> {
  %y = weir.scatter_sum %a, %b, %c : tensor<1x7x2xui64>, tensor<7xi16>, tensor<1x4x2xui64>
  return %y : tensor<1x4x2xui64>
}

// CHECK-LABEL: func.func @huge_i8(
// CHECK: %y = weir.scatter_sum %a, %b, %c : tensor<1x7x1xi8>, tensor<7xi8>, tensor<1x4x1xi8>
// COST: huge_i8: tensor<1x4x1xi8>, 21 flops, 22 bytes, library ok
func.func @huge_i8(%a: tensor<1x7x1xi8>, %b: tensor<7xi8>, %c: tensor<1x4x1xi8>)
    -> tensor<1x4x1xi8> {
  %y = weir.scatter_sum %a, %b, %c : tensor<1x7x1xi8>, tensor<7xi8>, tensor<1x4x1xi8>
  return %y : tensor<1x4x1xi8>
}

// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.scatter_sum %a, %b, %c : tensor<1x6x1xf32>, tensor<6xi64>, tensor<1x4x1xf32>
// COST: nan: tensor<1x4x1xf32>, 18 flops, 104 bytes, library ok
func.func @nan(%a: tensor<1x6x1xf32>, %b: tensor<6xi64>, %c: tensor<1x4x1xf32>)
    -> tensor<1x4x1xf32> {
  %y = weir.scatter_sum %a, %b, %c : tensor<1x6x1xf32>, tensor<6xi64>, tensor<1x4x1xf32>
  return %y : tensor<1x4x1xf32>
}

// CHECK-LABEL: func.func @nowhere(
// CHECK: %y = weir.scatter_sum %a, %b, %c : tensor<1x3x0xf32>, tensor<3xi64>, tensor<1x2x0xf32>
// COST: nowhere: tensor<1x2x0xf32>, 0 flops, 24 bytes, library ok
func.func @nowhere(%a: tensor<1x3x0xf32>,
    %b: tensor<3xi64>,
    %c: tensor<1x2x0xf32>)
    -> tensor<1x2x0xf32> {
  %y = weir.scatter_sum %a, %b, %c : tensor<1x3x0xf32>, tensor<3xi64>, tensor<1x2x0xf32>
  return %y : tensor<1x2x0xf32>
}

// CHECK-LABEL: func.func @no_rows(
// CHECK: %y = weir.scatter_sum %a, %b, %c : tensor<1x3x2xf32>, tensor<3xi64>, tensor<1x0x2xf32>
// COST: no_rows: tensor<1x0x2xf32>, 0 flops, 48 bytes, library ok
func.func @no_rows(%a: tensor<1x3x2xf32>,
    %b: tensor<3xi64>,
    %c: tensor<1x0x2xf32>)
    -> tensor<1x0x2xf32> {
  %y = weir.scatter_sum %a, %b, %c : tensor<1x3x2xf32>, tensor<3xi64>, tensor<1x0x2xf32>
  return %y : tensor<1x0x2xf32>
}

// CHECK-LABEL: func.func @no_updates(
// CHECK: %y = weir.scatter_sum %a, %b, %c : tensor<1x0x2xf32>, tensor<0xi64>, tensor<1x3x2xf32>
// COST: no_updates: tensor<1x3x2xf32>, 0 flops, 48 bytes, library kernel 'scatter' does not support operands without elements
func.func @no_updates(%a: tensor<1x0x2xf32>,
    %b: tensor<0xi64>,
    %c: tensor<1x3x2xf32>)
    -> tensor<1x3x2xf32> {
  %y = weir.scatter_sum %a, %b, %c : tensor<1x0x2xf32>, tensor<0xi64>, tensor<1x3x2xf32>
  return %y : tensor<1x3x2xf32>
}

// Where every update meets a row, its input counts as well.
// CHECK-LABEL: func.func @all_in_one_row(
// CHECK: %y = weir.scatter_sum %a, %b, %c : tensor<2x5x3xf32>, tensor<5xi64>, tensor<2x1x3xf32>
// COST: all_in_one_row: tensor<2x1x3xf32>, 90 flops, 208 bytes, library ok
func.func @all_in_one_row(%a: tensor<2x5x3xf32>,
    %b: tensor<5xi64>,
    %c: tensor<2x1x3xf32>)
    -> tensor<2x1x3xf32> {
  %y = weir.scatter_sum %a, %b, %c : tensor<2x5x3xf32>, tensor<5xi64>, tensor<2x1x3xf32>
  return %y : tensor<2x1x3xf32>
}

//--- errors.mlir
func.func @error(%a: tensor<1x2x3xf32>, %b: tensor<2xf32>, %c: tensor<1x4x3xf32>) {
  // expected-error@below {{'weir.scatter_sum' op operand 1 expects an integer element type, found f32; insert a weir.cast}}
  weir.scatter_sum %a, %b, %c : tensor<1x2x3xf32>, tensor<2xf32>, tensor<1x4x3xf32>
  return
}

// -----

func.func @error(%a: tensor<1x2x3xf32>, %b: tensor<3xi64>, %c: tensor<1x4x3xf32>) {
  // expected-error@below {{'weir.scatter_sum' op dim 'j' is 2 by operand 0 (1x2x3) but 3 by operand 1 (3)}}
  weir.scatter_sum %a, %b, %c : tensor<1x2x3xf32>, tensor<3xi64>, tensor<1x4x3xf32>
  return
}

// -----

func.func @error(%a: tensor<1x2x3xf32>, %b: tensor<2xi64>, %c: tensor<1x4x5xf32>) {
  // expected-error@below {{'weir.scatter_sum' op dim 'w' is 3 by operand 0 (1x2x3) but 5 by operand 2 (1x4x5)}}
  weir.scatter_sum %a, %b, %c : tensor<1x2x3xf32>, tensor<2xi64>, tensor<1x4x5xf32>
  return
}

// -----

func.func @error(%a: tensor<1x2x3xf32>, %b: tensor<2xi64>, %c: tensor<1x4x3xf64>) {
  // expected-error@below {{'weir.scatter_sum' op operand 2 expects element type f32 like the operands before, found f64; insert a weir.cast}}
  weir.scatter_sum %a, %b, %c : tensor<1x2x3xf32>, tensor<2xi64>, tensor<1x4x3xf64>
  return
}
