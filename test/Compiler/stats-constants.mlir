// Weights that stand in the graph as constants, as Constant nodes of ONNX models
// do, are parameters of the run: 64 x 64 floats, read once and counted once.
// RUN: graph-compile %s --devices=cpu:0-1 -o %t.weir --stats=json | FileCheck %s
// CHECK: "parameter_bytes": 16384
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %w = weir.constant dense<0.5> : tensor<64x64xf32>
  %h = weir.matmul %x, %w on "cpu:0" : tensor<64x64xf32>, tensor<64x64xf32>
  %y = weir.matmul %h, %w on "cpu:1" : tensor<64x64xf32>, tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
