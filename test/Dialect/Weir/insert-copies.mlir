// Each value crosses once to each device that reads it, in front of the first
// reader there.
// RUN: graph-opt %s --weir-set-devices="devices=cpu:0-2" --weir-form-groups --weir-place-groups --weir-insert-copies | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // The input goes to every device without crossing.
  // CHECK: %a = weir.group (%x_{{[0-9]+}} = %x) on "cpu:0"
  %a = weir.matmul %x, %x on "cpu:0" : tensor<4x4xf32>, tensor<4x4xf32>
  // CHECK: %[[ONE:.+]] = weir.copy %a from "cpu:0" to "cpu:1"
  // CHECK-NEXT: %b = weir.group (%{{.+}} = %[[ONE]]) on "cpu:1"
  %b = weir.matmul %a, %a on "cpu:1" : tensor<4x4xf32>, tensor<4x4xf32>
  // CHECK-NOT: weir.copy
  // CHECK: %c = weir.group (%{{.+}} = %[[ONE]]) on "cpu:1"
  %c = weir.softmax %a on "cpu:1" : tensor<4x4xf32>
  // CHECK: %[[TWO:.+]] = weir.copy %a from "cpu:0" to "cpu:2"
  // CHECK-NEXT: %d = weir.group (%{{.+}} = %[[TWO]]) on "cpu:2"
  %d = weir.softmax %a on "cpu:2" : tensor<4x4xf32>
  return %b, %c, %d : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
