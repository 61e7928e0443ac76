// concat: tensors one behind the other along an axis.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/concat.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/concat.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/concat.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @rows(
// CHECK: %y = weir.concat %a, %b {axis = 0 : i64} : tensor<2x3xf32>, tensor<1x3xf32>
// COST: rows: tensor<3x3xf32>, 0 flops, 72 bytes, library ok
func.func @rows(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> tensor<3x3xf32> {
  %y = weir.concat %a, %b {axis = 0} : tensor<2x3xf32>, tensor<1x3xf32>
  return %y : tensor<3x3xf32>
}

// CHECK-LABEL: func.func @channels(
// CHECK: %y = weir.concat %x, %w, %b {axis = 1 : i64} : tensor<1x2x2x3xf32>, tensor<1x1x2x3xf32>, tensor<1x3x2x3xf32>
// COST: channels: tensor<1x6x2x3xf32>, 0 flops, 288 bytes, library ok
func.func @channels(%x: tensor<1x2x2x3xf32>,
    %w: tensor<1x1x2x3xf32>,
    %b: tensor<1x3x2x3xf32>)
    -> tensor<1x6x2x3xf32> {
  %y = weir.concat %x, %w, %b {axis = 1} : tensor<1x2x2x3xf32>, tensor<1x1x2x3xf32>, tensor<1x3x2x3xf32>
  return %y : tensor<1x6x2x3xf32>
}

// CHECK-LABEL: func.func @last(
// CHECK: %y = weir.concat %a, %b {axis = -1 : i64} : tensor<2x1xbf16>, tensor<2x4xbf16>
// COST: last: tensor<2x5xbf16>, 0 flops, 40 bytes, library ok
func.func @last(%a: tensor<2x1xbf16>, %b: tensor<2x4xbf16>)
    -> tensor<2x5xbf16> {
  %y = weir.concat %a, %b {axis = -1} : tensor<2x1xbf16>, tensor<2x4xbf16>
  return %y : tensor<2x5xbf16>
}

// CHECK-LABEL: func.func @one(
// CHECK: %y = weir.concat %x {axis = 0 : i64} : tensor<3xf32>
// COST: one: tensor<3xf32>, 0 flops, 24 bytes, library ok
func.func @one(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = weir.concat %x {axis = 0} : tensor<3xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: func.func @u8(
// CHECK: %y = weir.concat %a, %b {axis = 1 : i64} : tensor<2x2xui8>, tensor<2x1xui8>
// COST: u8: tensor<2x3xui8>, 0 flops, 12 bytes, library no cpu kernel for weir.concat of u8
func.func @u8(%a: tensor<2x2xui8>, %b: tensor<2x1xui8>) -> tensor<2x3xui8> {
  %y = weir.concat %a, %b {axis = 1} : tensor<2x2xui8>, tensor<2x1xui8>
  return %y : tensor<2x3xui8>
}

// CHECK-LABEL: func.func @with_empty(
// CHECK: %y = weir.concat %a, %b {axis = 0 : i64} : tensor<0x3xf32>, tensor<2x3xf32>
// COST: with_empty: tensor<2x3xf32>, 0 flops, 48 bytes, library ok
func.func @with_empty(%a: tensor<0x3xf32>, %b: tensor<2x3xf32>)
    -> tensor<2x3xf32> {
  %y = weir.concat %a, %b {axis = 0} : tensor<0x3xf32>, tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

//--- errors.mlir
func.func @error(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{'weir.concat' op operand 1 (2x4) expects the shape of operand 0 (2x3) but for axis 0}}
  weir.concat %a, %b {axis = 0} : tensor<2x3xf32>, tensor<2x4xf32>
  return
}

// -----

func.func @error(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@below {{'weir.concat' op operand 1 (3) expects the shape of operand 0 (2x3) but for axis 0}}
  weir.concat %a, %b {axis = 0} : tensor<2x3xf32>, tensor<3xf32>
  return
}

// -----

func.func @error(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@below {{'weir.concat' op attribute 'axis' expects a value from -2 to 1, found 2}}
  weir.concat %a, %b {axis = 2} : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @error(%a: tensor<2x3xf32>, %b: tensor<2x3xbf16>) {
  // expected-error@below {{'weir.concat' op operand 1 expects element type f32 like the operands before, found bf16; insert a weir.cast}}
  weir.concat %a, %b {axis = 0} : tensor<2x3xf32>, tensor<2x3xbf16>
  return
}

// -----

func.func @error(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@below {{'weir.concat' requires attribute 'axis'}}
  weir.concat %a, %b : tensor<2x3xf32>, tensor<2x3xf32>
  return
}
