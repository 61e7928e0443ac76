// What each library launch computes is kept, to check its kernel. Equal launches
// share a function.
// RUN: split-file %s %t
// RUN: graph-opt %t/net.mlir --weir-set-devices="topology=%t/library.json" \
// RUN:   --weir-form-groups --weir-place-groups="allow-reference" \
// RUN:   --weir-lower-groups="allow-reference keep-ops" | FileCheck %t/net.mlir

//--- library.json
{"devices": [{"name": "cpu:0", "excluded_kernels": ["generated"]}]}

//--- net.mlir

func.func @main(%x: tensor<2x8xf32>, %z: tensor<2x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xi64>) {
  %m = weir.matmul %x, %w : tensor<2x8xf32>, tensor<8x4xf32>
  %a = weir.add %b, %m : tensor<4xf32>, tensor<2x4xf32>
  %y = weir.clip %a {min = 0.0, max = 6.0} : tensor<2x4xf32>
  %m2 = weir.matmul %z, %w : tensor<2x8xf32>, tensor<8x4xf32>
  %a2 = weir.add %b, %m2 : tensor<4xf32>, tensor<2x4xf32>
  %y2 = weir.clip %a2 {min = 0.0, max = 6.0} : tensor<2x4xf32>
  %m3 = weir.matmul %z, %w : tensor<2x8xf32>, tensor<8x4xf32>
  %a3 = weir.add %m3, %b : tensor<2x4xf32>, tensor<4xf32>
  %y3 = weir.clip %a3 {min = 0.0, max = 6.0} : tensor<2x4xf32>
  %e = weir.erf %y3 : tensor<2x4xf32>
  %i = weir.top_k %y {k = 4} : tensor<2x4xf32>
  return %y, %y2, %e, %i : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xi64>
}

// The operands of the launch, in order.
// CHECK: module @weir_launches {
// CHECK: func.func private @{{.*}}(%[[X:.*]]: tensor<2x8xf32>, %[[W:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<4xf32>) -> tensor<2x4xf32> attributes {weir.launch = {config = {}, copies = [], flops = 152 : i64, kernel = "matmul", post_ops = [
// CHECK: %[[M:.*]] = weir.matmul %[[X]], %[[W]]
// CHECK: %[[A:.*]] = weir.add %[[B]], %[[M]]
// CHECK: %[[Y:.*]] = weir.clip %[[A]]
// CHECK: return %[[Y]]
// CHECK: func.func private
// CHECK: weir.add %{{.*}}, %{{.*}} : tensor<2x4xf32>, tensor<4xf32>
// CHECK: kernel = "reference"
// CHECK: weir.erf
// CHECK: kernel = "top_k"
// CHECK: return %{{.*}} : tensor<2x4xi64>
// CHECK-NOT: func.func
