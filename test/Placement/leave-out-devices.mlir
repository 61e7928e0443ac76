// A graph for a machine without GPUs is the same graph without what names them.
// REQUIRES: cuda-plugin
// RUN: graph-opt %s -split-input-file -weir-leave-out-devices | FileCheck %s
// RUN: graph-opt %s -split-input-file -weir-leave-out-devices=threads=2 | FileCheck %s --check-prefix=THREADS

// CHECK: module attributes {weir.devices = #weir.devices<["cpu:0"]>}
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %x: tensor<4xf32>, %y: tensor<4xf32>)
// CHECK-SAME: -> (tensor<4xf32> {weir.name = "b"})
// CHECK: %a = weir.relu %x : tensor<4xf32>
// CHECK: %b = weir.add %a, %y on "cpu:0" :
module attributes {weir.devices = #weir.devices<["cuda:0" {isolated}, "cpu:0"]>} {
  func.func @main(%x: tensor<4xf32> {weir.space = "cuda:0"},
                  %y: tensor<4xf32>)
      -> (tensor<4xf32> {weir.name = "b", weir.space = "cuda:0"}) {
    %a = weir.relu %x on "cuda:0" : tensor<4xf32>
    %b = weir.add %a, %y on "cpu:0" : tensor<4xf32>, tensor<4xf32>
    return %b : tensor<4xf32>
  }
}

// -----

// Without another device that computes, all runs on the CPU, with the threads
// that the option says. Devices of the list keep theirs.
// THREADS: module attributes {weir.devices = #weir.devices<["cpu:0"]>}
// THREADS: module attributes {weir.devices = #weir.devices<["null:0", "cpu:0" {threads = 2}]>}
// CHECK: module attributes {weir.devices = #weir.devices<["null:0", "cpu:0"]>}
module attributes {weir.devices = #weir.devices<["cuda:1", "null:0"]>} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {weir.name = "a"}) {
    %a = weir.relu %x on "cuda:1" : tensor<4xf32>
    return %a : tensor<4xf32>
  }
}
