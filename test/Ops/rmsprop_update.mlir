// rmsprop_update: RMSProp, with or without centering and momentum.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/rmsprop_update.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/rmsprop_update.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/rmsprop_update.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @matrix(
// CHECK: = weir.rmsprop_update %w, %g, %rate, %square : tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<3x4xf32>
// COST: matrix: tensor<3x4xf32>, tensor<3x4xf32>, 108 flops, 244 bytes, library {{.*}}
func.func @matrix(%w: tensor<3x4xf32>, %g: tensor<3x4xf32>, %rate: tensor<f32>, %square: tensor<3x4xf32>)
    -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %y:2 = weir.rmsprop_update %w, %g, %rate, %square : tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<3x4xf32>
  return %y#0, %y#1 : tensor<3x4xf32>, tensor<3x4xf32>
}

// CHECK-LABEL: func.func @inside(
// CHECK: = weir.rmsprop_update %w, %g, %rate, %square {epsilon = 1.000000e-02 : f64, epsilon_inside = true, rho = 5.000000e-01 : f64} : tensor<5xf64>, tensor<5xf64>, tensor<f64>, tensor<5xf64>
// COST: inside: tensor<5xf64>, tensor<5xf64>, 45 flops, 208 bytes, library {{.*}}
func.func @inside(%w: tensor<5xf64>, %g: tensor<5xf64>, %rate: tensor<f64>, %square: tensor<5xf64>)
    -> (tensor<5xf64>, tensor<5xf64>) {
  %y:2 = weir.rmsprop_update %w, %g, %rate, %square {epsilon = 1.000000e-02 : f64, epsilon_inside = true, rho = 5.000000e-01 : f64} : tensor<5xf64>, tensor<5xf64>, tensor<f64>, tensor<5xf64>
  return %y#0, %y#1 : tensor<5xf64>, tensor<5xf64>
}

// CHECK-LABEL: func.func @centered(
// CHECK: = weir.rmsprop_update %w, %g, %rate, %square, %average {centered = true} : tensor<1x6xf32>, tensor<1x6xf32>, tensor<f32>, tensor<1x6xf32>, tensor<1x6xf32>
// COST: centered: tensor<1x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, 90 flops, 172 bytes, library {{.*}}
func.func @centered(%w: tensor<1x6xf32>, %g: tensor<1x6xf32>, %rate: tensor<f32>, %square: tensor<1x6xf32>, %average: tensor<1x6xf32>)
    -> (tensor<1x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>) {
  %y:3 = weir.rmsprop_update %w, %g, %rate, %square, %average {centered = true} : tensor<1x6xf32>, tensor<1x6xf32>, tensor<f32>, tensor<1x6xf32>, tensor<1x6xf32>
  return %y#0, %y#1, %y#2 : tensor<1x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>
}

// CHECK-LABEL: func.func @momentum(
// CHECK: = weir.rmsprop_update %w, %g, %rate, %square, %buffer {momentum = 5.000000e-01 : f64} : tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2x3xf32>, tensor<2x3xf32>
// COST: momentum: tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, 66 flops, 172 bytes, library {{.*}}
func.func @momentum(%w: tensor<2x3xf32>, %g: tensor<2x3xf32>, %rate: tensor<f32>, %square: tensor<2x3xf32>, %buffer: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %y:3 = weir.rmsprop_update %w, %g, %rate, %square, %buffer {momentum = 5.000000e-01 : f64} : tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2x3xf32>, tensor<2x3xf32>
  return %y#0, %y#1, %y#2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @both(
// CHECK: = weir.rmsprop_update %w, %g, %rate, %square, %average, %buffer {centered = true, momentum = 5.000000e-01 : f64, rate_inside = true} : tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
// COST: both: tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, 102 flops, 220 bytes, library {{.*}}
func.func @both(%w: tensor<2x3xf32>, %g: tensor<2x3xf32>, %rate: tensor<f32>, %square: tensor<2x3xf32>, %average: tensor<2x3xf32>, %buffer: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %y:4 = weir.rmsprop_update %w, %g, %rate, %square, %average, %buffer {centered = true, momentum = 5.000000e-01 : f64, rate_inside = true} : tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  return %y#0, %y#1, %y#2, %y#3 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @decay(
// CHECK: = weir.rmsprop_update %w, %g, %rate, %square {weight_decay = 2.500000e-01 : f64} : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>
// COST: decay: tensor<4xf32>, tensor<4xf32>, 44 flops, 84 bytes, library {{.*}}
func.func @decay(%w: tensor<4xf32>, %g: tensor<4xf32>, %rate: tensor<f32>, %square: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %y:2 = weir.rmsprop_update %w, %g, %rate, %square {weight_decay = 2.500000e-01 : f64} : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @empty(
// CHECK: = weir.rmsprop_update %w, %g, %rate, %square : tensor<0xf32>, tensor<0xf32>, tensor<f32>, tensor<0xf32>
// COST: empty: tensor<0xf32>, tensor<0xf32>, 0 flops, 4 bytes, library {{.*}}
func.func @empty(%w: tensor<0xf32>, %g: tensor<0xf32>, %rate: tensor<f32>, %square: tensor<0xf32>)
    -> (tensor<0xf32>, tensor<0xf32>) {
  %y:2 = weir.rmsprop_update %w, %g, %rate, %square : tensor<0xf32>, tensor<0xf32>, tensor<f32>, tensor<0xf32>
  return %y#0, %y#1 : tensor<0xf32>, tensor<0xf32>
}

//--- errors.mlir
func.func @types(%w: tensor<3xf32>, %g: tensor<3xf64>, %rate: tensor<f32>, %square: tensor<3xf32>) {
  // expected-error@below {{'weir.rmsprop_update' op operand 1 expects element type f32 like the operands before, found f64; insert a weir.cast}}
  weir.rmsprop_update %w, %g, %rate, %square : tensor<3xf32>, tensor<3xf64>, tensor<f32>, tensor<3xf32>
  return
}

// -----

func.func @shapes(%w: tensor<3xf32>, %g: tensor<1xf32>, %rate: tensor<f32>, %square: tensor<3xf32>) {
  // expected-error@below {{'weir.rmsprop_update' op expects operand 1 of the parameter's type 'tensor<3xf32>', found 'tensor<1xf32>'}}
  weir.rmsprop_update %w, %g, %rate, %square : tensor<3xf32>, tensor<1xf32>, tensor<f32>, tensor<3xf32>
  return
}

// -----

func.func @rate(%w: tensor<3xf32>, %g: tensor<3xf32>, %rate: tensor<3xf32>, %square: tensor<3xf32>) {
  // expected-error@below {{'weir.rmsprop_update' op expects a scalar as operand 2, found 'tensor<3xf32>'}}
  weir.rmsprop_update %w, %g, %rate, %square : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @more_state(%w: tensor<3xf32>, %g: tensor<3xf32>, %rate: tensor<f32>, %square: tensor<3xf32>) {
  // expected-error@below {{'weir.rmsprop_update' op expects 1 tensors behind the scalars: square_avg, found 2}}
  "weir.rmsprop_update"(%w, %g, %rate, %square, %g) : (tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @number(%w: tensor<3xf32>, %g: tensor<3xf32>, %rate: tensor<f32>, %square: tensor<3xf32>) {
  // expected-error@below {{'weir.rmsprop_update' op 'rho' expects a number from 0 to below 1, found 1.5}}
  weir.rmsprop_update %w, %g, %rate, %square {rho = 1.5} : tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>
  return
}
