// A part of a split that nobody reads takes neither memory nor a launch.

// RUN: graph-compile %s --emit=exec | FileCheck %s

// CHECK-COUNT-2: exec.launch
// CHECK-NOT: exec.launch
func.func @main(%x: tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %a, %b, %c = weir.split %x {axis = 1, sizes = [2, 2, 2]} : tensor<4x6xf32>
  %y = weir.softmax %c : tensor<4x2xf32>
  return %a, %y : tensor<4x2xf32>, tensor<4x2xf32>
}
