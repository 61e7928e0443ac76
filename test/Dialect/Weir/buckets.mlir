// A bucket that an entry assigns stays, and its parameters are arguments. One
// that no entry assigns is a pack of what they are, where it is read.
// RUN: graph-opt %s | graph-opt | FileCheck %s --check-prefix=TEXT
// RUN: graph-opt %s -weir-lift-parameters | FileCheck %s
// RUN: graph-opt %s -weir-lift-parameters | graph-opt -weir-lift-parameters \
// RUN:   | FileCheck %s

// TEXT: weir.bucket @state : tensor<48xf32> of [@w, @b]
// TEXT: weir.bucket @fixed : tensor<32xf64> of [@c, @d]

weir.parameter @w : tensor<8x4xf32> = dense<1.0> : tensor<8x4xf32>
weir.parameter @b : tensor<3xf32> = dense<2.0> : tensor<3xf32>
weir.parameter @c : tensor<16xf64> = dense<3.0> : tensor<16xf64>
weir.parameter @d : tensor<f64> = dense<4.0> : tensor<f64>
weir.bucket @state : tensor<48xf32> of [@w, @b]
weir.bucket @fixed : tensor<32xf64> of [@c, @d]

// CHECK: weir.bucket @state
// CHECK-NOT: weir.bucket

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %state: tensor<48xf32> {weir.parameter = @state}
// CHECK-SAME: %b: tensor<3xf32> {weir.parameter = @b}
// CHECK-SAME: -> (tensor<3xf32> {weir.name = "y"}, tensor<48xf32> {weir.assigns = @state
func.func @step() -> tensor<3xf32> {
  %old = weir.read @state : tensor<48xf32>
  %b = weir.read @b : tensor<3xf32>
  %y = weir.neg %b : tensor<3xf32>
  %new = weir.neg %old : tensor<48xf32>
  weir.assign @state, %new : tensor<48xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: func.func @read(
// CHECK-SAME: %c: tensor<16xf64> {weir.parameter = @c}
// CHECK-SAME: %d: tensor<f64> {weir.parameter = @d}
// CHECK: weir.pack %c, %d : tensor<16xf64>, tensor<f64>
func.func @read() -> tensor<32xf64> {
  %all = weir.read @fixed : tensor<32xf64>
  return %all : tensor<32xf64>
}
