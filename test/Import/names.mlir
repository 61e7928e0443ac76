// Where op names come from: SSA names, locations, or mnemonic and number.
// RUN: graph-opt %s --mlir-print-debuginfo | FileCheck %s
// RUN: graph-opt %s | graph-opt | FileCheck %s --check-prefix=AGAIN

// CHECK: func.func @main(%x: tensor<2xf32> loc("x"
// AGAIN: func.func @main(%x: tensor<2xf32>)
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // The SSA name.
  // CHECK: %a = weir.exp %x {{.*}} loc([[A:#.*]])
  // AGAIN: %a = weir.exp %x
  %a = weir.exp %x : tensor<2xf32>
  // An explicit location overrides it.
  // CHECK: %block1.relu = weir.relu %a {{.*}} loc([[B:#.*]])
  %b = weir.relu %a : tensor<2xf32> loc("block1.relu")
  // Numbers are not names.
  // CHECK: %tanh_0 = weir.tanh %block1.relu
  // AGAIN: %tanh_0 = weir.tanh
  %0 = weir.tanh %b : tensor<2xf32>
  // CHECK: %tanh_1 = weir.tanh %tanh_0
  %1 = weir.tanh %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
// CHECK-DAG: [[A]] = loc("a"(
// CHECK-DAG: [[B]] = loc("block1.relu")
