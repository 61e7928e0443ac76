// Unknown dims get their size, and all result types follow.
// RUN: graph-opt %s --weir-bind-shapes="shapes=x:2x8" | FileCheck %s
// RUN: not graph-opt %s --weir-bind-shapes 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not graph-opt %s --weir-bind-shapes="shapes=z:2x8" 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not graph-opt %s --weir-bind-shapes="shapes=x:2x9" 2>&1 | FileCheck %s --check-prefix=FIT
// RUN: not graph-opt %s --weir-bind-shapes="shapes=x:2xb" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not graph-opt %s --weir-bind-shapes="shapes=x" 2>&1 | FileCheck %s --check-prefix=FORM

// UNBOUND: bind-shapes.mlir:[[#@LINE+7]]:{{[0-9]+}}: error: input 'x' has an unknown dim (?x8); give each ? a number, as in --weir-bind-shapes=shapes=x:1x8
// INPUT: error: --weir-bind-shapes=shapes: shape 'z:2x8' names no input; the inputs are 'x', 'y'{{$}}
// FIT: error: input 'x' is ?x8, which does not fit the shape 2x9; give each ? a number, and keep the other dims
// FORM: error: --weir-bind-shapes=shapes: shape 'x{{.*}}' expects NAME:DIMxDIM..., for instance image:1x3x224x224

// The result type of the function follows too.
// CHECK: func.func @main(%x: tensor<2x8xf32>, %y: tensor<8x4xf32>) -> tensor<2x4xf32>
func.func @main(%x: tensor<?x8xf32>, %y: tensor<8x4xf32>) -> tensor<?x4xf32> {
  // CHECK: weir.matmul %x, %y : tensor<2x8xf32>, tensor<8x4xf32>
  %p = weir.matmul %x, %y : tensor<?x8xf32>, tensor<8x4xf32>
  // CHECK: weir.relu %p : tensor<2x4xf32>
  %r = weir.relu %p : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
