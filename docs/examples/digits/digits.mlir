// A small network that reads handwritten digits, over two devices: convolution
// and pooling on cpu:0, the dense layer and softmax on cpu:1. The batch size is
// open; --shape=image:32x1x28x28 fixes it. README.md says where the weights are
// from.
module {
  weir.parameter @conv_weight : tensor<32x1x3x3xf32> from "cnn.safetensors" key "conv.weight"
  weir.parameter @conv_bias : tensor<32xf32> from "cnn.safetensors" key "conv.bias"
  weir.parameter @dense_weight : tensor<10x5408xf32> from "cnn.safetensors" key "dense.weight"
  weir.parameter @dense_bias : tensor<10xf32> from "cnn.safetensors" key "dense.bias"

  func.func @main(%image: tensor<?x1x28x28xf32>) -> tensor<?x10xf32> {
    %conv_weight = weir.read @conv_weight : tensor<32x1x3x3xf32>
    %conv_bias = weir.read @conv_bias : tensor<32xf32>
    %conv = weir.conv %image, %conv_weight, %conv_bias on "cpu:0" : tensor<?x1x28x28xf32>, tensor<32x1x3x3xf32>, tensor<32xf32>
    %relu = weir.relu %conv on "cpu:0" : tensor<?x32x26x26xf32>
    %pool = weir.max_pool %relu on "cpu:0" {kernel_shape = [2, 2], strides = [2, 2]} : tensor<?x32x26x26xf32>

    %flat = weir.reshape %pool on "cpu:1" {shape = [0, 5408]} : tensor<?x32x13x13xf32>
    %dense_weight = weir.read @dense_weight : tensor<10x5408xf32>
    %dense_bias = weir.read @dense_bias : tensor<10xf32>
    %dense = weir.linear %flat, %dense_weight, %dense_bias on "cpu:1" : tensor<?x5408xf32>, tensor<10x5408xf32>, tensor<10xf32>
    %probabilities = weir.softmax %dense on "cpu:1" : tensor<?x10xf32>
    return %probabilities : tensor<?x10xf32>
  }
}
