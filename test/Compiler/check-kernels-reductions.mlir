// A sum is read as it is, and once more behind reshapes that join its dims and
// divide them again. If the loops of the sum were joined, these two reads of
// one element would have different indices.
// RUN: graph-compile %s --check-kernels -o %t.weir 2>&1 | FileCheck %s
// RUN: graph-compile %s --check-kernels --devices=cuda:0 -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GPU

// CHECK: remark: checked 1 kernels for {{.*}}, 48 elements
// GPU: remark: checked 1 kernels for

func.func @main(%x: tensor<4x6x5xf32>) -> tensor<4x6xf32> {
  %sum = weir.reduce_sum %x {axes = [2], keepdims = false} : tensor<4x6x5xf32>
  %flat = weir.reshape %sum {shape = [24]} : tensor<4x6xf32>
  %abs = weir.abs %flat : tensor<24xf32>
  %divided = weir.reshape %abs {shape = [4, 6]} : tensor<24xf32>
  %exp = weir.exp %divided : tensor<4x6xf32>
  %y = weir.add %exp, %sum : tensor<4x6xf32>, tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
