// A scale is folded into a weight only if no entry assigns one of them.
// RUN: graph-opt %s --weir-lift-parameters --weir-fold-affine | FileCheck %s

weir.parameter @kernel : tensor<2x2x1x1xf32> = dense<0.5> : tensor<2x2x1x1xf32>
weir.parameter @mean : tensor<2xf32> = dense<0.5> : tensor<2xf32>
weir.parameter @variance : tensor<2xf32> = dense<0.5> : tensor<2xf32>
weir.parameter @fixed : tensor<2xf32> = dense<0.5> : tensor<2xf32>

// CHECK: func.func @predict
// CHECK: weir.conv
// CHECK-NEXT: weir.batch_norm
func.func @predict(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %k = weir.read @kernel : tensor<2x2x1x1xf32>
  %m = weir.read @mean : tensor<2xf32>
  %v = weir.read @variance : tensor<2xf32>
  %f = weir.read @fixed : tensor<2xf32>
  %c = weir.conv %x, %k : tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>
  %y = weir.batch_norm %c, %f, %f, %m, %v {epsilon = 1.0e-3}
      : tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  return %y : tensor<1x2x4x4xf32>
}

// CHECK: func.func @fold
// CHECK-NOT: weir.batch_norm
// CHECK: func.func @step
func.func @fold(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %k = weir.read @kernel : tensor<2x2x1x1xf32>
  %f = weir.read @fixed : tensor<2xf32>
  %c = weir.conv %x, %k : tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>
  %y = weir.batch_norm %c, %f, %f, %f, %f {epsilon = 1.0e-3}
      : tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  return %y : tensor<1x2x4x4xf32>
}

func.func @step(%x: tensor<2xf32>) {
  weir.assign @mean, %x : tensor<2xf32>
  return
}
