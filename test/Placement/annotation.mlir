// An annotation in the text decides where an op's group runs, and which devices
// there are.
// RUN: graph-compile %s --emit=placed --explain 2>%t.explain | FileCheck %s
// RUN: FileCheck %s --check-prefix=TEXT < %t.explain
// RUN: graph-compile %s -o %t.weir --explain=json \
// RUN:   | FileCheck %s --check-prefix=JSON

// CHECK: weir.devices = #weir.devices<["cpu:1", "cpu:3"]>
// CHECK: %h = weir.group {{.*}} on "cpu:3"
// CHECK: %y = weir.group {{.*}} on "cpu:1"
// TEXT: h: on cpu:3, annotated cpu:3
// TEXT: y: on cpu:1, annotated cpu:1
// JSON: "device": "cpu:3",
// JSON-NEXT: "name": "h",
// JSON-NEXT: "reason": "annotated",
// JSON: "why": "annotated cpu:3"
// JSON: "device": "cpu:1",
// JSON-NEXT: "name": "y",
func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %h = weir.matmul %x, %w on "cpu:3" : tensor<8x8xf32>, tensor<8x8xf32>
  %y = weir.softmax %h on "cpu:1" {axis = 1} : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
