// A view is the same bytes under another type.

// RUN: graph-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: weir.view %{{.*}} : tensor<2x3xf32> -> tensor<6xf32>
func.func @main(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %y = weir.view %x : tensor<2x3xf32> -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>) -> tensor<5xf32> {
  // expected-error@below {{'weir.view' op expects the same elements, found 'tensor<2x3xf32>' as 'tensor<5xf32>'}}
  %y = weir.view %x : tensor<2x3xf32> -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xi32> {
  // expected-error@below {{'weir.view' op expects the same elements, found 'tensor<2xf32>' as 'tensor<2xi32>'}}
  %y = weir.view %x : tensor<2xf32> -> tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----

func.func @main(%x: tensor<?x3xf32>) -> tensor<6xf32> {
  // expected-error@below {{'weir.view' op expects tensors of static shape, found 'tensor<?x3xf32>'}}
  %y = weir.view %x : tensor<?x3xf32> -> tensor<6xf32>
  return %y : tensor<6xf32>
}
