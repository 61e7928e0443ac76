weir.parameter @b : tensor<7xf32> from "abs.safetensors" key "vector.in0"
weir.parameter @w : tensor<3x7xf32> = dense<0.5> : tensor<3x7xf32>

func.func @main(%x: tensor<3x7xf32>) -> tensor<3x3xf32> {
  %w = weir.read @w : tensor<3x7xf32>
  %b = weir.read @b : tensor<7xf32>
  %sum = weir.add %x, %b on "cpu:1" : tensor<3x7xf32>, tensor<7xf32>
  %image = weir.reshape %sum {shape = [1, 1, 3, 7]} : tensor<3x7xf32>
  %pool = weir.max_pool %image on "cpu:0" {kernel_shape = [2, 2], pads = [1, 0, 0, 1]} : tensor<1x1x3x7xf32>
  %flat = weir.reshape %pool {shape = [3, 7]} : tensor<1x1x3x7xf32>
  %turned = weir.transpose %w {perm = [1, 0]} : tensor<3x7xf32>
  %y = weir.matmul %flat, %turned on "cpu:1" : tensor<3x7xf32>, tensor<7x3xf32>
  %p = weir.softmax %y on "cpu:0" {axis = 1} : tensor<3x3xf32>
  return %p : tensor<3x3xf32>
}
