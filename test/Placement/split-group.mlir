// An annotation that splits what would have been one kernel is listed by
// --explain; without it there is one group.
// RUN: graph-compile %s --devices=cpu:0-1 --place=act=cpu:1 -o %t.weir \
// RUN:   --explain 2>&1 | FileCheck %s
// RUN: graph-compile %s --devices=cpu:0-1 --place=act=cpu:1 -o %t.weir \
// RUN:   --explain=json | FileCheck %s --check-prefix=JSON
// RUN: graph-compile %s --devices=cpu:0-1 -o %t.weir --explain 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WHOLE

// CHECK: h: on cpu:1, follows its consumer act
// CHECK: split: 'act' would have joined, but has an annotation of its own
// CHECK: act: on cpu:1, annotated cpu:1
// JSON: "name": "h",
// JSON: "split_by": [
// JSON-NEXT: "act"
// WHOLE: h: on cpu:0, the first device
// WHOLE-NOT: split
// WHOLE-NOT: act:
func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %h = weir.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32>
  %act = weir.relu %h : tensor<8x8xf32>
  return %act : tensor<8x8xf32>
}
