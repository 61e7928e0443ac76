// sgd_update: gradient descent, with or without momentum.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/sgd_update.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/sgd_update.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/sgd_update.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @plain(
// CHECK: = weir.sgd_update %w, %g, %rate : tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>
// COST: plain: tensor<3x4xf32>, 24 flops, 148 bytes, library {{.*}}
func.func @plain(%w: tensor<3x4xf32>, %g: tensor<3x4xf32>, %rate: tensor<f32>)
    -> tensor<3x4xf32> {
  %y = weir.sgd_update %w, %g, %rate : tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>
  return %y : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @momentum(
// CHECK: = weir.sgd_update %w, %g, %rate, %v {momentum = 9.000000e-01 : f64} : tensor<5xf32>, tensor<5xf32>, tensor<f32>, tensor<5xf32>
// COST: momentum: tensor<5xf32>, tensor<5xf32>, 20 flops, 104 bytes, library {{.*}}
func.func @momentum(%w: tensor<5xf32>, %g: tensor<5xf32>, %rate: tensor<f32>, %v: tensor<5xf32>)
    -> (tensor<5xf32>, tensor<5xf32>) {
  %y:2 = weir.sgd_update %w, %g, %rate, %v {momentum = 9.000000e-01 : f64} : tensor<5xf32>, tensor<5xf32>, tensor<f32>, tensor<5xf32>
  return %y#0, %y#1 : tensor<5xf32>, tensor<5xf32>
}

// CHECK-LABEL: func.func @nesterov(
// CHECK: = weir.sgd_update %w, %g, %rate, %v {momentum = 5.000000e-01 : f64, nesterov = true} : tensor<2x1x3xf64>, tensor<2x1x3xf64>, tensor<f64>, tensor<2x1x3xf64>
// COST: nesterov: tensor<2x1x3xf64>, tensor<2x1x3xf64>, 36 flops, 248 bytes, library {{.*}}
func.func @nesterov(%w: tensor<2x1x3xf64>, %g: tensor<2x1x3xf64>, %rate: tensor<f64>, %v: tensor<2x1x3xf64>)
    -> (tensor<2x1x3xf64>, tensor<2x1x3xf64>) {
  %y:2 = weir.sgd_update %w, %g, %rate, %v {momentum = 5.000000e-01 : f64, nesterov = true} : tensor<2x1x3xf64>, tensor<2x1x3xf64>, tensor<f64>, tensor<2x1x3xf64>
  return %y#0, %y#1 : tensor<2x1x3xf64>, tensor<2x1x3xf64>
}

// CHECK-LABEL: func.func @rate_inside(
// CHECK: = weir.sgd_update %w, %g, %rate, %v {momentum = 9.000000e-01 : f64, rate_inside = true} : tensor<7xf32>, tensor<7xf32>, tensor<f32>, tensor<7xf32>
// COST: rate_inside: tensor<7xf32>, tensor<7xf32>, 28 flops, 144 bytes, library {{.*}}
func.func @rate_inside(%w: tensor<7xf32>, %g: tensor<7xf32>, %rate: tensor<f32>, %v: tensor<7xf32>)
    -> (tensor<7xf32>, tensor<7xf32>) {
  %y:2 = weir.sgd_update %w, %g, %rate, %v {momentum = 9.000000e-01 : f64, rate_inside = true} : tensor<7xf32>, tensor<7xf32>, tensor<f32>, tensor<7xf32>
  return %y#0, %y#1 : tensor<7xf32>, tensor<7xf32>
}

// CHECK-LABEL: func.func @nesterov_inside(
// CHECK: = weir.sgd_update %w, %g, %rate, %v {momentum = 9.000000e-01 : f64, nesterov = true, rate_inside = true} : tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2x3xf32>
// COST: nesterov_inside: tensor<2x3xf32>, tensor<2x3xf32>, 42 flops, 124 bytes, library {{.*}}
func.func @nesterov_inside(%w: tensor<2x3xf32>, %g: tensor<2x3xf32>, %rate: tensor<f32>, %v: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %y:2 = weir.sgd_update %w, %g, %rate, %v {momentum = 9.000000e-01 : f64, nesterov = true, rate_inside = true} : tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2x3xf32>
  return %y#0, %y#1 : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @decay(
// CHECK: = weir.sgd_update %w, %g, %rate, %v {momentum = 9.000000e-01 : f64, weight_decay = 2.500000e-01 : f64} : tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2x3xf32>
// COST: decay: tensor<2x3xf32>, tensor<2x3xf32>, 36 flops, 124 bytes, library {{.*}}
func.func @decay(%w: tensor<2x3xf32>, %g: tensor<2x3xf32>, %rate: tensor<f32>, %v: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %y:2 = weir.sgd_update %w, %g, %rate, %v {momentum = 9.000000e-01 : f64, weight_decay = 2.500000e-01 : f64} : tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2x3xf32>
  return %y#0, %y#1 : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @apart(
// CHECK: = weir.sgd_update %w, %g, %rate, %v {decoupled_decay = true, momentum = 9.000000e-01 : f64, weight_decay = 2.500000e-01 : f64} : tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2x3xf32>
// COST: apart: tensor<2x3xf32>, tensor<2x3xf32>, 42 flops, 124 bytes, library {{.*}}
func.func @apart(%w: tensor<2x3xf32>, %g: tensor<2x3xf32>, %rate: tensor<f32>, %v: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %y:2 = weir.sgd_update %w, %g, %rate, %v {decoupled_decay = true, momentum = 9.000000e-01 : f64, weight_decay = 2.500000e-01 : f64} : tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2x3xf32>
  return %y#0, %y#1 : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @bf16(
// CHECK: = weir.sgd_update %w, %g, %rate, %v {momentum = 9.000000e-01 : f64} : tensor<9xbf16>, tensor<9xbf16>, tensor<bf16>, tensor<9xbf16>
// COST: bf16: tensor<9xbf16>, tensor<9xbf16>, 36 flops, 92 bytes, library {{.*}}
func.func @bf16(%w: tensor<9xbf16>, %g: tensor<9xbf16>, %rate: tensor<bf16>, %v: tensor<9xbf16>)
    -> (tensor<9xbf16>, tensor<9xbf16>) {
  %y:2 = weir.sgd_update %w, %g, %rate, %v {momentum = 9.000000e-01 : f64} : tensor<9xbf16>, tensor<9xbf16>, tensor<bf16>, tensor<9xbf16>
  return %y#0, %y#1 : tensor<9xbf16>, tensor<9xbf16>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: = weir.sgd_update %w, %g, %rate, %v {momentum = 9.000000e-01 : f64} : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
// COST: scalar: tensor<f32>, tensor<f32>, 4 flops, 24 bytes, library {{.*}}
func.func @scalar(%w: tensor<f32>, %g: tensor<f32>, %rate: tensor<f32>, %v: tensor<f32>)
    -> (tensor<f32>, tensor<f32>) {
  %y:2 = weir.sgd_update %w, %g, %rate, %v {momentum = 9.000000e-01 : f64} : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  return %y#0, %y#1 : tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func.func @empty(
// CHECK: = weir.sgd_update %w, %g, %rate : tensor<0x2xf32>, tensor<0x2xf32>, tensor<f32>
// COST: empty: tensor<0x2xf32>, 0 flops, 4 bytes, library {{.*}}
func.func @empty(%w: tensor<0x2xf32>, %g: tensor<0x2xf32>, %rate: tensor<f32>)
    -> tensor<0x2xf32> {
  %y = weir.sgd_update %w, %g, %rate : tensor<0x2xf32>, tensor<0x2xf32>, tensor<f32>
  return %y : tensor<0x2xf32>
}

//--- errors.mlir
func.func @types(%w: tensor<3xf32>, %g: tensor<3xf64>, %rate: tensor<f32>) {
  // expected-error@below {{'weir.sgd_update' op operand 1 expects element type f32 like the operands before, found f64; insert a weir.cast}}
  weir.sgd_update %w, %g, %rate : tensor<3xf32>, tensor<3xf64>, tensor<f32>
  return
}

// -----

func.func @shapes(%w: tensor<3xf32>, %g: tensor<1xf32>, %rate: tensor<f32>) {
  // expected-error@below {{'weir.sgd_update' op expects operand 1 of the parameter's type 'tensor<3xf32>', found 'tensor<1xf32>'}}
  weir.sgd_update %w, %g, %rate : tensor<3xf32>, tensor<1xf32>, tensor<f32>
  return
}

// -----

func.func @rate(%w: tensor<3xf32>, %g: tensor<3xf32>, %rate: tensor<3xf32>) {
  // expected-error@below {{'weir.sgd_update' op expects a scalar as operand 2, found 'tensor<3xf32>'}}
  weir.sgd_update %w, %g, %rate : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @more_state(%w: tensor<3xf32>, %g: tensor<3xf32>, %rate: tensor<f32>) {
  // expected-error@below {{'weir.sgd_update' op expects 0 tensors behind the scalars, found 1}}
  "weir.sgd_update"(%w, %g, %rate, %g) : (tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>) -> (tensor<3xf32>)
  return
}

// -----

func.func @number(%w: tensor<3xf32>, %g: tensor<3xf32>, %rate: tensor<f32>, %v: tensor<3xf32>) {
  // expected-error@below {{'weir.sgd_update' op 'momentum' expects a number from 0 to below 1, found 1}}
  weir.sgd_update %w, %g, %rate, %v {momentum = 1.0} : tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>
  return
}

// -----

func.func @number(%w: tensor<3xf32>, %g: tensor<3xf32>, %rate: tensor<f32>) {
  // expected-error@below {{'weir.sgd_update' op 'weight_decay' expects a number from 0 on, found -0.5}}
  weir.sgd_update %w, %g, %rate {weight_decay = -0.5} : tensor<3xf32>, tensor<3xf32>, tensor<f32>
  return
}

// -----

func.func @number(%w: tensor<3xf32>, %g: tensor<3xf32>, %rate: tensor<f32>) {
  // expected-error@below {{'weir.sgd_update' op 'nesterov' and 'rate_inside' say how 'momentum' is used, which is 0; give it, or leave them out}}
  weir.sgd_update %w, %g, %rate {nesterov = true} : tensor<3xf32>, tensor<3xf32>, tensor<f32>
  return
}
