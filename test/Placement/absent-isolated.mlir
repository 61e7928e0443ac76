// A device without groups leaves the list if a machine may lack it, and the
// others stay isolated.
// REQUIRES: cuda-plugin
// RUN: graph-compile %s --devices=cpu:0,cuda:0 --isolated --emit=placed \
// RUN:   | FileCheck %s
// RUN: graph-compile %s --devices=cpu:0,cuda:0 --isolated -o %t.weir
// RUN: graph-dump %t.weir | FileCheck %s --check-prefix=DUMP

// CHECK: weir.devices = #weir.devices<["cpu:0" {isolated}]>
// DUMP: device cpu:0
// DUMP-NOT: device cuda:0
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = weir.relu %x on "cpu:0" : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
