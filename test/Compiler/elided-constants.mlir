// How constants are printed does not decide which of them are equal: the two
// pools divide by other numbers of elements.
// RUN: graph-compile %s --emit=lowered --mlir-elide-elementsattrs-if-larger=2 \
// RUN:   | FileCheck %s
// CHECK-COUNT-2: memref.global "private" constant @weir_constant_
// CHECK-NOT: memref.global
// CHECK: memref.get_global @[[FIRST:weir_constant_[0-9A-F]+]]
// CHECK-NOT: memref.get_global @[[FIRST]]
// CHECK: memref.get_global @weir_constant_
func.func @main(%x: tensor<1x1x6xf64>)
    -> (tensor<1x1x6xf64>, tensor<1x1x6xf64>) {
  %a = weir.average_pool %x {kernel_shape = [3], pads = [2, 0]} : tensor<1x1x6xf64>
  %b = weir.average_pool %x {kernel_shape = [3], pads = [0, 2]} : tensor<1x1x6xf64>
  return %a, %b : tensor<1x1x6xf64>, tensor<1x1x6xf64>
}
