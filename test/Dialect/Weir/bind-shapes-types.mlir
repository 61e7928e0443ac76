// Inputs of types that Weir lacks are rejected, also if a shape is given.

// RUN: not graph-opt %s --weir-bind-shapes="shapes=x:1" --split-input-file 2>&1 | FileCheck %s

// CHECK: error: {{.*}}input 'x' expects a tensor of known rank and of an element type that Weir has (f32, {{.*}}, ui64), such as tensor<2x3xf32> or, for a scalar, tensor<f32>; found 'f32'
func.func @main(%x: f32 loc("x"), %y: tensor<1xf32>) -> tensor<1xf32> {
  return %y : tensor<1xf32>
}

// -----

// CHECK: error: {{.*}}input 'x' expects a tensor of known rank and of an element type that Weir has (f32, {{.*}}, ui64), such as tensor<2x3xf32> or, for a scalar, tensor<f32>; found 'tensor<*xf32>'
func.func @main(%x: tensor<*xf32> loc("x"), %y: tensor<1xf32>) -> tensor<1xf32> {
  return %y : tensor<1xf32>
}

// -----

// CHECK: error: {{.*}}input 'x' expects a tensor of known rank and of an element type that Weir has (f32, {{.*}}, ui64), such as tensor<2x3xf32> or, for a scalar, tensor<f32>; found 'tensor<2xi4>'
func.func @main(%x: tensor<2xi4> loc("x")) -> tensor<2xi4> {
  return %x : tensor<2xi4>
}
