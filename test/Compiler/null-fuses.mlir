// A null device stands in for a CPU: its program is the CPU's.

// RUN: graph-compile %s --devices=cpu:0 --emit=exec | FileCheck %s
// RUN: graph-compile %s --devices=null:0 --emit=exec | FileCheck %s

// CHECK: exec.launch "m" by "matmul"
// CHECK-NOT: exec.launch
func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %m = weir.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32>
  %y = weir.relu %m : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
