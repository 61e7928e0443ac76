// Activations that exporters write out as arithmetic are one op again.
// RUN: graph-opt %s -split-input-file --weir-recognise-forms | FileCheck %s

// torch's exporter writes gelu so, with the square root of 2 in f32.
// CHECK-LABEL: func.func @gelu
func.func @gelu(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %root = weir.constant dense<1.4142135381698608> : tensor<f32>
  %one = weir.constant dense<1.0> : tensor<f32>
  %half = weir.constant dense<0.5> : tensor<f32>
  %d = weir.div %x, %root : tensor<2x3xf32>, tensor<f32>
  %e = weir.erf %d : tensor<2x3xf32>
  %a = weir.add %e, %one : tensor<2x3xf32>, tensor<f32>
  %m = weir.mul %x, %a : tensor<2x3xf32>, tensor<2x3xf32>
  // CHECK: %y = weir.gelu %x : tensor<2x3xf32>
  // CHECK-NEXT: return %y
  %y = weir.mul %m, %half : tensor<2x3xf32>, tensor<f32>
  return %y : tensor<2x3xf32>
}

// -----

// Sums and products in any order.
// CHECK-LABEL: func.func @orders
func.func @orders(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = weir.constant dense<0.70710678> : tensor<f32>
  %one = weir.constant dense<1.0> : tensor<f32>
  %half = weir.constant dense<0.5> : tensor<f32>
  %d = weir.mul %root, %x : tensor<f32>, tensor<4xf32>
  %e = weir.erf %d : tensor<4xf32>
  %a = weir.add %one, %e : tensor<f32>, tensor<4xf32>
  %h = weir.mul %half, %x : tensor<f32>, tensor<4xf32>
  // CHECK: %y = weir.gelu %x : tensor<4xf32>
  %y = weir.mul %a, %h : tensor<4xf32>, tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @silu
func.func @silu(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = weir.sigmoid %x : tensor<4xf32>
  // CHECK: %y = weir.silu %x
  %y = weir.mul %s, %x : tensor<4xf32>, tensor<4xf32>
  %p = weir.softplus %x : tensor<4xf32>
  %t = weir.tanh %p : tensor<4xf32>
  // CHECK-NEXT: %m = weir.mish %x
  %m = weir.mul %x, %t : tensor<4xf32>, tensor<4xf32>
  // CHECK-NEXT: return %y, %m
  return %y, %m : tensor<4xf32>, tensor<4xf32>
}

// -----

// Another constant, another reader of a part, another operand, another device,
// and a result of another shape are no gelu or silu.
// CHECK-LABEL: func.func @others
// CHECK-NOT: weir.gelu
// CHECK-NOT: weir.silu
func.func @others(%x: tensor<4xf32>, %z: tensor<4xf32>, %w: tensor<2x4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %root = weir.constant dense<1.4142> : tensor<f32>
  %one = weir.constant dense<1.0> : tensor<f32>
  %half = weir.constant dense<0.5> : tensor<f32>
  %d = weir.div %x, %root : tensor<4xf32>, tensor<f32>
  %e = weir.erf %d : tensor<4xf32>
  %a = weir.add %e, %one : tensor<4xf32>, tensor<f32>
  %m = weir.mul %x, %a : tensor<4xf32>, tensor<4xf32>
  %y = weir.mul %m, %half : tensor<4xf32>, tensor<f32>
  %s = weir.sigmoid %x : tensor<4xf32>
  %read = weir.mul %s, %x : tensor<4xf32>, tensor<4xf32>
  %t = weir.sigmoid %x {stage = 2} : tensor<4xf32>
  %other = weir.mul %t, %z : tensor<4xf32>, tensor<4xf32>
  %u = weir.sigmoid %z on "cpu:1" : tensor<4xf32>
  %there = weir.mul %u, %z : tensor<4xf32>, tensor<4xf32>
  return %y, %read, %s, %other, %there, %z : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
