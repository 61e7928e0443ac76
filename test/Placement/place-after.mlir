// --place='after:NODE=DEVICE' annotates all that depends on a node or an input,
// but not the node itself.
// RUN: graph-compile %s --devices=cpu:0-3 --place=after:act=cpu:3 \
// RUN:   --emit=placed | FileCheck %s
// RUN: graph-compile %s --devices=cpu:0-3 --place=after:x=cpu:2 --emit=placed \
// RUN:   | FileCheck %s --check-prefix=INPUT
// RUN: not graph-compile %s --place=after:nowhere=cpu:1 -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE

// CHECK: %conv1 = weir.group {{.*}} on "cpu:0"
// CHECK: %conv2 = weir.group {{.*}} on "cpu:0"
// CHECK: %dense = weir.group {{.*}} on "cpu:3" {{.*}}why = "annotated cpu:3"
// CHECK: %prob = weir.group {{.*}} on "cpu:3" {{.*}}why = "annotated cpu:3"
// INPUT-COUNT-4: on "cpu:2" {{.*}}why = "annotated cpu:2"
// NONE: error: --place: placement rule 'after:nowhere=cpu:1' names no op or input; the
func.func @main(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %conv1 = weir.matmul %x, %w : tensor<32x32xf32>, tensor<32x32xf32>
  %conv2 = weir.matmul %conv1, %w : tensor<32x32xf32>, tensor<32x32xf32>
  %act = weir.relu %conv2 : tensor<32x32xf32>
  %dense = weir.matmul %act, %w : tensor<32x32xf32>, tensor<32x32xf32>
  %prob = weir.softmax %dense {axis = 1} : tensor<32x32xf32>
  return %prob : tensor<32x32xf32>
}
