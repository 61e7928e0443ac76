// adam_update: Adam, from the averages of gradients and squares.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/adam_update.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/adam_update.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/adam_update.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @matrix(
// CHECK: = weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v : tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<3x4xf32>, tensor<3x4xf32>
// COST: matrix: tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, 157 flops, 348 bytes, library {{.*}}
func.func @matrix(%w: tensor<3x4xf32>, %g: tensor<3x4xf32>, %rate: tensor<f32>, %c1: tensor<f32>, %c2: tensor<f32>, %m: tensor<3x4xf32>, %v: tensor<3x4xf32>)
    -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %y:3 = weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v : tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<3x4xf32>, tensor<3x4xf32>
  return %y#0, %y#1, %y#2 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// CHECK-LABEL: func.func @hat(
// CHECK: = weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v {epsilon = 1.000000e-02 : f64, epsilon_hat = true} : tensor<5xf64>, tensor<5xf64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf64>, tensor<5xf64>
// COST: hat: tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, 66 flops, 304 bytes, library {{.*}}
func.func @hat(%w: tensor<5xf64>, %g: tensor<5xf64>, %rate: tensor<f64>, %c1: tensor<f64>, %c2: tensor<f64>, %m: tensor<5xf64>, %v: tensor<5xf64>)
    -> (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>) {
  %y:3 = weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v {epsilon = 1.000000e-02 : f64, epsilon_hat = true} : tensor<5xf64>, tensor<5xf64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf64>, tensor<5xf64>
  return %y#0, %y#1, %y#2 : tensor<5xf64>, tensor<5xf64>, tensor<5xf64>
}

// CHECK-LABEL: func.func @other(
// CHECK: = weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v {beta1 = 5.000000e-01 : f64, beta2 = 7.500000e-01 : f64, weight_decay = 1.250000e-01 : f64} : tensor<1x3xf32>, tensor<1x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<1x3xf32>, tensor<1x3xf32>
// COST: other: tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, 46 flops, 96 bytes, library {{.*}}
func.func @other(%w: tensor<1x3xf32>, %g: tensor<1x3xf32>, %rate: tensor<f32>, %c1: tensor<f32>, %c2: tensor<f32>, %m: tensor<1x3xf32>, %v: tensor<1x3xf32>)
    -> (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) {
  %y:3 = weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v {beta1 = 5.000000e-01 : f64, beta2 = 7.500000e-01 : f64, weight_decay = 1.250000e-01 : f64} : tensor<1x3xf32>, tensor<1x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<1x3xf32>, tensor<1x3xf32>
  return %y#0, %y#1, %y#2 : tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>
}

// CHECK-LABEL: func.func @f16(
// CHECK: = weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v {epsilon = 1.000000e-02 : f64} : tensor<4xf16>, tensor<4xf16>, tensor<f16>, tensor<f16>, tensor<f16>, tensor<4xf16>, tensor<4xf16>
// COST: f16: tensor<4xf16>, tensor<4xf16>, tensor<4xf16>, 53 flops, 62 bytes, library {{.*}}
func.func @f16(%w: tensor<4xf16>, %g: tensor<4xf16>, %rate: tensor<f16>, %c1: tensor<f16>, %c2: tensor<f16>, %m: tensor<4xf16>, %v: tensor<4xf16>)
    -> (tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) {
  %y:3 = weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v {epsilon = 1.000000e-02 : f64} : tensor<4xf16>, tensor<4xf16>, tensor<f16>, tensor<f16>, tensor<f16>, tensor<4xf16>, tensor<4xf16>
  return %y#0, %y#1, %y#2 : tensor<4xf16>, tensor<4xf16>, tensor<4xf16>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: = weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
// COST: scalar: tensor<f32>, tensor<f32>, tensor<f32>, 14 flops, 40 bytes, library {{.*}}
func.func @scalar(%w: tensor<f32>, %g: tensor<f32>, %rate: tensor<f32>, %c1: tensor<f32>, %c2: tensor<f32>, %m: tensor<f32>, %v: tensor<f32>)
    -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %y:3 = weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  return %y#0, %y#1, %y#2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func.func @empty(
// CHECK: = weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v : tensor<0x2xf32>, tensor<0x2xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<0x2xf32>, tensor<0x2xf32>
// COST: empty: tensor<0x2xf32>, tensor<0x2xf32>, tensor<0x2xf32>, 1 flops, 12 bytes, library {{.*}}
func.func @empty(%w: tensor<0x2xf32>, %g: tensor<0x2xf32>, %rate: tensor<f32>, %c1: tensor<f32>, %c2: tensor<f32>, %m: tensor<0x2xf32>, %v: tensor<0x2xf32>)
    -> (tensor<0x2xf32>, tensor<0x2xf32>, tensor<0x2xf32>) {
  %y:3 = weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v : tensor<0x2xf32>, tensor<0x2xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<0x2xf32>, tensor<0x2xf32>
  return %y#0, %y#1, %y#2 : tensor<0x2xf32>, tensor<0x2xf32>, tensor<0x2xf32>
}

//--- errors.mlir
func.func @types(%w: tensor<3xf32>, %g: tensor<3xf64>, %rate: tensor<f32>, %c1: tensor<f32>, %c2: tensor<f32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error@below {{'weir.adam_update' op operand 1 expects element type f32 like the operands before, found f64; insert a weir.cast}}
  weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v : tensor<3xf32>, tensor<3xf64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @shapes(%w: tensor<3xf32>, %g: tensor<1xf32>, %rate: tensor<f32>, %c1: tensor<f32>, %c2: tensor<f32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error@below {{'weir.adam_update' op expects operand 1 of the parameter's type 'tensor<3xf32>', found 'tensor<1xf32>'}}
  weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v : tensor<3xf32>, tensor<1xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @rate(%w: tensor<3xf32>, %g: tensor<3xf32>, %rate: tensor<3xf32>, %c1: tensor<f32>, %c2: tensor<f32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error@below {{'weir.adam_update' op expects a scalar as operand 2, found 'tensor<3xf32>'}}
  weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @more_state(%w: tensor<3xf32>, %g: tensor<3xf32>, %rate: tensor<f32>, %c1: tensor<f32>, %c2: tensor<f32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error@below {{'weir.adam_update' op expects 2 tensors behind the scalars: exp_avg, exp_avg_sq, found 3}}
  "weir.adam_update"(%w, %g, %rate, %c1, %c2, %m, %v, %g) : (tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @number(%w: tensor<3xf32>, %g: tensor<3xf32>, %rate: tensor<f32>, %c1: tensor<f32>, %c2: tensor<f32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error@below {{'weir.adam_update' op 'beta2' expects a number from 0 to below 1, found -0.1}}
  weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v {beta2 = -0.1} : tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @number(%w: tensor<3xf32>, %g: tensor<3xf32>, %rate: tensor<f32>, %c1: tensor<f32>, %c2: tensor<f32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error@below {{'weir.adam_update' op 'epsilon' expects a number above 0, found 0}}
  weir.adam_update %w, %g, %rate, %c1, %c2, %m, %v {epsilon = 0.0} : tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>
  return
}
