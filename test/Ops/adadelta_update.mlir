// adadelta_update: AdaDelta, from the averages of squares and steps.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/adadelta_update.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/adadelta_update.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/adadelta_update.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @matrix(
// CHECK: = weir.adadelta_update %w, %g, %rate, %square, %delta : tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<3x4xf32>, tensor<3x4xf32>
// COST: matrix: tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, 192 flops, 340 bytes, library {{.*}}
func.func @matrix(%w: tensor<3x4xf32>, %g: tensor<3x4xf32>, %rate: tensor<f32>, %square: tensor<3x4xf32>, %delta: tensor<3x4xf32>)
    -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %y:3 = weir.adadelta_update %w, %g, %rate, %square, %delta : tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<3x4xf32>, tensor<3x4xf32>
  return %y#0, %y#1, %y#2 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// CHECK-LABEL: func.func @other(
// CHECK: = weir.adadelta_update %w, %g, %rate, %square, %delta {epsilon = 1.000000e-02 : f64, rho = 5.000000e-01 : f64} : tensor<5xf64>, tensor<5xf64>, tensor<f64>, tensor<5xf64>, tensor<5xf64>
// COST: other: tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, 80 flops, 288 bytes, library {{.*}}
func.func @other(%w: tensor<5xf64>, %g: tensor<5xf64>, %rate: tensor<f64>, %square: tensor<5xf64>, %delta: tensor<5xf64>)
    -> (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>) {
  %y:3 = weir.adadelta_update %w, %g, %rate, %square, %delta {epsilon = 1.000000e-02 : f64, rho = 5.000000e-01 : f64} : tensor<5xf64>, tensor<5xf64>, tensor<f64>, tensor<5xf64>, tensor<5xf64>
  return %y#0, %y#1, %y#2 : tensor<5xf64>, tensor<5xf64>, tensor<5xf64>
}

// CHECK-LABEL: func.func @unit(
// CHECK: = weir.adadelta_update %w, %g, %rate, %square, %delta {weight_decay = 2.500000e-01 : f64} : tensor<1x6xf32>, tensor<1x6xf32>, tensor<f32>, tensor<1x6xf32>, tensor<1x6xf32>
// COST: unit: tensor<1x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, 108 flops, 172 bytes, library {{.*}}
func.func @unit(%w: tensor<1x6xf32>, %g: tensor<1x6xf32>, %rate: tensor<f32>, %square: tensor<1x6xf32>, %delta: tensor<1x6xf32>)
    -> (tensor<1x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>) {
  %y:3 = weir.adadelta_update %w, %g, %rate, %square, %delta {weight_decay = 2.500000e-01 : f64} : tensor<1x6xf32>, tensor<1x6xf32>, tensor<f32>, tensor<1x6xf32>, tensor<1x6xf32>
  return %y#0, %y#1, %y#2 : tensor<1x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: = weir.adadelta_update %w, %g, %rate, %square, %delta {epsilon = 1.000000e-02 : f64} : tensor<9xbf16>, tensor<9xbf16>, tensor<bf16>, tensor<9xbf16>, tensor<9xbf16>
// COST: bf16: tensor<9xbf16>, tensor<9xbf16>, tensor<9xbf16>, 144 flops, 128 bytes, library {{.*}}
func.func @bf16(%w: tensor<9xbf16>, %g: tensor<9xbf16>, %rate: tensor<bf16>, %square: tensor<9xbf16>, %delta: tensor<9xbf16>)
    -> (tensor<9xbf16>, tensor<9xbf16>, tensor<9xbf16>) {
  %y:3 = weir.adadelta_update %w, %g, %rate, %square, %delta {epsilon = 1.000000e-02 : f64} : tensor<9xbf16>, tensor<9xbf16>, tensor<bf16>, tensor<9xbf16>, tensor<9xbf16>
  return %y#0, %y#1, %y#2 : tensor<9xbf16>, tensor<9xbf16>, tensor<9xbf16>
}

// CHECK-LABEL: func.func @empty(
// CHECK: = weir.adadelta_update %w, %g, %rate, %square, %delta : tensor<0xf32>, tensor<0xf32>, tensor<f32>, tensor<0xf32>, tensor<0xf32>
// COST: empty: tensor<0xf32>, tensor<0xf32>, tensor<0xf32>, 0 flops, 4 bytes, library {{.*}}
func.func @empty(%w: tensor<0xf32>, %g: tensor<0xf32>, %rate: tensor<f32>, %square: tensor<0xf32>, %delta: tensor<0xf32>)
    -> (tensor<0xf32>, tensor<0xf32>, tensor<0xf32>) {
  %y:3 = weir.adadelta_update %w, %g, %rate, %square, %delta : tensor<0xf32>, tensor<0xf32>, tensor<f32>, tensor<0xf32>, tensor<0xf32>
  return %y#0, %y#1, %y#2 : tensor<0xf32>, tensor<0xf32>, tensor<0xf32>
}

//--- errors.mlir
func.func @types(%w: tensor<3xf32>, %g: tensor<3xf64>, %rate: tensor<f32>, %square: tensor<3xf32>, %delta: tensor<3xf32>) {
  // expected-error@below {{'weir.adadelta_update' op operand 1 expects element type f32 like the operands before, found f64; insert a weir.cast}}
  weir.adadelta_update %w, %g, %rate, %square, %delta : tensor<3xf32>, tensor<3xf64>, tensor<f32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @shapes(%w: tensor<3xf32>, %g: tensor<1xf32>, %rate: tensor<f32>, %square: tensor<3xf32>, %delta: tensor<3xf32>) {
  // expected-error@below {{'weir.adadelta_update' op expects operand 1 of the parameter's type 'tensor<3xf32>', found 'tensor<1xf32>'}}
  weir.adadelta_update %w, %g, %rate, %square, %delta : tensor<3xf32>, tensor<1xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @rate(%w: tensor<3xf32>, %g: tensor<3xf32>, %rate: tensor<3xf32>, %square: tensor<3xf32>, %delta: tensor<3xf32>) {
  // expected-error@below {{'weir.adadelta_update' op expects a scalar as operand 2, found 'tensor<3xf32>'}}
  weir.adadelta_update %w, %g, %rate, %square, %delta : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @more_state(%w: tensor<3xf32>, %g: tensor<3xf32>, %rate: tensor<f32>, %square: tensor<3xf32>, %delta: tensor<3xf32>) {
  // expected-error@below {{'weir.adadelta_update' op expects 2 tensors behind the scalars: square_avg, acc_delta, found 3}}
  "weir.adadelta_update"(%w, %g, %rate, %square, %delta, %g) : (tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @number(%w: tensor<3xf32>, %g: tensor<3xf32>, %rate: tensor<f32>, %square: tensor<3xf32>, %delta: tensor<3xf32>) {
  // expected-error@below {{'weir.adadelta_update' op 'rho' expects a number from 0 to below 1, found -1}}
  weir.adadelta_update %w, %g, %rate, %square, %delta {rho = -1.0} : tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>
  return
}
