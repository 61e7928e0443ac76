// scatter_elements: some elements along an axis replaced.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/scatter_elements.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/scatter_elements.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/scatter_elements.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.scatter_elements %a, %b, %c : tensor<5x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>
// COST: rows: tensor<5x3xf32>, 87 flops, 192 bytes, library no cpu kernel for weir.max of i64
func.func @rows(%a: tensor<5x3xf32>, %b: tensor<2x3xi64>, %c: tensor<2x3xf32>)
    -> tensor<5x3xf32> {
  %y = weir.scatter_elements %a, %b, %c : tensor<5x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>
  return %y : tensor<5x3xf32>
}

// CHECK-LABEL: func.func @columns(
// CHECK: %y = weir.scatter_elements %a, %b, %c {axis = -1 : i64} : tensor<2x4x3xf32>, tensor<2x4x2xi32>, tensor<2x4x2xf32>
// COST: columns: tensor<2x4x3xf32>, 184 flops, 320 bytes, library no cpu kernel for weir.cast of i32
func.func @columns(%a: tensor<2x4x3xf32>,
    %b: tensor<2x4x2xi32>,
    %c: tensor<2x4x2xf32>)
    -> tensor<2x4x3xf32> {
  %y = weir.scatter_elements %a, %b, %c {axis = -1} : tensor<2x4x3xf32>, tensor<2x4x2xi32>, tensor<2x4x2xf32>
  return %y : tensor<2x4x3xf32>
}

// Both may be smaller in other dims.
// CHECK-LABEL: func.func @corner(
// CHECK: %y = weir.scatter_elements %a, %b, %c {axis = 2 : i64} : tensor<3x1x5xbf16>, tensor<2x1x4xi64>, tensor<2x1x4xbf16>
// COST: corner: tensor<3x1x5xbf16>, 96 flops, 140 bytes, library no cpu kernel for weir.max of i64
func.func @corner(%a: tensor<3x1x5xbf16>,
    %b: tensor<2x1x4xi64>,
    %c: tensor<2x1x4xbf16>)
    -> tensor<3x1x5xbf16> {
  %y = weir.scatter_elements %a, %b, %c {axis = 2} : tensor<3x1x5xbf16>, tensor<2x1x4xi64>, tensor<2x1x4xbf16>
  return %y : tensor<3x1x5xbf16>
}

// The last of several for one place counts.
// CHECK-LABEL: func.func @more_than_places(
// CHECK: %y = weir.scatter_elements %a, %b, %c : tensor<3x2xi16>, tensor<7x2xi64>, tensor<7x2xi16>
// COST: more_than_places: tensor<3x2xi16>, 116 flops, 164 bytes, library no cpu kernel for weir.max of i64
func.func @more_than_places(%a: tensor<3x2xi16>,
    %b: tensor<7x2xi64>,
    %c: tensor<7x2xi16>)
    -> tensor<3x2xi16> {
  %y = weir.scatter_elements %a, %b, %c : tensor<3x2xi16>, tensor<7x2xi64>, tensor<7x2xi16>
  return %y : tensor<3x2xi16>
}

