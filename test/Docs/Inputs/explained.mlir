// A graph whose explanation has everything that one can have.
weir.parameter @w : tensor<8x4xf32> = dense<0.5> : tensor<8x4xf32>
weir.parameter @one : tensor<1xf32> = dense<1.0> : tensor<1xf32>
weir.parameter @count : tensor<1xf32> = dense<1.0> : tensor<1xf32>
func.func @main(%x: tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<1024x1024xf32>, tensor<16xf32>) {
  %w = weir.read @w : tensor<8x4xf32>
  %half = weir.exp %w : tensor<8x4xf32>
  %p = weir.matmul %x, %half on "cpu:0" : tensor<2x8xf32>, tensor<8x4xf32>
  %y = weir.relu %p on "cpu:1" : tensor<2x4xf32>
  %d = weir.matmul %x, %half on "demo:0" : tensor<2x8xf32>, tensor<8x4xf32>
  %apart = weir.mul %d, %p on "demo:0" : tensor<2x4xf32>, tensor<2x4xf32>
  %one = weir.read @one : tensor<1xf32>
  %large = weir.expand %one {shape = [1024, 1024]} : tensor<1xf32>
  %count = weir.read @count : tensor<1xf32>
  %next = weir.add %count, %one : tensor<1xf32>, tensor<1xf32>
  weir.assign @count, %next : tensor<1xf32>
  %packed = weir.pack %x on "cpu:0" : tensor<2x8xf32>
  return %y, %apart, %large, %packed : tensor<2x4xf32>, tensor<2x4xf32>, tensor<1024x1024xf32>, tensor<16xf32>
}
