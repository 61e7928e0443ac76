// random_normal: random numbers of a normal distribution.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/random_normal.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/random_normal.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/random_normal.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @matrix(
// CHECK: %y = weir.random_normal %s {shape = [3, 5], stream = 2 : i64, type = f32} : tensor<i64>
// COST: matrix: tensor<3x5xf32>, 2115 flops, 68 bytes, library {{.*}}
func.func @matrix(%s: tensor<i64>) -> tensor<3x5xf32> {
  %y = weir.random_normal %s {shape = [3, 5], type = f32, stream = 2} : tensor<i64>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: func.func @moved(
// CHECK: %y = weir.random_normal %s {mean = -2.000000e+00 : f64, scale = 3.000000e+00 : f64, shape = [4, 2, 3], stream = 2 : i64, type = f32} : tensor<i64>
// COST: moved: tensor<4x2x3xf32>, 3504 flops, 104 bytes, library {{.*}}
func.func @moved(%s: tensor<i64>) -> tensor<4x2x3xf32> {
  %y = weir.random_normal %s {shape = [4, 2, 3], type = f32, mean = -2.0, scale = 3.0, stream = 2} : tensor<i64>
  return %y : tensor<4x2x3xf32>
}

// CHECK-LABEL: func.func @seeded(
// CHECK: %y = weir.random_normal %s {seed = -12 : i64, shape = [33], stream = 5 : i64, type = f64} : tensor<i32>
// COST: seeded: tensor<33xf64>, 4521 flops, 268 bytes, library {{.*}}
func.func @seeded(%s: tensor<i32>) -> tensor<33xf64> {
  %y = weir.random_normal %s {shape = [33], type = f64, seed = -12, stream = 5} : tensor<i32>
  return %y : tensor<33xf64>
}

// CHECK-LABEL: func.func @huge_step(
// CHECK: %y = weir.random_normal %s {shape = [7], stream = 2 : i64, type = f32} : tensor<i64>
// COST: huge_step: tensor<7xf32>, 959 flops, 36 bytes, library {{.*}}
func.func @huge_step(%s: tensor<i64>) -> tensor<7xf32> {
  %y = weir.random_normal %s {shape = [7], type = f32, stream = 2} : tensor<i64>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.random_normal %s {shape = [2, 6], stream = 2 : i64, type = f16} : tensor<ui8>
// COST: half: tensor<2x6xf16>, 1692 flops, 25 bytes, library {{.*}}
func.func @half(%s: tensor<ui8>) -> tensor<2x6xf16> {
  %y = weir.random_normal %s {shape = [2, 6], type = f16, stream = 2} : tensor<ui8>
  return %y : tensor<2x6xf16>
}

// CHECK-LABEL: func.func @small(
// CHECK: %y = weir.random_normal %s {shape = [2, 6], stream = 2 : i64, type = bf16} : tensor<ui64>
// COST: small: tensor<2x6xbf16>, 1692 flops, 32 bytes, library {{.*}}
func.func @small(%s: tensor<ui64>) -> tensor<2x6xbf16> {
  %y = weir.random_normal %s {shape = [2, 6], type = bf16, stream = 2} : tensor<ui64>
  return %y : tensor<2x6xbf16>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.random_normal %s {shape = [], stream = 1 : i64, type = f32} : tensor<i64>
// COST: scalar: tensor<f32>, 137 flops, 12 bytes, library {{.*}}
func.func @scalar(%s: tensor<i64>) -> tensor<f32> {
  %y = weir.random_normal %s {shape = [], type = f32, stream = 1} : tensor<i64>
  return %y : tensor<f32>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.random_normal %s {shape = [1, 4, 1], stream = 2 : i64, type = f32} : tensor<i64>
// COST: unit_dims: tensor<1x4x1xf32>, 580 flops, 24 bytes, library {{.*}}
func.func @unit_dims(%s: tensor<i64>) -> tensor<1x4x1xf32> {
  %y = weir.random_normal %s {shape = [1, 4, 1], type = f32, stream = 2} : tensor<i64>
  return %y : tensor<1x4x1xf32>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.random_normal %s {shape = [0, 3], stream = 2 : i64, type = f32} : tensor<i64>
// COST: empty: tensor<0x3xf32>, 0 flops, 8 bytes, library {{.*}}
func.func @empty(%s: tensor<i64>) -> tensor<0x3xf32> {
  %y = weir.random_normal %s {shape = [0, 3], type = f32, stream = 2} : tensor<i64>
  return %y : tensor<0x3xf32>
}

//--- errors.mlir
func.func @no_shape(%s: tensor<i64>) {
  // expected-error@below {{'weir.random_normal' requires attribute 'shape'}}
  weir.random_normal %s {type = f32} : tensor<i64>
  return
}

// -----

func.func @integers(%s: tensor<i64>) {
  // expected-error@below {{'weir.random_normal' op attribute 'type' expects a float element type, found 'i32'; cast the result instead}}
  weir.random_normal %s {shape = [2], type = i32} : tensor<i64>
  return
}

// -----

func.func @steps(%s: tensor<2xi64>) {
  // expected-error@below {{'weir.random_normal' op operand 0 (2): expects rank 0, found rank 1}}
  weir.random_normal %s {shape = [2], type = f32} : tensor<2xi64>
  return
}

// -----

func.func @float_step(%s: tensor<f32>) {
  // expected-error@below {{'weir.random_normal' op operand 0 expects an integer element type, found f32; insert a weir.cast}}
  weir.random_normal %s {shape = [2], type = f32} : tensor<f32>
  return
}

// -----

func.func @bounds(%s: tensor<i64>) {
  // expected-error@below {{'weir.random_normal' op attributes 'mean' and 'scale' expect a number and a number from 0 on, found 0.000000e+00 and -1.000000e+00}}
  weir.random_normal %s {shape = [2], type = f32, scale = -1.0} : tensor<i64>
  return
}

// -----

func.func @mean(%s: tensor<i64>) {
  // expected-error@below {{'weir.random_normal' op attributes 'mean' and 'scale' expect numbers that are finite in 'bf16', found 1.000000e+39 and 1.000000e+00; draw numbers of a wider type}}
  weir.random_normal %s {shape = [2], type = bf16, mean = 1.0e39} : tensor<i64>
  return
}

// -----

func.func @scale(%s: tensor<i64>) {
  // expected-error@below {{'weir.random_normal' op attributes 'mean' and 'scale' expect numbers that are finite in 'f16', found 0.000000e+00 and 1.000000e+05; draw numbers of a wider type}}
  weir.random_normal %s {shape = [2], type = f16, scale = 1.0e5} : tensor<i64>
  return
}

// -----

func.func @stream(%s: tensor<i64>) {
  // expected-error@below {{'weir.random_normal' op attribute 'stream' expects a number from 0 on, found -7; correct it, or leave it out to get one from the op's name}}
  weir.random_normal %s {shape = [2], type = f32, stream = -7} : tensor<i64>
  return
}
