// The drawing of a graph: inputs and outputs, groups inside of their devices,
// each of which has a colour, edges with types, crossings dashed. Parameters are
// no boxes; groups have the bytes that they read of them.

// RUN: graph-compile %s --emit=dot | FileCheck %s
// RUN: graph-compile %s --emit=dot --devices=cpu:0-1 --isolated \
// RUN:   | FileCheck %s --check-prefix=COPIED

// CHECK: digraph "main" {
// CHECK-NEXT:   node [shape=box, style=filled, fillcolor=white];
// CHECK-NEXT:   in0 [shape=ellipse, label="x"];
// CHECK-NEXT:   out0 [shape=ellipse, label="z"];
// CHECK-NEXT:   subgraph cluster0 {
// CHECK-NEXT:     label="cpu:0";
// CHECK-NEXT:     style=filled; color="[[COLOUR:#[0-9a-f]+]]";
// CHECK-NEXT:     group0 [label="m\nmatmul + relu\n{{[0-9]+[.][0-9]+}} us\n128 bytes of parameters"];
// CHECK-NEXT:   }
// CHECK-NEXT:   subgraph cluster1 {
// CHECK-NEXT:     label="cpu:1";
// CHECK-NOT:      [[COLOUR]]
// CHECK:          style=filled; color="#
// CHECK-NEXT:     group1 [label="z\nsoftmax\n{{[0-9]+[.][0-9]+}} us"];
// CHECK-NEXT:   }
// CHECK-NEXT:   in0 -> group0 [label="2x8xf32"];
// CHECK-NEXT:   group0 -> group1 [label="2x4xf32\n32 bytes in shared memory", style=dashed];
// CHECK-NEXT:   group1 -> out0 [label="2x4xf32"];
// CHECK-NEXT: }

// COPIED: group0 -> group1 [label="2x4xf32\n32 bytes copied", style=dashed];
weir.parameter @w : tensor<8x4xf32> = dense<0.5> : tensor<8x4xf32>

func.func @main(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = weir.read @w : tensor<8x4xf32>
  %m = weir.matmul %x, %w on "cpu:0" : tensor<2x8xf32>, tensor<8x4xf32>
  %y = weir.relu %m : tensor<2x4xf32>
  %z = weir.softmax %y on "cpu:1" : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}
