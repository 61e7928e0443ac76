// Ops on constants are computed; ops that change nothing are removed.
// RUN: graph-opt %s -split-input-file --weir-fold-constants --canonicalize | FileCheck %s

// 1.5 + 2 doubled, and a composite: softmax of two equal numbers.
// CHECK-LABEL: func.func @values
func.func @values() -> (tensor<2xf32>, tensor<2xf32>) {
  %a = weir.constant dense<[1.5, -1.0]> : tensor<2xf32>
  %b = weir.constant dense<2.0> : tensor<f32>
  %s = weir.add %a, %b : tensor<2xf32>, tensor<f32>
  %d = weir.add %s, %s : tensor<2xf32>, tensor<2xf32>
  %z = weir.mul %a, %b : tensor<2xf32>, tensor<f32>
  %e = weir.sub %z, %z : tensor<2xf32>, tensor<2xf32>
  %p = weir.softmax %e : tensor<2xf32>
  // CHECK-DAG: %d = weir.constant dense<[7.000000e+00, 2.000000e+00]>
  // CHECK-DAG: = weir.constant dense<5.000000e-01> : tensor<2xf32>
  // CHECK-NOT: weir.softmax
  return %d, %p : tensor<2xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @identities
func.func @identities(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %t = weir.transpose %x {perm = [0, 1]} : tensor<2x3xf32>
  %r = weir.reshape %t {shape = [2, 3]} : tensor<2x3xf32>
  %c = weir.cast %r {to = f32} : tensor<2x3xf32>
  // CHECK-NEXT: return %x
  return %c : tensor<2x3xf32>
}
