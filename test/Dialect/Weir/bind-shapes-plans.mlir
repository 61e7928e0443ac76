// Several shapes of an input make several plans of its entry. Shapes with the
// name of an entry replace those without. What is a name as a whole is never
// divided into an entry and a name.
// RUN: graph-opt %s --weir-bind-shapes="shapes=x:1x8,x:4x8,y:3,once/x:2x8,a/y:7" | FileCheck %s
// RUN: graph-opt %s --weir-bind-shapes="shapes=main/x:1x8,main/x:4x8,main/y:3,main/y:5,a/y:7,once/x:2x8" | FileCheck %s --check-prefix=PAIRS
// RUN: not graph-opt %s --weir-bind-shapes="shapes=x:1x8,x:4x8,x:5x8,y:3,y:4" 2>&1 | FileCheck %s --check-prefix=COUNTS
// RUN: not graph-opt %s --weir-bind-shapes="shapes=y:1,x:1x8,x:1x8" 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not graph-opt %s --weir-bind-shapes="shapes=once/y:1" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not graph-opt %s --weir-bind-shapes="shapes=y:1,x:2x9" 2>&1 | FileCheck %s --check-prefix=FIT
// RUN: not graph-opt %s --weir-bind-shapes="shapes=y:1,once/x:2x9,main/x:2x8" 2>&1 | FileCheck %s --check-prefix=NAMED

// CHECK: func.func @"main[x:1x8]"(%x: tensor<1x8xf32>, %y: tensor<3xf32>) -> tensor<1x8xf32> attributes {weir.entry = "main"}
// CHECK-NEXT: weir.relu %x : tensor<1x8xf32>
// CHECK: func.func @"main[x:4x8]"(%x: tensor<4x8xf32>, %y: tensor<3xf32>) -> tensor<4x8xf32> attributes {weir.entry = "main"}
// CHECK-NEXT: weir.relu %x : tensor<4x8xf32>
// CHECK: func.func @once(%x: tensor<2x8xf32>, %{{.*}}: tensor<7xf32>)
// CHECK: func.func @a(%y: tensor<3xf32>)
// PAIRS: func.func @"main[x:1x8,y:3]"(%x: tensor<1x8xf32>, %y: tensor<3xf32>)
// PAIRS: func.func @"main[x:4x8,y:5]"(%x: tensor<4x8xf32>, %y: tensor<5xf32>)
// PAIRS: func.func @once(%x: tensor<2x8xf32>, %{{.*}}: tensor<7xf32>)
// COUNTS: error: --weir-bind-shapes=shapes gives 2 shapes of 'y', but 3 of 'x'; give each input one shape for all plans, or one for each plan
// SAME: error: --weir-bind-shapes=shapes gives plans 1 and 2 the same shapes, x:1x8; give each plan once
// NAME: error: --weir-bind-shapes=shapes: shape 'once/y:1' names no input; did you mean 'once/x'? The inputs are 'main/x', 'main/y', 'once/x', 'once/a/y', 'a/y'{{$}}
// FIT: error: input 'x' is ?x8, which does not fit the shape 2x9; give each ? a number, and keep the other dims; or name the entry that the shape is for, as in --weir-bind-shapes=shapes=ENTRY/x:2x9
// NAMED: error: input 'x' is ?x8, which does not fit the shape 2x9; give each ? a number, and keep the other dims{{$}}
func.func @main(%x: tensor<?x8xf32>, %y: tensor<?xf32>) -> tensor<?x8xf32> {
  %r = weir.relu %x : tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
func.func @once(%x: tensor<?x8xf32>, %z: tensor<?xf32> loc("a/y")) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}
func.func @a(%y: tensor<3xf32>) -> tensor<3xf32> {
  return %y : tensor<3xf32>
}
