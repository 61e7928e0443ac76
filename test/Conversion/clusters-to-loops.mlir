// Ops without a library kernel become functions of loops, neighbours one, and
// equal ones one for all. Where there is one loop nest, threads share it.
// RUN: graph-compile %s --emit=lowered --target-cpu=x86-64-v3,x86-64-v4 | FileCheck %s
// RUN: graph-compile %s --emit=partitioned | graph-opt --weir-lower-groups | FileCheck %s --check-prefix=CLUSTER

// CHECK-LABEL: func.func @main
// CHECK: weir.launch "generated"(%{{.*}}) {function = "y"} overwritten_by [0] : (tensor<4x8xf32>) -> tensor<4x8xf32> flops 32{{$}}
// CHECK: weir.launch "generated"(%{{.*}}) {function = "y"} overwritten_by [0] : (tensor<4x8xf32>) -> tensor<4x8xf32> flops 32{{$}}
// CHECK: module @weir_kernels_0 attributes {weir.target_cpu = "x86-64-v3"}
// CHECK: func.func @y(
// CHECK-SAME: memref<4x8xf32>, %{{[a-z0-9_]+}}: memref<4x8xf32>, %[[BEGIN:[a-z0-9_]+]]: index, %[[END:[a-z0-9_]+]]: index, %{{[a-z0-9_]+}}: memref<0xi8>)
// CHECK-SAME: weir.tasks =
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK: math.erf
// CHECK-NOT: func.func
// CHECK: module @weir_kernels_1 attributes {weir.target_cpu = "x86-64-v4"}
// CHECK: func.func @y(

// CLUSTER-LABEL: func.func @main
// CLUSTER-COUNT-2: weir.launch "generated"(%{{.*}}) {cluster = "y_1"}
// CLUSTER: module @weir_clusters
// CLUSTER: func.func private @y_1(
// CLUSTER: weir.erf
// CLUSTER-NOT: weir.erf
func.func @main(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %y = weir.erf %x : tensor<4x8xf32>
  %u = weir.erf %z : tensor<4x8xf32>
  return %y, %u : tensor<4x8xf32>, tensor<4x8xf32>
}
