// Variables that lie in a bucket, and a pack of tensors that launches write.
weir.parameter @w : tensor<3x7xf32> = dense<0.5> : tensor<3x7xf32>
weir.parameter @b : tensor<7xf32> = dense<0.25> : tensor<7xf32>
weir.bucket @all : tensor<48xf32> of [@w, @b]

func.func @main(%x: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %w = weir.read @w : tensor<3x7xf32>
  %b = weir.read @b : tensor<7xf32>
  %s = weir.add %x, %b : tensor<3x7xf32>, tensor<7xf32>
  %y = weir.mul %s, %w on "cpu:1" : tensor<3x7xf32>, tensor<3x7xf32>
  %m = weir.reduce_max %x {axes = [0], keepdims = false} : tensor<3x7xf32>
  %t = weir.tanh %x : tensor<3x7xf32>
  %p = weir.pack %t, %m : tensor<3x7xf32>, tensor<7xf32>
  %old = weir.read @all : tensor<48xf32>
  %new = weir.sub %old, %p : tensor<48xf32>, tensor<48xf32>
  weir.assign @all, %new : tensor<48xf32>
  return %y : tensor<3x7xf32>
}
