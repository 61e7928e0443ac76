// Two entries' names can stand in front of one text. The longer one counts if
// its entry has the rest, else the shorter one.
// RUN: graph-opt %s --weir-bind-shapes="shapes=a/b/x:2,a/b/y:3,a/x:4" \
// RUN:   | FileCheck %s

// CHECK: func.func @a(%x: tensor<4xf32>, %{{.*}}: tensor<3xf32>)
func.func @a(%x: tensor<?xf32>, %y: tensor<?xf32> loc("b/y")) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
// CHECK: func.func @"a/b"(%x: tensor<2xf32>)
func.func @"a/b"(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
