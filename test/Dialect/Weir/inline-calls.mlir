// Calls are replaced by what they call: calls in called functions as well, and
// those of functions that stand below. Names stay unless they are taken.
// RUN: graph-opt %s --weir-inline-calls | FileCheck %s

weir.parameter @w : tensor<8x8xf32> = dense<0.5> : tensor<8x8xf32>

// CHECK-LABEL: func.func @main(
// CHECK-SAME: -> (tensor<2x8xf32>, tensor<2x8xf32> {weir.name = "kept"}, tensor<2x8xf32>, tensor<2x8xf32> {weir.name = "parts"}, tensor<2x8xf32>)
// CHECK-NEXT: %w = weir.read @w
// CHECK-NEXT: %p = weir.matmul %x, %w
// CHECK-NEXT: %h = weir.relu %p
// CHECK-NEXT: %second.w = weir.read @w
// CHECK-NEXT: %second.p = weir.matmul %h, %second.w
// CHECK-NEXT: %second.h = weir.relu %second.p
// CHECK-NEXT: %third = weir.abs %second.h
// CHECK-NEXT: %named.w = weir.read @w
// CHECK-NEXT: %named.p = weir.matmul %third, %named.w
// CHECK-NEXT: %named.h = weir.relu %named.p
// CHECK-NEXT: %named.named.w = weir.read @w
// CHECK-NEXT: %named.named.p = weir.matmul %named.h, %named.named.w
// CHECK-NEXT: %named.named.h = weir.relu %named.named.p
// CHECK-NEXT: %e = weir.exp %third
// CHECK-NEXT: return %third, %named.named.h, %x, %e, %third
func.func @main(%x: tensor<2x8xf32>)
    -> (tensor<2x8xf32>, tensor<2x8xf32> {weir.name = "kept"}, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) {
  %first = func.call @layer(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %second = call @layer(%first) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %third = weir.abs %second : tensor<2x8xf32>
  %named = call @both(%third) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %parts:2 = call @parts(%third) : (tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>)
  return %third, %named, %x, %parts#0, %parts#1 : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
}

// CHECK-LABEL: func.func private @both(
// CHECK-NEXT: %w = weir.read @w
// CHECK-NEXT: %p = weir.matmul %x, %w
// CHECK-NEXT: %h = weir.relu %p
// CHECK-NEXT: %named.w = weir.read @w
// CHECK-NEXT: %named.p = weir.matmul %h, %named.w
// CHECK-NEXT: %named.h = weir.relu %named.p
// CHECK-NEXT: return %named.h
func.func private @both(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %twice = call @layer(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %named = call @layer(%twice) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %named : tensor<2x8xf32>
}

func.func private @layer(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %w = weir.read @w : tensor<8x8xf32>
  %p = weir.matmul %x, %w : tensor<2x8xf32>, tensor<8x8xf32>
  %h = weir.relu %p : tensor<2x8xf32>
  return %h : tensor<2x8xf32>
}

// What is returned may be an input of the called function.
func.func private @parts(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %e = weir.exp %x : tensor<2x8xf32>
  return %e, %x : tensor<2x8xf32>, tensor<2x8xf32>
}
