// A type of 16 bits that there is not.
// RUN: %exits 1 graph-opt %s --weir-lower-precision=type=f8 2>&1 | FileCheck %s
// CHECK: graph-opt: error: weir-lower-precision: there is no type 'f8'; expected bf16 or f16
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
