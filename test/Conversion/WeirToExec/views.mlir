// A launch that moves elements becomes one launch for each part; a reshape is
// the same bytes under another type.

// RUN: graph-opt %s --convert-weir-to-exec | FileCheck %s

// CHECK: exec.program on "cpu:0" queue compute {
module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>)
      -> (tensor<8xf32> {weir.name = "out"}) {
    // CHECK-NEXT: exec.launch "joined" by "reorder"(%x : tensor<2x3xf32>) -> (%out : tensor<2x3xf32, #exec.strides<[4, 1]>>) {}
    // CHECK-NEXT: exec.launch "joined" by "reorder"(%y : tensor<2x1xf32>) -> (%out[12] : tensor<2x1xf32, #exec.strides<[4, 1]>>) {}
    // CHECK-NEXT: }
    %z = weir.group (%a = %x, %b = %y) on "cpu:0"
        : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<8xf32> {
      %joined = weir.launch "reorder"(%a, %b) {}
          copies [#weir.element_copy<operand = 0, result = 0, dims = [2, 3], from_offset = 0, from_strides = [3, 1], to_offset = 0, to_strides = [4, 1]>,
                  #weir.element_copy<operand = 1, result = 0, dims = [2, 1], from_offset = 0, from_strides = [1, 1], to_offset = 3, to_strides = [4, 1]>]
          : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
      %flat = weir.view %joined : tensor<2x4xf32> -> tensor<8xf32>
      weir.yield %flat : tensor<8xf32>
    }
    return %z : tensor<8xf32>
  }
}
