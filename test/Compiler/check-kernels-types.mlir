// A checked kernel may compute in another type than its result has, and round
// where a formula does not.
// RUN: graph-compile %s --check-kernels -o %t.weir 2>&1 | FileCheck %s

// CHECK: remark: checked 4 kernels for {{.*}}, 886 elements

func.func @main(%x: tensor<40xf64>, %y: tensor<40xf32>, %p: tensor<3x17x7xf32>, %q: tensor<3x17x7xf32>, %i: tensor<1x1x4xi8>)
    -> (tensor<40xf32>, tensor<40xf64>, tensor<3x17x7xf32>, tensor<1x1x6xi8>) {
  // The rate of a training step is computed in this way.
  %a = weir.sin %x : tensor<40xf64>
  %rounded = weir.cast %a {to = f32} : tensor<40xf64>
  %wide = weir.cast %y {to = f64} : tensor<40xf32>
  %b = weir.sin %wide : tensor<40xf64>
  // A remainder of the other sign gets the divisor added.
  %m = weir.mod %p, %q : tensor<3x17x7xf32>, tensor<3x17x7xf32>
  // The first window has only padding.
  %n = weir.max_pool %i {kernel_shape = [1], pads = [1, 1]} : tensor<1x1x4xi8>
  return %rounded, %b, %m, %n : tensor<40xf32>, tensor<40xf64>, tensor<3x17x7xf32>, tensor<1x1x6xi8>
}
