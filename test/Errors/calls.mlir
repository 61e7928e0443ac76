// A call of another function is an error that names the function.

// RUN: not graph-compile %s -o %t.weir 2>&1 | FileCheck %s

// CHECK: calls.mlir:[[#@LINE+7]]:8: error: {{.*}}calls 'g'; calls are not supported: write its ops here
func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = weir.relu %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = func.call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
