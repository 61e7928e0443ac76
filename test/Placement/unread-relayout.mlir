// A change of layout that nothing reads stays on the device of its operand.
// RUN: graph-opt %s --weir-set-devices=devices=cpu:0-1 --weir-place-groups \
// RUN:   | FileCheck %s
// CHECK: weir.group (%{{.*}} = %h) on "cpu:1"
func.func @main(%x: tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32> {
  %h = weir.group (%a = %x) on "cpu:1" : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32> {
    %b = weir.relu %a : tensor<1x16x4x4xf32>
    weir.yield %b : tensor<1x16x4x4xf32>
  }
  %r = weir.group (%a = %h) : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32, #weir.layout<[0, 2, 3, 1]>> {
    %b = weir.relayout %a : tensor<1x16x4x4xf32> -> tensor<1x16x4x4xf32, #weir.layout<[0, 2, 3, 1]>>
    weir.yield %b : tensor<1x16x4x4xf32, #weir.layout<[0, 2, 3, 1]>>
  }
  return %h : tensor<1x16x4x4xf32>
}
