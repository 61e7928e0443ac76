// An index that joins dims and divides them again is linear in each iteration of
// an unrolled loop, not only in the first one.
// RUN: graph-compile %s --check-kernels -o %t.weir 2>&1 | FileCheck %s

// CHECK: remark: checked 1 kernels for {{.*}}, 1536 elements

func.func @main(%v5: tensor<3x8x8x2xf32>)
    -> (tensor<128x2x3xf32>) {
  %v6 = weir.transpose %v5 {perm = [0, 2, 1, 3]} : tensor<3x8x8x2xf32>
  %v8 = weir.reshape %v6 {shape = [24, 8, 2]} : tensor<3x8x8x2xf32>
  %v10 = weir.reshape %v8 {shape = [3, 8, 8, 2]} : tensor<24x8x2xf32>
  %v11 = weir.transpose %v10 {perm = [0, 2, 1, 3]} : tensor<3x8x8x2xf32>
  %v12 = weir.reshape %v11 {shape = [3, 8, 16]} : tensor<3x8x8x2xf32>
  %v16 = weir.leaky_relu %v12 {alpha = 0.100000000} : tensor<3x8x16xf32>
  %v17 = weir.reshape %v16 {shape = [384]} : tensor<3x8x16xf32>
  %v19 = weir.abs %v17 : tensor<384xf32>
  %v30 = weir.reshape %v19 {shape = [128, 1, 3]} : tensor<384xf32>
  %v31 = weir.abs %v30 : tensor<128x1x3xf32>
  %v34 = weir.concat %v31, %v31 {axis = 1} : tensor<128x1x3xf32>, tensor<128x1x3xf32>
  return %v34 : tensor<128x2x3xf32>
}
