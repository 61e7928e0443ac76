// What is read at several places is stored before evaluating it at each of them
// costs more: in a chain of sums with what was moved, loads and stores do not
// double with each op.
// RUN: graph-opt %s -convert-weir-to-linalg -convert-linalg-to-kernels \
// RUN:   > %t.mlir
// RUN: grep -c "vector.load\|vector.maskedload\|vector.gather\|memref.load" \
// RUN:   %t.mlir | FileCheck %s
// CHECK: {{^([0-9]|[0-9][0-9])$}}

func.func @moved(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %m0 = weir.pad %x {pads = [0, 1, 0, -1]} : tensor<64x64xf32>
  %y0 = weir.add %x, %m0 : tensor<64x64xf32>, tensor<64x64xf32>
  %m1 = weir.pad %y0 {pads = [0, 2, 0, -2]} : tensor<64x64xf32>
  %y1 = weir.add %y0, %m1 : tensor<64x64xf32>, tensor<64x64xf32>
  %m2 = weir.pad %y1 {pads = [0, 3, 0, -3]} : tensor<64x64xf32>
  %y2 = weir.add %y1, %m2 : tensor<64x64xf32>, tensor<64x64xf32>
  %m3 = weir.pad %y2 {pads = [0, 4, 0, -4]} : tensor<64x64xf32>
  %y3 = weir.add %y2, %m3 : tensor<64x64xf32>, tensor<64x64xf32>
  %m4 = weir.pad %y3 {pads = [0, 5, 0, -5]} : tensor<64x64xf32>
  %y4 = weir.add %y3, %m4 : tensor<64x64xf32>, tensor<64x64xf32>
  %m5 = weir.pad %y4 {pads = [0, 6, 0, -6]} : tensor<64x64xf32>
  %y5 = weir.add %y4, %m5 : tensor<64x64xf32>, tensor<64x64xf32>
  %m6 = weir.pad %y5 {pads = [0, 7, 0, -7]} : tensor<64x64xf32>
  %y6 = weir.add %y5, %m6 : tensor<64x64xf32>, tensor<64x64xf32>
  %m7 = weir.pad %y6 {pads = [0, 8, 0, -8]} : tensor<64x64xf32>
  %y7 = weir.add %y6, %m7 : tensor<64x64xf32>, tensor<64x64xf32>
  %m8 = weir.pad %y7 {pads = [0, 9, 0, -9]} : tensor<64x64xf32>
  %y8 = weir.add %y7, %m8 : tensor<64x64xf32>, tensor<64x64xf32>
  %m9 = weir.pad %y8 {pads = [0, 10, 0, -10]} : tensor<64x64xf32>
  %y9 = weir.add %y8, %m9 : tensor<64x64xf32>, tensor<64x64xf32>
  %m10 = weir.pad %y9 {pads = [0, 11, 0, -11]} : tensor<64x64xf32>
  %y10 = weir.add %y9, %m10 : tensor<64x64xf32>, tensor<64x64xf32>
  %m11 = weir.pad %y10 {pads = [0, 12, 0, -12]} : tensor<64x64xf32>
  %y11 = weir.add %y10, %m11 : tensor<64x64xf32>, tensor<64x64xf32>
  return %y11 : tensor<64x64xf32>
}
