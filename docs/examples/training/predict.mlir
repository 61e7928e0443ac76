// The trained network for use, over two devices: convolutions on cpu:0, the
// dense layer on cpu:1. The weights are those that run.sh has trained and puts
// beside this text.
module {
  weir.parameter @conv1_weight : tensor<32x1x3x3xf32> from "trained.safetensors"
  weir.parameter @conv1_bias : tensor<32xf32> from "trained.safetensors"
  weir.parameter @conv2_weight : tensor<64x32x3x3xf32> from "trained.safetensors"
  weir.parameter @conv2_bias : tensor<64xf32> from "trained.safetensors"
  weir.parameter @dense_weight : tensor<10x1600xf32> from "trained.safetensors"
  weir.parameter @dense_bias : tensor<10xf32> from "trained.safetensors"

  func.func @main(%image: tensor<1000x1x28x28xf32>, %label: tensor<1000xi64>)
      -> (tensor<1000x10xf32> {weir.name = "scores"}, tensor<f32> {weir.name = "accuracy"}) {
    %conv1_weight = weir.read @conv1_weight : tensor<32x1x3x3xf32>
    %conv1_bias = weir.read @conv1_bias : tensor<32xf32>
    %conv1 = weir.conv %image, %conv1_weight, %conv1_bias on "cpu:0" : tensor<1000x1x28x28xf32>, tensor<32x1x3x3xf32>, tensor<32xf32>
    %relu1 = weir.relu %conv1 : tensor<1000x32x26x26xf32>
    %pool1 = weir.max_pool %relu1 on "cpu:0" {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1000x32x26x26xf32>
    %conv2_weight = weir.read @conv2_weight : tensor<64x32x3x3xf32>
    %conv2_bias = weir.read @conv2_bias : tensor<64xf32>
    %conv2 = weir.conv %pool1, %conv2_weight, %conv2_bias on "cpu:0" : tensor<1000x32x13x13xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>
    %relu2 = weir.relu %conv2 : tensor<1000x64x11x11xf32>
    %pool2 = weir.max_pool %relu2 on "cpu:0" {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1000x64x11x11xf32>

    %flat = weir.reshape %pool2 on "cpu:1" {shape = [1000, 1600]} : tensor<1000x64x5x5xf32>
    %dense_weight = weir.read @dense_weight : tensor<10x1600xf32>
    %dense_bias = weir.read @dense_bias : tensor<10xf32>
    %scores = weir.linear %flat, %dense_weight, %dense_bias on "cpu:1" : tensor<1000x1600xf32>, tensor<10x1600xf32>, tensor<10xf32>
    %accuracy = weir.accuracy %scores, %label on "cpu:1" : tensor<1000x10xf32>, tensor<1000xi64>
    return %scores, %accuracy : tensor<1000x10xf32>, tensor<f32>
  }
}
