// A device has one colour in the drawing, whichever entry uses it first.

// RUN: graph-compile %s --emit=dot --devices=cpu:0-1 | FileCheck %s

// CHECK:      label="first";
// CHECK:      label="cpu:0";
// CHECK-NEXT: style=filled; color="[[ZERO:#[0-9a-f]+]]"
// CHECK:      label="cpu:1";
// CHECK-NEXT: style=filled; color="[[ONE:#[0-9a-f]+]]"
// CHECK:      label="second";
// CHECK:      label="cpu:1";
// CHECK-NEXT: style=filled; color="[[ONE]]"
// CHECK:      label="cpu:0";
// CHECK-NEXT: style=filled; color="[[ZERO]]"
func.func @first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = weir.exp %x on "cpu:0" : tensor<4xf32>
  %z = weir.exp %y on "cpu:1" : tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func @second(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = weir.exp %x on "cpu:1" : tensor<4xf32>
  %z = weir.exp %y on "cpu:0" : tensor<4xf32>
  return %z : tensor<4xf32>
}
