// A group must end with a yield.

// RUN: not graph-opt %s 2>&1 | FileCheck %s

// CHECK: error: expected 'return %y : TYPE' at the end of a function, or 'weir.yield %y : TYPE' at the end of a group
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = weir.group (%a = %x) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
    %b = weir.relu %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
