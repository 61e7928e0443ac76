// A pack is a group of its own, so that what it joins is computed before, and is
// lowered to a join.
// RUN: graph-opt %s -weir-form-groups | FileCheck %s --check-prefix=GROUP
// RUN: graph-opt %s -pass-pipeline='builtin.module(weir-set-devices{devices=cpu:0},weir-form-groups,weir-place-groups,weir-insert-copies,weir-lower-groups,weir-verify-phase{phase=lowered})' \
// RUN:   | FileCheck %s --check-prefix=LOWER

// GROUP-LABEL: func.func @main(
// GROUP: weir.group
// GROUP: weir.tanh
// GROUP: weir.exp
// GROUP: weir.group
// GROUP-NEXT: weir.pack %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<4xf32>
// GROUP-NEXT: weir.yield
// GROUP: weir.group
// GROUP-NEXT: weir.neg
// LOWER-LABEL: func.func @main(
// LOWER: weir.join %{{.*}}, %{{.*}} at [0, 16] : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<32xf32>
func.func @main(%x: tensor<2x3xf32>, %z: tensor<4xf32>) -> (tensor<32xf32> {weir.name = "y"}) {
  %a = weir.tanh %x : tensor<2x3xf32>
  %b = weir.exp %z : tensor<4xf32>
  %p = weir.pack %a, %b : tensor<2x3xf32>, tensor<4xf32>
  %y = weir.neg %p : tensor<32xf32>
  return %y : tensor<32xf32>
}
