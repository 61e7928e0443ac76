// Ops become launches of library kernels; epilogues become their post-ops. Where
// code is not generated, the reference kernel serves the rest.
// RUN: split-file %s %t
// RUN: graph-opt %t/net.mlir -split-input-file --weir-set-devices="topology=%t/library.json" --weir-form-groups --weir-place-groups="allow-reference" --weir-lower-groups="allow-reference" | FileCheck %t/net.mlir

//--- library.json
{"devices": [{"name": "cpu:0", "excluded_kernels": ["generated"]}]}

//--- net.mlir

// A bias and an activation behind a product: operand 2 is the bias. The flops
// are those of the product (2 x 2 x 8 x 4), the bias (8) and the clip (2 x 8).
// CHECK-LABEL: func.func @post_ops
func.func @post_ops(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  // CHECK: weir.launch "matmul"(%{{.*}}, %{{.*}}, %{{.*}}) {} then
  // CHECK-SAME: algorithm = "binary_add", alpha = {{.*}}, beta = {{.*}}, operand = 2
  // CHECK-SAME: algorithm = "eltwise_clip", alpha = 0.000000e+00 : f64, beta = 6.000000e+00 : f64, operand = -1
  // CHECK-SAME: -> tensor<2x4xf32> flops 152{{$}}
  %m = weir.matmul %x, %w : tensor<2x8xf32>, tensor<8x4xf32>
  %a = weir.add %m, %b : tensor<2x4xf32>, tensor<4xf32>
  %y = weir.clip %a {min = 0.0, max = 6.0} : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// A composite with a kernel stays whole; one without is expanded.
// CHECK-LABEL: func.func @composites
func.func @composites(%x: tensor<2x4x6xf32>, %s: tensor<4xf32>) -> (tensor<2x4x6xf32>, tensor<2x4x6xf32>) {
  // CHECK: weir.launch "softmax"
  %a = weir.softmax %x : tensor<2x4x6xf32>
  // CHECK: weir.group
  // CHECK-COUNT-2: weir.launch "reduction"
  // CHECK: weir.yield
  %b = weir.group_norm %x, %s, %s {groups = 2} : tensor<2x4x6xf32>, tensor<4xf32>, tensor<4xf32>
  return %a, %b : tensor<2x4x6xf32>, tensor<2x4x6xf32>
}

// -----

// Ops that only move elements are strided copies; erf has no library kernel.
// CHECK-LABEL: func.func @copies
func.func @copies(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<4x3xf32>, tensor<2x3xf32>) {
  // CHECK: weir.launch "reorder"(%{{.*}}) {} copies [#weir.element_copy<operand = 0, result = 0, dims = [3, 2], from_offset = 0, from_strides = [1, 3], to_offset = 0, to_strides = [2, 1]>] : (tensor<2x3xf32>) -> tensor<3x2xf32>{{$}}
  %t = weir.transpose %x {perm = [1, 0]} : tensor<2x3xf32>
  // CHECK: weir.launch "reorder"(%{{.*}}) {} copies
  // CHECK-SAME: operand = 0, {{.*}} to_offset = 0,
  // CHECK-SAME: operand = 1, {{.*}} to_offset = 6,
  %c = weir.concat %x, %x {axis = 0} : tensor<2x3xf32>, tensor<2x3xf32>
  // CHECK: weir.launch "reference"(%{{.*}}) {combiner = "none", expression = "erf(a)", spec = "...->..."} : (tensor<2x3xf32>) -> tensor<2x3xf32> flops 6{{$}}
  %e = weir.erf %x : tensor<2x3xf32>
  return %t, %c, %e : tensor<3x2xf32>, tensor<4x3xf32>, tensor<2x3xf32>
}

// -----

// A product sums in f32 and writes that or what it reads: casts behind it and
// between its epilogues are no launches. Other kernels write what they read.
// CHECK-LABEL: func.func @casts
func.func @casts(%x: tensor<2x8xbf16>, %w: tensor<8x4xbf16>, %b: tensor<4xf32>, %r: tensor<2x4xbf16>) -> (tensor<2x4xbf16>, tensor<2x4xf32>, tensor<2x4xf32>) {
  // CHECK: weir.launch "matmul"
  // CHECK-SAME: algorithm = "binary_add"
  // CHECK-SAME: algorithm = "binary_mul"
  // CHECK-SAME: tensor<2x4xbf16>
  // CHECK-NOT: weir.launch "reorder"
  %m = weir.matmul %x, %w : tensor<2x8xbf16>, tensor<8x4xbf16>
  %m_f32 = weir.cast %m {to = f32} : tensor<2x4xbf16>
  %a = weir.add %m_f32, %b : tensor<2x4xf32>, tensor<4xf32>
  %a_bf16 = weir.cast %a {to = bf16} : tensor<2x4xf32>
  %y = weir.mul %a_bf16, %r : tensor<2x4xbf16>, tensor<2x4xbf16>
  // CHECK: weir.launch "matmul"{{.*}}-> tensor<2x4xf32>
  // CHECK-NOT: weir.launch "reorder"
  %n = weir.matmul %x, %w : tensor<2x8xbf16>, tensor<8x4xbf16>
  %n_f32 = weir.cast %n {to = f32} : tensor<2x4xbf16>
  // CHECK: weir.launch "eltwise"{{.*}}-> tensor<2x4xbf16>
  // CHECK: weir.launch "reorder"
  %e = weir.relu %r : tensor<2x4xbf16>
  %e_f32 = weir.cast %e {to = f32} : tensor<2x4xbf16>
  return %y, %n_f32, %e_f32 : tensor<2x4xbf16>, tensor<2x4xf32>, tensor<2x4xf32>
}
