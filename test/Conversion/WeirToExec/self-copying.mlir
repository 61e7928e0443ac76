// Only a GPU reaches its memory. So it copies what crosses to and from it, also
// what another device reads: on one queue what it gets, on another one what
// leaves it.
// REQUIRES: cuda-plugin

// RUN: graph-opt %s --convert-weir-to-exec | FileCheck %s

module attributes {weir.devices = #weir.devices<["cpu:0", "cuda:0" {isolated}, "sim:0" {isolated}]>} {
  // CHECK-NOT: exec.copy
  // CHECK: exec.program on "cuda:0" queue copy_in
  // CHECK-NEXT: exec.copy "x to cuda:0" %x to
  // CHECK-NOT: exec.copy
  // CHECK: exec.program on "cuda:0" queue copy_out
  // CHECK-NEXT: exec.copy "b to cpu:0" crossing %a to
  // CHECK-NEXT: exec.copy "c to sim:0" crossing %a to
  // CHECK: exec.program on "sim:0" queue copy_in
  // CHECK-NOT: crossing
  func.func @main(%x: tensor<4xf32>)
      -> (tensor<4xf32> {weir.name = "y"}, tensor<4xf32> {weir.name = "z"}) {
    %a = weir.group (%p = %x) on "cuda:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %a = weir.launch "eltwise"(%p) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %a : tensor<4xf32>
    }
    %b = weir.copy %a from "cuda:0" to "cpu:0" : tensor<4xf32>
    %y = weir.group (%p = %b) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %y = weir.launch "eltwise"(%p) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %y : tensor<4xf32>
    }
    %c = weir.copy %a from "cuda:0" to "sim:0" : tensor<4xf32>
    %z = weir.group (%p = %c) on "sim:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %z = weir.launch "eltwise"(%p) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %z : tensor<4xf32>
    }
    return %y, %z : tensor<4xf32>, tensor<4xf32>
  }
}
