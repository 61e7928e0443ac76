// scatter_nd: parts at places of several indices replaced.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/scatter_nd.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/scatter_nd.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/scatter_nd.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @elements(
// CHECK: %y = weir.scatter_nd %a, %b, %c : tensor<3x4xf32>, tensor<5x2xi64>, tensor<5xf32>
// COST: elements: tensor<3x4xf32>, 151 flops, 196 bytes, library no cpu kernel for weir.slice of i64
func.func @elements(%a: tensor<3x4xf32>, %b: tensor<5x2xi64>, %c: tensor<5xf32>)
    -> tensor<3x4xf32> {
  %y = weir.scatter_nd %a, %b, %c : tensor<3x4xf32>, tensor<5x2xi64>, tensor<5xf32>
  return %y : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.scatter_nd %a, %b, %c : tensor<4x3x2xf32>, tensor<2x1xi64>, tensor<2x3x2xf32>
// COST: rows: tensor<4x3x2xf32>, 60 flops, 256 bytes, library no cpu kernel for weir.add of i64
func.func @rows(%a: tensor<4x3x2xf32>,
    %b: tensor<2x1xi64>,
    %c: tensor<2x3x2xf32>)
    -> tensor<4x3x2xf32> {
  %y = weir.scatter_nd %a, %b, %c : tensor<4x3x2xf32>, tensor<2x1xi64>, tensor<2x3x2xf32>
  return %y : tensor<4x3x2xf32>
}

// CHECK-LABEL: func.func @grid(
// CHECK: %y = weir.scatter_nd %a, %b, %c : tensor<5x2xbf16>, tensor<2x1x1xi32>, tensor<2x1x2xbf16>
// COST: grid: tensor<5x2xbf16>, 48 flops, 56 bytes, library no cpu kernel for weir.cast of i32
func.func @grid(%a: tensor<5x2xbf16>,
    %b: tensor<2x1x1xi32>,
    %c: tensor<2x1x2xbf16>)
    -> tensor<5x2xbf16> {
  %y = weir.scatter_nd %a, %b, %c : tensor<5x2xbf16>, tensor<2x1x1xi32>, tensor<2x1x2xbf16>
  return %y : tensor<5x2xbf16>
}

// The last of several for one place counts.
// CHECK-LABEL: func.func @more_than_places(
// CHECK: %y = weir.scatter_nd %a, %b, %c : tensor<2x2xi64>, tensor<9x2xi64>, tensor<9xi64>
// COST: more_than_places: tensor<2x2xi64>, 219 flops, 280 bytes, library no cpu kernel for weir.slice of i64
func.func @more_than_places(%a: tensor<2x2xi64>,
    %b: tensor<9x2xi64>,
    %c: tensor<9xi64>)
    -> tensor<2x2xi64> {
  %y = weir.scatter_nd %a, %b, %c : tensor<2x2xi64>, tensor<9x2xi64>, tensor<9xi64>
  return %y : tensor<2x2xi64>
}

// CHECK-LABEL: func.func @outside(
// CHECK: %y = weir.scatter_nd %a, %b, %c : tensor<3x4xf32>, tensor<8x2xi64>, tensor<8xf32>
// COST: outside: tensor<3x4xf32>, 220 flops, 256 bytes, library no cpu kernel for weir.slice of i64
func.func @outside(%a: tensor<3x4xf32>, %b: tensor<8x2xi64>, %c: tensor<8xf32>)
    -> tensor<3x4xf32> {
  %y = weir.scatter_nd %a, %b, %c : tensor<3x4xf32>, tensor<8x2xi64>, tensor<8xf32>
  return %y : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @one(
// CHECK: %y = weir.scatter_nd %a, %b, %c : tensor<3xf64>, tensor<1xi64>, tensor<f64>
// COST: one: tensor<3xf64>, 23 flops, 64 bytes, library no cpu kernel for weir.add of i64
func.func @one(%a: tensor<3xf64>, %b: tensor<1xi64>, %c: tensor<f64>)
    -> tensor<3xf64> {
  %y = weir.scatter_nd %a, %b, %c : tensor<3xf64>, tensor<1xi64>, tensor<f64>
  return %y : tensor<3xf64>
}

// CHECK-LABEL: func.func @nothing(
// CHECK: %y = weir.scatter_nd %a, %b, %c : tensor<3x2xf32>, tensor<0x1xi64>, tensor<0x2xf32>
// COST: nothing: tensor<3x2xf32>, 0 flops, 48 bytes, library ok
func.func @nothing(%a: tensor<3x2xf32>,
    %b: tensor<0x1xi64>,
    %c: tensor<0x2xf32>)
    -> tensor<3x2xf32> {
  %y = weir.scatter_nd %a, %b, %c : tensor<3x2xf32>, tensor<0x1xi64>, tensor<0x2xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @rows_added(
// CHECK: %y = weir.scatter_nd %a, %b, %c {reduction = "sum"} : tensor<5x3xf32>, tensor<4x1xi64>, tensor<4x3xf32>
// COST: rows_added: tensor<5x3xf32>, 64 flops, 200 bytes, library no cpu kernel for weir.add of i64
func.func @rows_added(%a: tensor<5x3xf32>,
    %b: tensor<4x1xi64>,
    %c: tensor<4x3xf32>)
    -> tensor<5x3xf32> {
  %y = weir.scatter_nd %a, %b, %c {reduction = "sum"} : tensor<5x3xf32>, tensor<4x1xi64>, tensor<4x3xf32>
  return %y : tensor<5x3xf32>
}

// CHECK-LABEL: func.func @grid_multiplied(
// CHECK: %y = weir.scatter_nd %a, %b, %c {reduction = "product"} : tensor<3x4xf64>, tensor<2x3x2xi32>, tensor<2x3xf64>
// COST: grid_multiplied: tensor<3x4xf64>, 114 flops, 288 bytes, library no cpu kernel for weir.cast of i32
func.func @grid_multiplied(%a: tensor<3x4xf64>,
    %b: tensor<2x3x2xi32>,
    %c: tensor<2x3xf64>)
    -> tensor<3x4xf64> {
  %y = weir.scatter_nd %a, %b, %c {reduction = "product"} : tensor<3x4xf64>, tensor<2x3x2xi32>, tensor<2x3xf64>
  return %y : tensor<3x4xf64>
}

// CHECK-LABEL: func.func @elements_largest(
// CHECK: %y = weir.scatter_nd %a, %b, %c {reduction = "maximum"} : tensor<3x4xui16>, tensor<5x2xi64>, tensor<5xui16>
// COST: elements_largest: tensor<3x4xui16>, 100 flops, 138 bytes, library no cpu kernel for weir.slice of i64
func.func @elements_largest(%a: tensor<3x4xui16>,
    %b: tensor<5x2xi64>,
    %c: tensor<5xui16>)
    -> tensor<3x4xui16> {
  %y = weir.scatter_nd %a, %b, %c {reduction = "maximum"} : tensor<3x4xui16>, tensor<5x2xi64>, tensor<5xui16>
  return %y : tensor<3x4xui16>
}

// CHECK-LABEL: func.func @outside_smallest(
// CHECK: %y = weir.scatter_nd %a, %b, %c {reduction = "minimum"} : tensor<2x3xbf16>, tensor<9x2xi64>, tensor<9xbf16>
// COST: outside_smallest: tensor<2x3xbf16>, 180 flops, 186 bytes, library no cpu kernel for weir.slice of i64
func.func @outside_smallest(%a: tensor<2x3xbf16>,
    %b: tensor<9x2xi64>,
    %c: tensor<9xbf16>)
    -> tensor<2x3xbf16> {
  %y = weir.scatter_nd %a, %b, %c {reduction = "minimum"} : tensor<2x3xbf16>, tensor<9x2xi64>, tensor<9xbf16>
  return %y : tensor<2x3xbf16>
}

// CHECK-LABEL: func.func @nothing_added(
// CHECK: %y = weir.scatter_nd %a, %b, %c {reduction = "sum"} : tensor<3x2xf32>, tensor<0x1xi64>, tensor<0x2xf32>
// COST: nothing_added: tensor<3x2xf32>, 0 flops, 48 bytes, library ok
func.func @nothing_added(%a: tensor<3x2xf32>,
    %b: tensor<0x1xi64>,
    %c: tensor<0x2xf32>)
    -> tensor<3x2xf32> {
  %y = weir.scatter_nd %a, %b, %c {reduction = "sum"} : tensor<3x2xf32>, tensor<0x1xi64>, tensor<0x2xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @rows_smallest(
// CHECK: %y = weir.scatter_nd %a, %b, %c {reduction = "minimum"} : tensor<1x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>
// COST: rows_smallest: tensor<1x4xf32>, 69 flops, 104 bytes, library no cpu kernel for weir.add of i64
func.func @rows_smallest(%a: tensor<1x4xf32>,
    %b: tensor<3x1xi64>,
    %c: tensor<3x4xf32>)
    -> tensor<1x4xf32> {
  %y = weir.scatter_nd %a, %b, %c {reduction = "minimum"} : tensor<1x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>
  return %y : tensor<1x4xf32>
}

//--- errors.mlir
func.func @error(%a: tensor<5x3xf32>, %b: tensor<2x1xf32>, %c: tensor<2x3xf32>) {
  // expected-error@below {{'weir.scatter_nd' op operand 1 expects an integer element type, found f32; insert a weir.cast}}
  weir.scatter_nd %a, %b, %c : tensor<5x3xf32>, tensor<2x1xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<2x3xi64>, %c: tensor<2xf32>) {
  // expected-error@below {{'weir.scatter_nd' op the last dim of operand 1 (2x3) expects a size from 1 to 2}}
  weir.scatter_nd %a, %b, %c : tensor<5x3xf32>, tensor<2x3xi64>, tensor<2xf32>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<2x1xi64>, %c: tensor<2x4xf32>) {
  // expected-error@below {{'weir.scatter_nd' op operand 2 is 2x4, expected 2x3: the dims of operand 1 but the last, then those of operand 0 that it does not index}}
  weir.scatter_nd %a, %b, %c : tensor<5x3xf32>, tensor<2x1xi64>, tensor<2x4xf32>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<2x1xi64>) {
  // expected-error@below {{'weir.scatter_nd' op expects 3 operands, found 2}}
  weir.scatter_nd %a, %b : tensor<5x3xf32>, tensor<2x1xi64>
  return
}

// -----

func.func @error(%a: tensor<3xf32>, %b: tensor<2x1xi64>, %c: tensor<2xf32>) {
  // expected-error@below {{'weir.scatter_nd' op attribute 'reduction' is 'add', expected 'none', 'sum', 'product', 'maximum' or 'minimum'}}
  weir.scatter_nd %a, %b, %c {reduction = "add"} : tensor<3xf32>, tensor<2x1xi64>, tensor<2xf32>
  return
}
