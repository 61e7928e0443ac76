// Only an operand and the result that lies in its bytes can alias.
// RUN: graph-compile %s --emit=llvm --target-cpu=x86-64-v3 | FileCheck %s

weir.parameter @w : tensor<4x8xf32> = dense<1.0> : tensor<4x8xf32>

// CHECK: define internal void @updated.body(ptr noalias %0, ptr %1, ptr %2, i64
// CHECK: define internal void @y.body(ptr noalias %0, ptr noalias %1, i64
func.func @main(%g: tensor<4x8xf32>, %x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %w = weir.read @w : tensor<4x8xf32>
  %updated = weir.sub %g, %w : tensor<4x8xf32>, tensor<4x8xf32>
  weir.assign @w, %updated : tensor<4x8xf32>
  %y = weir.erf %x : tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
