// The kernels of one cluster share its flops: a long sum of 2^18 additions is a
// kernel that adds tiles, and one that adds their few sums.
// RUN: graph-compile %s --emit=lowered --target-cpu=x86-64-v3 | FileCheck %s

// CHECK: weir.launch "generated"{{.*}} flops [[#TILES:]]{{$}}
// CHECK: weir.launch "generated"{{.*}} flops [[#262144-TILES]]{{$}}
func.func @main(%x: tensor<262144xf32>) -> tensor<f32> {
  %y = weir.reduce_sum %x {axes = [0], keepdims = false} : tensor<262144xf32>
  return %y : tensor<f32>
}
