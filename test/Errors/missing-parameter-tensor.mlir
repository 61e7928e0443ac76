// A tensor that its file lacks lists those that are there; one of another shape
// or type names both.
// RUN: rm -rf %t %t.weir && split-file %s %t
// RUN: cp %weir_src/docs/examples/digits/cnn.safetensors %t/cnn.safetensors
// RUN: %exits 1 graph-compile %t/net.mlir -o %t.weir 2>&1 | FileCheck %s
// RUN: %exits 1 graph-compile %t/shape.mlir -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SHAPE
// RUN: %exits 1 graph-compile %t/type.mlir -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TYPE
// RUN: not ls %t.weir

// CHECK: net.mlir:1:1: error: {{.*}}cannot be read from 'cnn.safetensors': {{.*}}'dense.bais'{{.*}}did you mean 'dense.bias'? The tensors are 'conv.bias', 'conv.weight', 'dense.bias', 'dense.weight'
// SHAPE: shape.mlir:1:1: error: {{.*}}expects tensor 'dense.bias' of 'cnn.safetensors' to be 12xf32, found 10xf32; correct the declaration or the file
// TYPE: type.mlir:1:1: error: {{.*}}expects tensor 'dense.bias' of 'cnn.safetensors' to be 10xbf16, found 10xf32; correct the declaration or the file

//--- net.mlir
weir.parameter @w : tensor<10xf32> from "cnn.safetensors" key "dense.bais"
func.func @main(%x: tensor<10xf32>) -> tensor<10xf32> {
  %w = weir.read @w : tensor<10xf32>
  %y = weir.add %x, %w : tensor<10xf32>, tensor<10xf32>
  return %y : tensor<10xf32>
}

//--- shape.mlir
weir.parameter @w : tensor<12xf32> from "cnn.safetensors" key "dense.bias"
func.func @main(%x: tensor<12xf32>) -> tensor<12xf32> {
  %w = weir.read @w : tensor<12xf32>
  %y = weir.add %x, %w : tensor<12xf32>, tensor<12xf32>
  return %y : tensor<12xf32>
}

//--- type.mlir
weir.parameter @w : tensor<10xbf16> from "cnn.safetensors" key "dense.bias"
func.func @main(%x: tensor<10xbf16>) -> tensor<10xbf16> {
  %w = weir.read @w : tensor<10xbf16>
  %y = weir.add %x, %w : tensor<10xbf16>, tensor<10xbf16>
  return %y : tensor<10xbf16>
}