// CHECK-LABEL: func.func @outside(
// CHECK: %y = weir.scatter_elements %a, %b, %c : tensor<4xf32>, tensor<9xi64>, tensor<9xf32>
// COST: outside: tensor<4xf32>, 75 flops, 140 bytes, library no cpu kernel for weir.max of i64
func.func @outside(%a: tensor<4xf32>, %b: tensor<9xi64>, %c: tensor<9xf32>)
    -> tensor<4xf32> {
  %y = weir.scatter_elements %a, %b, %c : tensor<4xf32>, tensor<9xi64>, tensor<9xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.scatter_elements %a, %b, %c : tensor<7xf64>, tensor<3xi64>, tensor<3xf64>
// COST: vector: tensor<7xf64>, 42 flops, 160 bytes, library no cpu kernel for weir.max of i64
func.func @vector(%a: tensor<7xf64>, %b: tensor<3xi64>, %c: tensor<3xf64>)
    -> tensor<7xf64> {
  %y = weir.scatter_elements %a, %b, %c : tensor<7xf64>, tensor<3xi64>, tensor<3xf64>
  return %y : tensor<7xf64>
}

// CHECK-LABEL: func.func @nothing(
// CHECK: %y = weir.scatter_elements %a, %b, %c : tensor<3x2xf32>, tensor<0x2xi64>, tensor<0x2xf32>
// COST: nothing: tensor<3x2xf32>, 0 flops, 48 bytes, library ok
func.func @nothing(%a: tensor<3x2xf32>,
    %b: tensor<0x2xi64>,
    %c: tensor<0x2xf32>)
    -> tensor<3x2xf32> {
  %y = weir.scatter_elements %a, %b, %c : tensor<3x2xf32>, tensor<0x2xi64>, tensor<0x2xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @added(
// CHECK: %y = weir.scatter_elements %a, %b, %c {reduction = "sum"} : tensor<5x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>
// COST: added: tensor<5x3xf32>, 78 flops, 192 bytes, library no cpu kernel for weir.add of i64
func.func @added(%a: tensor<5x3xf32>, %b: tensor<2x3xi64>, %c: tensor<2x3xf32>)
    -> tensor<5x3xf32> {
  %y = weir.scatter_elements %a, %b, %c {reduction = "sum"} : tensor<5x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>
  return %y : tensor<5x3xf32>
}

// CHECK-LABEL: func.func @multiplied(
// CHECK: %y = weir.scatter_elements %a, %b, %c {reduction = "product"} : tensor<3x2xi16>, tensor<7x2xi32>, tensor<7x2xi16>
// COST: multiplied: tensor<3x2xi16>, 172 flops, 108 bytes, library no cpu kernel for weir.cast of i32
func.func @multiplied(%a: tensor<3x2xi16>,
    %b: tensor<7x2xi32>,
    %c: tensor<7x2xi16>)
    -> tensor<3x2xi16> {
  %y = weir.scatter_elements %a, %b, %c {reduction = "product"} : tensor<3x2xi16>, tensor<7x2xi32>, tensor<7x2xi16>
  return %y : tensor<3x2xi16>
}

// CHECK-LABEL: func.func @largest(
// CHECK: %y = weir.scatter_elements %a, %b, %c {axis = -1 : i64, reduction = "maximum"} : tensor<2x4x3xf64>, tensor<2x4x2xi32>, tensor<2x4x2xf64>
// COST: largest: tensor<2x4x3xf64>, 246 flops, 576 bytes, library no cpu kernel for weir.cast of i32
func.func @largest(%a: tensor<2x4x3xf64>,
    %b: tensor<2x4x2xi32>,
    %c: tensor<2x4x2xf64>)
    -> tensor<2x4x3xf64> {
  %y = weir.scatter_elements %a, %b, %c {axis = -1, reduction = "maximum"} : tensor<2x4x3xf64>, tensor<2x4x2xi32>, tensor<2x4x2xf64>
  return %y : tensor<2x4x3xf64>
}

// CHECK-LABEL: func.func @smallest(
// CHECK: %y = weir.scatter_elements %a, %b, %c {axis = 2 : i64, reduction = "minimum"} : tensor<3x1x5xbf16>, tensor<2x1x4xi64>, tensor<2x1x4xbf16>
// COST: smallest: tensor<3x1x5xbf16>, 123 flops, 140 bytes, library no cpu kernel for weir.add of i64
func.func @smallest(%a: tensor<3x1x5xbf16>,
    %b: tensor<2x1x4xi64>,
    %c: tensor<2x1x4xbf16>)
    -> tensor<3x1x5xbf16> {
  %y = weir.scatter_elements %a, %b, %c {axis = 2, reduction = "minimum"} : tensor<3x1x5xbf16>, tensor<2x1x4xi64>, tensor<2x1x4xbf16>
  return %y : tensor<3x1x5xbf16>
}

// CHECK-LABEL: func.func @outside_added(
// CHECK: %y = weir.scatter_elements %a, %b, %c {reduction = "sum"} : tensor<4xf32>, tensor<9xi64>, tensor<9xf32>
// COST: outside_added: tensor<4xf32>, 108 flops, 140 bytes, library no cpu kernel for weir.add of i64
func.func @outside_added(%a: tensor<4xf32>,
    %b: tensor<9xi64>,
    %c: tensor<9xf32>)
    -> tensor<4xf32> {
  %y = weir.scatter_elements %a, %b, %c {reduction = "sum"} : tensor<4xf32>, tensor<9xi64>, tensor<9xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @half_added(
// CHECK: %y = weir.scatter_elements %a, %b, %c {reduction = "sum"} : tensor<4xf16>, tensor<9xi64>, tensor<9xf16>
// COST: half_added: tensor<4xf16>, 108 flops, 106 bytes, library no cpu kernel for weir.add of i64
func.func @half_added(%a: tensor<4xf16>, %b: tensor<9xi64>, %c: tensor<9xf16>)
    -> tensor<4xf16> {
  %y = weir.scatter_elements %a, %b, %c {reduction = "sum"} : tensor<4xf16>, tensor<9xi64>, tensor<9xf16>
  return %y : tensor<4xf16>
}

// CHECK-LABEL: func.func @nothing_added(
// CHECK: %y = weir.scatter_elements %a, %b, %c {reduction = "sum"} : tensor<3x2xf32>, tensor<0x2xi64>, tensor<0x2xf32>
// COST: nothing_added: tensor<3x2xf32>, 0 flops, 48 bytes, library ok
func.func @nothing_added(%a: tensor<3x2xf32>,
    %b: tensor<0x2xi64>,
    %c: tensor<0x2xf32>)
    -> tensor<3x2xf32> {
  %y = weir.scatter_elements %a, %b, %c {reduction = "sum"} : tensor<3x2xf32>, tensor<0x2xi64>, tensor<0x2xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @all_largest(
// CHECK: %y = weir.scatter_elements %a, %b, %c {reduction = "maximum"} : tensor<1x4xf32>, tensor<3x4xi64>, tensor<3x4xf32>
// COST: all_largest: tensor<1x4xf32>, 164 flops, 176 bytes, library no cpu kernel for weir.add of i64
func.func @all_largest(%a: tensor<1x4xf32>,
    %b: tensor<3x4xi64>,
    %c: tensor<3x4xf32>)
    -> tensor<1x4xf32> {
  %y = weir.scatter_elements %a, %b, %c {reduction = "maximum"} : tensor<1x4xf32>, tensor<3x4xi64>, tensor<3x4xf32>
  return %y : tensor<1x4xf32>
}

//--- errors.mlir
func.func @error(%a: tensor<5x3xf32>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) {
  // expected-error@below {{'weir.scatter_elements' op operand 1 expects an integer element type, found f32; insert a weir.cast}}
  weir.scatter_elements %a, %b, %c : tensor<5x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<2x3xi64>, %c: tensor<2x3xf64>) {
  // expected-error@below {{'weir.scatter_elements' op operand 2 expects element type f32 like the operands before, found f64; insert a weir.cast}}
  weir.scatter_elements %a, %b, %c : tensor<5x3xf32>, tensor<2x3xi64>, tensor<2x3xf64>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<2x4xi64>, %c: tensor<2x4xf32>) {
  // expected-error@below {{'weir.scatter_elements' op operand 1 (2x4) and operand 2 (2x4) expect one shape that fits into operand 0 (5x3) but for axis 0}}
  weir.scatter_elements %a, %b, %c : tensor<5x3xf32>, tensor<2x4xi64>, tensor<2x4xf32>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<2x3xi64>, %c: tensor<1x3xf32>) {
  // expected-error@below {{'weir.scatter_elements' op operand 1 (2x3) and operand 2 (1x3) expect one shape that fits into operand 0 (5x3) but for axis 0}}
  weir.scatter_elements %a, %b, %c : tensor<5x3xf32>, tensor<2x3xi64>, tensor<1x3xf32>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<2x3xi64>, %c: tensor<2x3xf32>) {
  // expected-error@below {{'weir.scatter_elements' op attribute 'axis' expects a value from -2 to 1, found 2}}
  weir.scatter_elements %a, %b, %c {axis = 2} : tensor<5x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>
  return
}

// -----

func.func @error(%a: tensor<5x3xf32>, %b: tensor<2x3xi64>, %c: tensor<2x3xf32>) {
  // expected-error@below {{'weir.scatter_elements' op attribute 'reduction' is 'mean', expected 'none', 'sum', 'product', 'maximum' or 'minimum'}}
  weir.scatter_elements %a, %b, %c {reduction = "mean"} : tensor<5x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>
  return
}
