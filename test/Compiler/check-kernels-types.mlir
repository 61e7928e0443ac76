// A checked kernel may compute in another type than its result has, and round
// where a formula does not.
// RUN: graph-compile %s --check-kernels -o %t.weir 2>&1 | FileCheck %s

// CHECK: remark: checked 5 kernels for {{.*}}, 1028 elements

func.func @main(%x: tensor<40xf64>, %y: tensor<40xf32>, %p: tensor<3x17x7xf32>, %q: tensor<3x17x7xf32>, %i: tensor<1x1x1xi8>,
                %t: tensor<1x2x2x2xf32>, %k: tensor<2x3x2x2xf32>, %bias: tensor<3xf32>)
    -> (tensor<40xf32>, tensor<40xf64>, tensor<3x17x7xf32>, tensor<1x1x2xi8>, tensor<1x3x5x5xf32>) {
  // The rate of a training step is computed in this way.
  %a = weir.sin %x : tensor<40xf64>
  %rounded = weir.cast %a {to = f32} : tensor<40xf64>
  %wide = weir.cast %y {to = f64} : tensor<40xf32>
  %b = weir.sin %wide : tensor<40xf64>
  // A remainder of the other sign gets the divisor added.
  %m = weir.mod %p, %q : tensor<3x17x7xf32>, tensor<3x17x7xf32>
  // Windows with padding alone.
  %n = weir.max_pool %i {kernel_shape = [2], dilations = [3], pads = [2, 2]} : tensor<1x1x1xi8>
  // Elements that get the bias alone.
  %c = weir.conv_transpose %t, %k, %bias {strides = [2, 2], output_padding = [1, 1]} : tensor<1x2x2x2xf32>, tensor<2x3x2x2xf32>, tensor<3xf32>
  return %rounded, %b, %m, %n, %c : tensor<40xf32>, tensor<40xf64>, tensor<3x17x7xf32>, tensor<1x1x2xi8>, tensor<1x3x5x5xf32>
}
