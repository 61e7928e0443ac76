// Networks of the shapes that the OCR example expects, and one it does not.
module {
  // Finds text everywhere.
  func.func @detector(%x: tensor<1x3x?x?xf32>) -> tensor<1x1x?x?xf32> {
    %zeros = weir.constant dense<0.0> : tensor<1x3x1x1xf32>
    %one = weir.constant dense<1.0> : tensor<1xf32>
    %map = weir.conv %x, %zeros, %one : tensor<1x3x?x?xf32>, tensor<1x3x1x1xf32>, tensor<1xf32>
    return %map : tensor<1x1x?x?xf32>
  }

  // Says the same at every step: of four classes, the second.
  func.func @recogniser(%x: tensor<1x3x48x320xf32>) -> tensor<1x40x4xf32> {
    %rows = weir.reshape %x {shape = [1, 40, 1152]} : tensor<1x3x48x320xf32>
    %zeros = weir.constant dense<0.0> : tensor<4x1152xf32>
    %scores = weir.constant dense<[0.0, 9.0, 0.0, 0.0]> : tensor<4xf32>
    %sums = weir.linear %rows, %zeros, %scores : tensor<1x40x1152xf32>, tensor<4x1152xf32>, tensor<4xf32>
    %y = weir.softmax %sums : tensor<1x40x4xf32>
    return %y : tensor<1x40x4xf32>
  }

  func.func @other(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
    %y = weir.relu %x : tensor<2x8xf32>
    return %y : tensor<2x8xf32>
  }
}
