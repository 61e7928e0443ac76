// A null device stands in for a CPU: its program is the CPU's.

// RUN: graph-compile %s --devices=cpu:0 --emit=exec | FileCheck %s
// RUN: graph-compile %s --devices=null:0 --emit=exec | FileCheck %s

// CHECK: exec.launch "m" by "matmul"
// CHECK-NOT: exec.launch
func.func @main(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %m = weir.matmul %x, %w : tensor<32x32xf32>, tensor<32x32xf32>
  %y = weir.relu %m : tensor<32x32xf32>
  return %y : tensor<32x32xf32>
}
