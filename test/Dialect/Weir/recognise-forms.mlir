// Activations that exporters write as arithmetic become one op again.
// RUN: graph-opt %s -split-input-file --weir-recognise-forms | FileCheck %s

// torch's exporter writes gelu in this way, with the square root of 2 in f32.
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

// Limits are attributes. Six, and a sixth as a number that f32 rounds.
// CHECK-LABEL: func.func @hard_swish
func.func @hard_swish(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %three = weir.constant dense<3.0> : tensor<f32>
  %six = weir.constant dense<6.0> : tensor<1xf32>
  %sixth = weir.constant dense<0.166666672> : tensor<f32>
  %a = weir.add %x, %three : tensor<4xf32>, tensor<f32>
  %c = weir.clip %a {min = 0.0, max = 6.0} : tensor<4xf32>
  %m = weir.mul %x, %c : tensor<4xf32>, tensor<4xf32>
  // CHECK: %y = weir.hard_swish %x
  %y = weir.div %m, %six : tensor<4xf32>, tensor<1xf32>
  %b = weir.add %three, %x : tensor<f32>, tensor<4xf32>
  %d = weir.clip %b {min = 0.0, max = 6.0} : tensor<4xf32>
  %n = weir.mul %d, %sixth : tensor<4xf32>, tensor<f32>
  // CHECK-NEXT: %z = weir.hard_swish %x
  %z = weir.mul %n, %x : tensor<4xf32>, tensor<4xf32>
  %h = weir.hard_sigmoid %x {alpha = 0.16666666666666666} : tensor<4xf32>
  // CHECK-NEXT: %w = weir.hard_swish %x
  %w = weir.mul %h, %x : tensor<4xf32>, tensor<4xf32>
  // CHECK-NEXT: %fifth = weir.hard_sigmoid %x
  // CHECK-NEXT: %no = weir.mul %fifth, %x
  %fifth = weir.hard_sigmoid %x {alpha = 0.2} : tensor<4xf32>
  %no = weir.mul %fifth, %x : tensor<4xf32>, tensor<4xf32>
  return %y, %z, %w, %no : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Small powers become products, which run on the device of the power.
// CHECK-LABEL: func.func @powers
func.func @powers(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>) {
  %two = weir.constant dense<2.0> : tensor<f32>
  %three = weir.constant dense<3.0> : tensor<f32>
  %half = weir.constant dense<0.5> : tensor<f32>
  %nearly = weir.constant dense<2.0000002> : tensor<f32>
  %differ = weir.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %twos = weir.constant dense<2.0> : tensor<2x4xf32>
  // CHECK: %y = weir.mul %x, %x
  %y = weir.pow %x, %two : tensor<4xf32>, tensor<f32>
  // CHECK-NEXT: %[[SQUARE:.*]] = weir.mul %x, %x on "cpu:1"
  // CHECK-NEXT: %{{.*}} = weir.mul %[[SQUARE]], %x on "cpu:1"
  %z = weir.pow %x, %three on "cpu:1" : tensor<4xf32>, tensor<f32>
  // The square roots of -0 and of negative infinity are not their powers.
  // CHECK-NEXT: weir.pow
  %w = weir.pow %x, %half : tensor<4xf32>, tensor<f32>
  // An exponent that is nearly whole, several, and one that widens the result.
  // CHECK-NEXT: weir.pow
  // CHECK-NEXT: weir.pow
  // CHECK-NEXT: weir.pow
  %v = weir.pow %x, %nearly : tensor<4xf32>, tensor<f32>
  %u = weir.pow %x, %differ : tensor<4xf32>, tensor<4xf32>
  %t = weir.pow %x, %twos : tensor<4xf32>, tensor<2x4xf32>
  return %y, %z, %w, %v, %u, %t
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>
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
