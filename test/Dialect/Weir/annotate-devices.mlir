// Device annotations: canonical spelling, rules by glob and by dependency.
// RUN: graph-opt %s --weir-annotate-devices="place=relu*=cpu:1,after:mid=/CPU:2" | FileCheck %s
// RUN: graph-opt %s --split-input-file -weir-annotate-devices | FileCheck %s --check-prefix=TEXT

// TensorFlow's spelling in the text becomes ours; a glob takes every op it
// matches; after: takes what depends on the op, not the op itself.
// CHECK-LABEL: func.func @rules
// TEXT-LABEL: func.func @rules
func.func @rules(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  // CHECK: %first = weir.exp %x on "cpu:0"
  // TEXT: %first = weir.exp %x on "cpu:0"
  %first = weir.exp %x on "/CPU:0" : tensor<2x4xf32>
  // CHECK: %relu1 = weir.relu %first on "cpu:1"
  // TEXT: %relu1 = weir.relu %first : tensor
  %relu1 = weir.relu %first : tensor<2x4xf32>
  // CHECK: %mid = weir.tanh %x : tensor
  %mid = weir.tanh %x : tensor<2x4xf32>
  // A later rule overrides an earlier one.
  // CHECK: %relu2 = weir.relu %mid on "cpu:2"
  %relu2 = weir.relu %mid : tensor<2x4xf32>
  // CHECK: %sum = weir.add %relu1, %relu2 on "cpu:2"
  // TEXT: %sum = weir.add %relu1, %relu2 on "cpu:1"
  %sum = weir.add %relu1, %relu2 on "/device:CPU:1" : tensor<2x4xf32>, tensor<2x4xf32>
  return %relu1, %sum : tensor<2x4xf32>, tensor<2x4xf32>
}
