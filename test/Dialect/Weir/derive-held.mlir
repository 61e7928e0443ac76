// A constant of one value takes no memory, but a tensor computed from it does.
// The compiler computes none of more than 256 MiB on the way to a value, unless
// what is stored is larger.
// RUN: graph-opt %s --weir-lift-parameters --weir-derive-parameters | FileCheck %s

// CHECK: weir.not_derived = {{.*}}large = "needs a tensor of 280000000 bytes on the way, but is computed from at most 0 bytes"
// CHECK: weir.derived @small
// CHECK-NOT: weir.derived
func.func @main() -> (tensor<1xf32>, tensor<1xf32>) {
  %c = weir.constant dense<2.0> : tensor<70000000xf32>
  %d = weir.neg %c : tensor<70000000xf32>
  %large = weir.reduce_sum %d {axes = [0], keepdims = true} : tensor<70000000xf32>
  %e = weir.constant dense<2.0> : tensor<60000000xf32>
  %f = weir.neg %e : tensor<60000000xf32>
  %small = weir.reduce_sum %f {axes = [0], keepdims = true} : tensor<60000000xf32>
  return %large, %small : tensor<1xf32>, tensor<1xf32>
}
