// Folding stops where the result outgrows what it is made of and where it takes
// much arithmetic; an op that moves nothing stays where it was asked to be. What
// hangs on constants alone is no work of any device.

// RUN: graph-opt %s --weir-fold-constants | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<4xf32>, tensor<1xf32>) {
  %one = weir.constant dense<1.0> : tensor<1xf32>
  // CHECK: weir.expand
  %large = weir.expand %one {shape = [1024, 1024]} : tensor<1xf32>
  %square = weir.constant dense<2.0> : tensor<1024x1024xf32>
  // CHECK: weir.matmul
  %product = weir.matmul %square, %square : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  // CHECK: weir.reshape %{{.*}} on "cpu:1"
  %there = weir.reshape %x on "cpu:1" {shape = [4]} : tensor<4xf32>
  // CHECK: weir.constant dense<-1.0
  %minus = weir.neg %one on "cpu:1" : tensor<1xf32>
  return %large, %product, %there, %minus : tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<4xf32>, tensor<1xf32>
}
