// Transposes in front of products and behind them move no bytes where the
// device's kernels read and write such layouts. On the CPU they are launches.
// REQUIRES: cuda-plugin
// RUN: graph-compile %s --devices=cuda:0 --emit=lowered | FileCheck %s
// RUN: graph-compile %s --devices=cpu:0 --emit=lowered \
// RUN:   | FileCheck %s --check-prefix=CPU

// The heads of attention: four transposes, of which no launch is left.
// CHECK-LABEL: func.func @heads
// CHECK-NOT: weir.launch "generated"
// CHECK: weir.launch "matmul"
// CHECK-SAME: (tensor<1x12x128x64xf32, #weir.layout<[0, 2, 1, 3]>>, tensor<1x12x64x128xf32, #weir.layout<[0, 3, 1, 2]>>) -> tensor<1x12x128x128xf32>
// CHECK-NOT: weir.launch "generated"
// CHECK: weir.launch "generated"({{.*}} {function = "p.gpu"}
// CHECK-NOT: weir.launch "generated"
// CHECK: weir.launch "matmul"
// CHECK-SAME: (tensor<1x12x128x128xf32>, tensor<1x12x128x64xf32, #weir.layout<[0, 2, 1, 3]>>) -> tensor<1x12x128x64xf32, #weir.layout<[0, 2, 1, 3]>>
// CHECK-NOT: weir.launch
// CHECK: weir.view {{.*}} -> tensor<1x128x12x64xf32>
// CHECK-LABEL: func.func @others
// CPU-LABEL: func.func @heads
// CPU-COUNT-5: weir.launch "generated"
// CPU-LABEL: func.func @others
func.func @heads(%q: tensor<1x128x12x64xf32>, %k: tensor<1x128x12x64xf32>, %v: tensor<1x128x12x64xf32>) -> tensor<1x128x768xf32> {
  %qt = weir.transpose %q {perm = [0, 2, 1, 3]} : tensor<1x128x12x64xf32>
  %kt = weir.transpose %k {perm = [0, 2, 3, 1]} : tensor<1x128x12x64xf32>
  %vt = weir.transpose %v {perm = [0, 2, 1, 3]} : tensor<1x128x12x64xf32>
  %s = weir.matmul %qt, %kt : tensor<1x12x128x64xf32>, tensor<1x12x64x128xf32>
  %p = weir.softmax %s : tensor<1x12x128x128xf32>
  %c = weir.matmul %p, %vt : tensor<1x12x128x128xf32>, tensor<1x12x128x64xf32>
  %ct = weir.transpose %c {perm = [0, 2, 1, 3]} : tensor<1x12x128x64xf32>
  %y = weir.reshape %ct {shape = [1, 128, 768]} : tensor<1x128x12x64xf32>
  return %y : tensor<1x128x768xf32>
}

// A transpose stays where another op reads it too, where the caller does, and
// where rows would not lie side by side; so does one behind a product that
// somebody else reads.
// CHECK: weir.launch "generated"({{.*}} {function = "e.gpu"}
// CHECK: weir.launch "matmul"({{.*}} (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
// CHECK: weir.launch "generated"({{.*}} {function = "u.gpu"}
// CHECK: weir.launch "matmul"({{.*}} (tensor<2x32x64xf32>, tensor<64x32xf32>) -> tensor<2x32x32xf32>
// CHECK: weir.launch "matmul"({{.*}} (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
// CHECK: weir.launch "generated"({{.*}} {function = "ot.gpu"}
func.func @others(%x: tensor<32x64xf32>, %z: tensor<64x32x2xf32>, %w: tensor<64x32xf32>) -> (tensor<64x64xf32>, tensor<64x32xf32>, tensor<2x32x32xf32>, tensor<64x32xf32>, tensor<32x64xf32>) {
  %t = weir.transpose %x {perm = [1, 0]} : tensor<32x64xf32>
  %m = weir.matmul %t, %x : tensor<64x32xf32>, tensor<32x64xf32>
  %e = weir.exp %t : tensor<64x32xf32>
  %u = weir.transpose %z {perm = [2, 1, 0]} : tensor<64x32x2xf32>
  %n = weir.matmul %u, %w : tensor<2x32x64xf32>, tensor<64x32xf32>
  %o = weir.matmul %m, %w : tensor<64x64xf32>, tensor<64x32xf32>
  %ot = weir.transpose %o {perm = [1, 0]} : tensor<64x32xf32>
  return %m, %e, %n, %o, %ot : tensor<64x64xf32>, tensor<64x32xf32>, tensor<2x32x32xf32>, tensor<64x32xf32>, tensor<32x64xf32>
}
