// A group without an annotation, and without operands that are placed, goes
// where its output lies. A variable that is
// returned in the memory of another device crosses.
// RUN: graph-compile %s --devices=cpu:0-1 --isolated=cpu:1 --emit=placed \
// RUN:   --port-space=far=cpu:1 --port-space=old=cpu:1 --explain 2>%t.explain \
// RUN:   | FileCheck %s
// RUN: FileCheck %s --check-prefix=TEXT < %t.explain

// CHECK: %near = weir.group {{.*}} on "cpu:0"
// CHECK: %far = weir.group {{.*}} on "cpu:1"
// TEXT-DAG: near: on cpu:0, the first device
// TEXT-DAG: far: on cpu:1, follows an output (in the memory of cpu:1)
// TEXT-DAG: w: crosses from cpu:0 to cpu:1, 256 bytes
weir.parameter @w : tensor<8x8xf32> = dense<1.0> : tensor<8x8xf32>
func.func @main(%x: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32> {weir.name = "old"}) {
  %w = weir.read @w : tensor<8x8xf32>
  %near = weir.softmax %x {axis = 1} : tensor<8x8xf32>
  %far = weir.softmax %x {axis = 0} : tensor<8x8xf32>
  weir.assign @w, %near : tensor<8x8xf32>
  return %near, %far, %w : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
