// "step" updates parameters that "main" reads, one of them in place. Ops run on
// two devices.
weir.parameter @kernel : tensor<4x1x2x2xf32> = dense<0.25>
  : tensor<4x1x2x2xf32>
weir.parameter @weight : tensor<16x3xf32>
  uniform <seed = 1, low = 0.0, high = 1.0>
weir.parameter @scale : tensor<3xf32> = dense<2.0> : tensor<3xf32>

func.func @main(%x: tensor<?x1x5x5xf32>) -> (tensor<?x3xf32>, tensor<?x16xf32>) {
  %kernel = weir.read @kernel : tensor<4x1x2x2xf32>
  %weight = weir.read @weight : tensor<16x3xf32>
  %scale = weir.read @scale : tensor<3xf32>
  %c = weir.conv %x, %kernel on "cpu:0" : tensor<?x1x5x5xf32>, tensor<4x1x2x2xf32>
  %r = weir.relu %c on "cpu:0" : tensor<?x4x4x4xf32>
  %p = weir.max_pool %r on "cpu:1" {kernel_shape = [2, 2], strides = [2, 2]} : tensor<?x4x4x4xf32>
  %f = weir.reshape %p {shape = [-1, 16]} : tensor<?x4x2x2xf32>
  %m = weir.matmul %f, %weight on "cpu:0" : tensor<?x16xf32>, tensor<16x3xf32>
  %s = weir.mul %m, %scale on "cpu:1" : tensor<?x3xf32>, tensor<3xf32>
  %y = weir.softmax %s on "cpu:0" {axis = 1} : tensor<?x3xf32>
  return %y, %f : tensor<?x3xf32>, tensor<?x16xf32>
}

func.func @step(%g: tensor<16x3xf32>, %h: tensor<3xf32>) -> tensor<3xf32> {
  %weight = weir.read @weight : tensor<16x3xf32>
  %scale = weir.read @scale : tensor<3xf32>
  %w = weir.sub %weight, %g on "cpu:0" : tensor<16x3xf32>, tensor<16x3xf32>
  %s = weir.add %scale, %h on "cpu:1" : tensor<3xf32>, tensor<3xf32>
  weir.assign @weight, %w : tensor<16x3xf32>
  weir.assign @scale, %s : tensor<3xf32>
  %old = weir.mul %scale, %h on "cpu:0" : tensor<3xf32>, tensor<3xf32>
  return %old : tensor<3xf32>
}
