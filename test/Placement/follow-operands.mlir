// A group without annotation goes where most bytes of its operands are; where
// it has none, to its first annotated reader; else to the first device.
// RUN: graph-compile %s --devices=cpu:0-3 --emit=placed --explain 2>%t.explain \
// RUN:   | FileCheck %s
// RUN: FileCheck %s --check-prefix=TEXT < %t.explain

// CHECK: %big = weir.group {{.*}} on "cpu:2"
// CHECK: %small = weir.group {{.*}} on "cpu:1"
// CHECK: %both = weir.group {{.*}} on "cpu:2"
// CHECK: %head = weir.group {{.*}} on "cpu:3"
// CHECK: %tail = weir.group {{.*}} on "cpu:3"
// CHECK: %free = weir.group {{.*}} on "cpu:0"
// TEXT-DAG: both: on cpu:2, follows operand big (2048 bytes from cpu:2)
// TEXT-DAG: head: on cpu:3, follows its consumer tail
// TEXT-DAG: free: on cpu:0, the first device
func.func @main(%x: tensor<64x8xf32>, %w: tensor<8x8xf32>)
    -> (tensor<64x8xf32>, tensor<64x8xf32>, tensor<8x8xf32>) {
  %big = weir.matmul %x, %w on "cpu:2" : tensor<64x8xf32>, tensor<8x8xf32>
  %small = weir.matmul %w, %w on "cpu:1" : tensor<8x8xf32>, tensor<8x8xf32>
  %both = weir.matmul %big, %small : tensor<64x8xf32>, tensor<8x8xf32>
  %head = weir.softmax %x {axis = 1} : tensor<64x8xf32>
  %tail = weir.matmul %head, %w on "cpu:3" : tensor<64x8xf32>, tensor<8x8xf32>
  %free = weir.softmax %w {axis = 0} : tensor<8x8xf32>
  return %both, %tail, %free : tensor<64x8xf32>, tensor<64x8xf32>, tensor<8x8xf32>
}
