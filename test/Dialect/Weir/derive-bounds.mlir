// What a value takes is that of the ops that it needs, each counted once. A
// product of 6.0e8 flops that two ops share is derived; one of 1.2e9 is not.
// RUN: graph-opt %s --weir-lift-parameters --weir-derive-parameters | FileCheck %s

weir.parameter @w : tensor<670x670xf32> = dense<0.5> : tensor<670x670xf32>
weir.parameter @v : tensor<670x1340xf32> = dense<0.5> : tensor<670x1340xf32>

// CHECK: weir.not_derived = {costly = "takes more than 1073741824 flops", late = "takes more than 1073741824 flops"}

// CHECK: weir.derived @shared : tensor<670x670xf32> {
// CHECK: weir.matmul
// CHECK: weir.neg
// CHECK: weir.add
// CHECK: weir.yield
// CHECK-NOT: weir.derived
func.func @main() -> (tensor<670x670xf32>, tensor<670x1340xf32>) {
  %w = weir.read @w : tensor<670x670xf32>
  %v = weir.read @v : tensor<670x1340xf32>
  %p = weir.matmul %w, %w : tensor<670x670xf32>, tensor<670x670xf32>
  %n = weir.neg %p : tensor<670x670xf32>
  %shared = weir.add %p, %n : tensor<670x670xf32>, tensor<670x670xf32>
  %costly = weir.matmul %w, %v : tensor<670x670xf32>, tensor<670x1340xf32>
  %late = weir.neg %costly : tensor<670x1340xf32>
  return %shared, %late : tensor<670x670xf32>, tensor<670x1340xf32>
}
