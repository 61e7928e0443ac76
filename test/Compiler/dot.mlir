// The drawing of a graph: inputs and outputs, groups inside of their devices,
// edges with types, crossings dashed. Parameters are left out.

// RUN: graph-compile %s --emit=dot | FileCheck %s

// CHECK: digraph "main" {
// CHECK-NEXT:   node [shape=box];
// CHECK-NEXT:   in0 [shape=ellipse, label="x"];
// CHECK-NEXT:   out0 [shape=ellipse, label="z"];
// CHECK-NEXT:   subgraph cluster0 {
// CHECK-NEXT:     label="cpu:0";
// CHECK-NEXT:     group0 [label="m\nmatmul + relu"];
// CHECK-NEXT:   }
// CHECK-NEXT:   subgraph cluster1 {
// CHECK-NEXT:     label="cpu:1";
// CHECK-NEXT:     group1 [label="z\nsoftmax"];
// CHECK-NEXT:   }
// CHECK-NEXT:   in0 -> group0 [label="2x8xf32"];
// CHECK-NEXT:   group0 -> group1 [label="2x4xf32", style=dashed];
// CHECK-NEXT:   group1 -> out0 [label="2x4xf32"];
// CHECK-NEXT: }
weir.parameter @w : tensor<8x4xf32> = dense<0.5> : tensor<8x4xf32>

func.func @main(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = weir.read @w : tensor<8x4xf32>
  %m = weir.matmul %x, %w on "cpu:0" : tensor<2x8xf32>, tensor<8x4xf32>
  %y = weir.relu %m : tensor<2x4xf32>
  %z = weir.softmax %y on "cpu:1" : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}
