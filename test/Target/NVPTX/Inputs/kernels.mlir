// Kernels of all shapes: spread, rows of blocks, columns, two launches, scans,
// elements at computed indices, and rows that do not fit into shared memory.
func.func @main(%x: tensor<128x384xf32>, %scale: tensor<384xf32>,
                %bias: tensor<384xf32>, %h: tensor<33x37xbf16>,
                %rows: tensor<7xi64>, %w: tensor<2x20000xf32>)
    -> (tensor<128x384xf32>, tensor<128x384xf32>, tensor<128x384xf32>,
        tensor<1x1xf32>, tensor<128x384xf32>, tensor<7x384xf32>,
        tensor<33x37xbf16>, tensor<128x384xf32>, tensor<384x128xf32>,
        tensor<2x20000xf32>) {
  %gelu = weir.gelu %x : tensor<128x384xf32>
  %softmax = weir.softmax %x : tensor<128x384xf32>
  %norm = weir.layer_norm %x, %scale, %bias : tensor<128x384xf32>, tensor<384xf32>, tensor<384xf32>
  %sum = weir.reduce_sum %x {axes = [0, 1]} : tensor<128x384xf32>
  %columns = weir.softmax %x {axis = 0} : tensor<128x384xf32>
  %picked = weir.gather %x, %rows : tensor<128x384xf32>, tensor<7xi64>
  %half = weir.sigmoid %h : tensor<33x37xbf16>
  %running = weir.cum_sum %x {axis = 1} : tensor<128x384xf32>
  %turned = weir.transpose %gelu {perm = [1, 0]} : tensor<128x384xf32>
  %wide = weir.softmax %w : tensor<2x20000xf32>
  return %gelu, %softmax, %norm, %sum, %columns, %picked, %half, %running,
         %turned, %wide
      : tensor<128x384xf32>, tensor<128x384xf32>, tensor<128x384xf32>,
        tensor<1x1xf32>, tensor<128x384xf32>, tensor<7x384xf32>,
        tensor<33x37xbf16>, tensor<128x384xf32>, tensor<384x128xf32>,
        tensor<2x20000xf32>
}
