// Warnings about ops that compute what is hardly meant.
// RUN: graph-opt %s --weir-verify-phase=phase=bound -split-input-file \
// RUN:   -verify-diagnostics | FileCheck %s

// Each loss compares one prediction with three targets.
func.func @predictions(%x: tensor<8x1xf32>, %t: tensor<8x3xf32>) -> tensor<8x3xf32> {
  // expected-warning@below {{'weir.squared_error' op repeats operand 0 (8x1) to 8x3, since operand 1 is 8x3; give both one shape, or repeat it with weir.expand {shape = [8, 3]} if this is meant}}
  %y = weir.squared_error %x, %t : tensor<8x1xf32>, tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}

// -----

func.func @targets(%x: tensor<8x3xf32>, %t: tensor<3xf32>) -> tensor<8x3xf32> {
  // expected-warning@below {{'weir.huber' op repeats operand 1 (3) to 8x3, since operand 0 is 8x3}}
  %y = weir.huber %x, %t : tensor<8x3xf32>, tensor<3xf32>
  return %y : tensor<8x3xf32>
}

// -----

// One number for all is a target that needs no warning, and so does a repetition
// that is written.
// CHECK-LABEL: @meant(
func.func @meant(%x: tensor<8x3xf32>, %one: tensor<1xf32>, %t: tensor<3xf32>, %u: tensor<1x8x3xf32>)
    -> (tensor<8x3xf32>, tensor<8x3xf32>, tensor<1x8x3xf32>) {
  %a = weir.sigmoid_cross_entropy %x, %one : tensor<8x3xf32>, tensor<1xf32>
  %all = weir.expand %t {shape = [8, 3]} : tensor<3xf32>
  %b = weir.absolute_error %x, %all : tensor<8x3xf32>, tensor<8x3xf32>
  %c = weir.absolute_error %x, %u : tensor<8x3xf32>, tensor<1x8x3xf32>
  return %a, %b, %c : tensor<8x3xf32>, tensor<8x3xf32>, tensor<1x8x3xf32>
}

// -----

func.func @twice(%x: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %p = weir.softmax %x {axis = 1} : tensor<8x3xf32>
  // expected-warning@below {{'weir.softmax' op applies softmax to 'p', which is the result of a softmax already; give it 'x', the operand of that one}}
  %q = weir.softmax %p : tensor<8x3xf32>
  return %q : tensor<8x3xf32>
}

// -----

func.func @loss(%x: tensor<8x3xf32>, %t: tensor<8xi64>) -> tensor<8xf32> {
  %p = weir.softmax %x : tensor<8x3xf32>
  // expected-warning@below {{'weir.sparse_softmax_cross_entropy' op applies softmax to 'p', which}}
  %y = weir.sparse_softmax_cross_entropy %p, %t : tensor<8x3xf32>, tensor<8xi64>
  return %y : tensor<8xf32>
}

// -----

func.func @binary(%x: tensor<8xf32>, %t: tensor<8xf32>) -> tensor<8xf32> {
  %p = weir.sigmoid %x : tensor<8xf32>
  // expected-warning@below {{'weir.sigmoid_cross_entropy' op applies sigmoid to 'p', which}}
  %y = weir.sigmoid_cross_entropy %p, %t : tensor<8xf32>, tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// Along other axes, or behind another op, a softmax may follow.
// CHECK-LABEL: @apart(
func.func @apart(%x: tensor<8x3xf32>, %t: tensor<8xf32>) -> (tensor<8x3xf32>, tensor<8x3xf32>) {
  %p = weir.softmax %x {axis = 0} : tensor<8x3xf32>
  %q = weir.softmax %p {axis = 1} : tensor<8x3xf32>
  %e = weir.exp %q : tensor<8x3xf32>
  %r = weir.log_softmax %e : tensor<8x3xf32>
  return %q, %r : tensor<8x3xf32>, tensor<8x3xf32>
}

// -----

func.func @limits(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-warning@below {{'weir.clip' op attribute 'min' (6) is more than 'max' (0.5), so every element becomes 0.5; exchange the two}}
  %y = weir.clip %x {min = 6, max = 0.5} : tensor<8xf32>
  %z = weir.clip %x {min = 1, max = 1} : tensor<8xf32>
  return %y, %z : tensor<8xf32>, tensor<8xf32>
}
