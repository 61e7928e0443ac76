// A checked kernel may compute in another type than its result has.
// RUN: graph-compile %s --check-kernels -o %t.weir 2>&1 | FileCheck %s

// CHECK: remark: checked 2 kernels for {{.*}}, 160 elements

func.func @main(%x: tensor<40xf64>, %y: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf64>) {
  // The rate of a training step is computed in this way.
  %a = weir.sin %x : tensor<40xf64>
  %rounded = weir.cast %a {to = f32} : tensor<40xf64>
  %wide = weir.cast %y {to = f64} : tensor<40xf32>
  %b = weir.sin %wide : tensor<40xf64>
  return %rounded, %b : tensor<40xf32>, tensor<40xf64>
}
