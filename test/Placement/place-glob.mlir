// --place='GLOB=DEVICE' annotates the ops whose names match; it wins over the
// text, and a later rule over an earlier one.
// RUN: graph-compile %s --devices=cpu:0-3 --place='conv*=cpu:2' \
// RUN:   --place='conv2=cpu:1' --place='p?ob=cpu:0' --emit=placed | FileCheck %s
// RUN: not graph-compile %s --place='fc*=cpu:1' -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE

// CHECK: %conv1 = weir.group {{.*}} on "cpu:2" {{.*}}why = "annotated cpu:2"
// CHECK: %conv2 = weir.group {{.*}} on "cpu:1" {{.*}}why = "annotated cpu:1"
// CHECK: %dense = weir.group {{.*}} on "cpu:1" {{.*}}reason = "follows operand"
// CHECK: %prob = weir.group {{.*}} on "cpu:0" {{.*}}why = "annotated cpu:0"
// NONE: error: --place: placement rule 'fc*=cpu:1' fits no op; the ops are 'conv1', 'conv2',
func.func @main(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %conv1 = weir.matmul %x, %w : tensor<32x32xf32>, tensor<32x32xf32>
  %conv2 = weir.matmul %conv1, %w : tensor<32x32xf32>, tensor<32x32xf32>
  %act = weir.relu %conv2 : tensor<32x32xf32>
  %dense = weir.matmul %act, %w : tensor<32x32xf32>, tensor<32x32xf32>
  %prob = weir.softmax %dense on "cpu:3" {axis = 1} : tensor<32x32xf32>
  return %prob : tensor<32x32xf32>
}
