// where: elements of one tensor or the other by a condition.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/where.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/where.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/where.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @same_shape(
// CHECK: %y = weir.where %c, %a, %b : tensor<3x5xi1>, tensor<3x5xf32>, tensor<3x5xf32>
// COST: same_shape: tensor<3x5xf32>, 15 flops, 195 bytes, library no cpu kernel for weir.where of i1
func.func @same_shape(%c: tensor<3x5xi1>,
    %a: tensor<3x5xf32>,
    %b: tensor<3x5xf32>)
    -> tensor<3x5xf32> {
  %y = weir.where %c, %a, %b : tensor<3x5xi1>, tensor<3x5xf32>, tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: func.func @broadcast(
// CHECK: %y = weir.where %c, %a, %b : tensor<2x1xi1>, tensor<3xbf16>, tensor<1x1xbf16>
// COST: broadcast: tensor<2x3xbf16>, 6 flops, 22 bytes, library no cpu kernel for weir.where of i1
func.func @broadcast(%c: tensor<2x1xi1>,
    %a: tensor<3xbf16>,
    %b: tensor<1x1xbf16>)
    -> tensor<2x3xbf16> {
  %y = weir.where %c, %a, %b : tensor<2x1xi1>, tensor<3xbf16>, tensor<1x1xbf16>
  return %y : tensor<2x3xbf16>
}

// CHECK-LABEL: func.func @scalars(
// CHECK: %y = weir.where %c, %a, %b : tensor<4xi1>, tensor<f64>, tensor<f64>
// COST: scalars: tensor<4xf64>, 4 flops, 52 bytes, library no cpu kernel for weir.where of i1
func.func @scalars(%c: tensor<4xi1>, %a: tensor<f64>, %b: tensor<f64>)
    -> tensor<4xf64> {
  %y = weir.where %c, %a, %b : tensor<4xi1>, tensor<f64>, tensor<f64>
  return %y : tensor<4xf64>
}

// CHECK-LABEL: func.func @i32(
// CHECK: %y = weir.where %c, %a, %b : tensor<1x3xi1>, tensor<2x1xi32>, tensor<i32>
// COST: i32: tensor<2x3xi32>, 6 flops, 39 bytes, library no cpu kernel for weir.where of i1
func.func @i32(%c: tensor<1x3xi1>, %a: tensor<2x1xi32>, %b: tensor<i32>)
    -> tensor<2x3xi32> {
  %y = weir.where %c, %a, %b : tensor<1x3xi1>, tensor<2x1xi32>, tensor<i32>
  return %y : tensor<2x3xi32>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.where %c, %a, %b : tensor<0xi1>, tensor<1xf32>, tensor<0xf32>
// COST: empty: tensor<0xf32>, 0 flops, 4 bytes, library no cpu kernel for weir.where of i1
func.func @empty(%c: tensor<0xi1>, %a: tensor<1xf32>, %b: tensor<0xf32>)
    -> tensor<0xf32> {
  %y = weir.where %c, %a, %b : tensor<0xi1>, tensor<1xf32>, tensor<0xf32>
  return %y : tensor<0xf32>
}

// CHECK-LABEL: func.func @rank0(
// CHECK: %y = weir.where %a, %b, %c : tensor<i1>, tensor<f32>, tensor<f32>
// COST: rank0: tensor<f32>, 1 flops, 13 bytes, library no cpu kernel for weir.where of i1
func.func @rank0(%a: tensor<i1>, %b: tensor<f32>, %c: tensor<f32>)
    -> tensor<f32> {
  %y = weir.where %a, %b, %c : tensor<i1>, tensor<f32>, tensor<f32>
  return %y : tensor<f32>
}

// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.where %a, %b, %c : tensor<6xi1>, tensor<6xf32>, tensor<6xf32>
// COST: nan: tensor<6xf32>, 6 flops, 78 bytes, library no cpu kernel for weir.where of i1
func.func @nan(%a: tensor<6xi1>, %b: tensor<6xf32>, %c: tensor<6xf32>)
    -> tensor<6xf32> {
  %y = weir.where %a, %b, %c : tensor<6xi1>, tensor<6xf32>, tensor<6xf32>
  return %y : tensor<6xf32>
}

//--- errors.mlir
func.func @error(%c: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error@below {{'weir.where' op operand 0 expects element type i1, found f32}}
  weir.where %c, %a, %b : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @error(%c: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error@below {{'weir.where' op operand 2 expects element type f32 like the operands before, found i32; insert a weir.cast}}
  weir.where %c, %a, %b : tensor<4xi1>, tensor<4xf32>, tensor<4xi32>
  return
}

// -----

func.func @error(%c: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<3xf32>) {
  // expected-error@below {{'weir.where' op dim 0 of operand 2 (3) is 3, expected 1 or 4}}
  weir.where %c, %a, %b : tensor<4xi1>, tensor<4xf32>, tensor<3xf32>
  return
}
