// TensorFlow's spellings name the same devices, in the text and in every flag.
// RUN: graph-compile %s --place=y=/device:CPU:2 --emit=placed | FileCheck %s
// RUN: graph-compile %s --devices=/CPU:0,/device:CPU:1,/cpu:2 \
// RUN:   --place=y=/job:worker/replica:0/task:0/device:CPU:2 --strict \
// RUN:   --memory-cap=/CPU:1=1MiB --emit=placed \
// RUN:   | FileCheck %s --check-prefixes=CHECK,LIST

// LIST: weir.devices = #weir.devices<["cpu:0", "cpu:1", "cpu:2"]>
// CHECK: %h = weir.group {{.*}} on "cpu:1" {{.*}}why = "annotated cpu:1"
// CHECK: %y = weir.group {{.*}} on "cpu:2" {{.*}}why = "annotated cpu:2"
func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %h = weir.matmul %x, %w on "/CPU:1" : tensor<8x8xf32>, tensor<8x8xf32>
  %y = weir.softmax %h {axis = 1} : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
