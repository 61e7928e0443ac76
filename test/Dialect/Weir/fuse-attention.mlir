// Attention is one launch where a kernel computes all of it. On the CPU, and in
// f32, it stays as it is.
// REQUIRES: cudnn-kernels
// RUN: graph-compile %s --devices=cuda:0 --emit=lowered -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: graph-compile %s --devices=cpu:0 --emit=lowered \
// RUN:   | FileCheck %s --check-prefix=CPU
// RUN: graph-compile %s --devices=cuda:0 --explain -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=APART

// CPU-NOT: "attention"

// BERT: a factor, and a mask that is added. The heads are not moved.
// CHECK-LABEL: func.func @bert
// CHECK-NOT: weir.launch "{{generated|matmul}}"
// CHECK: weir.launch "attention"({{.*}}) {scale = 1.250000e-01 : f64}
// CHECK-SAME: (tensor<2x12x128x64xbf16, #weir.layout<[0, 2, 1, 3]>>, tensor<2x12x128x64xbf16, #weir.layout<[0, 2, 1, 3]>>, tensor<2x12x128x64xbf16, #weir.layout<[0, 2, 1, 3]>>, tensor<2x1x1x128xf32>) -> tensor<2x12x128x64xbf16, #weir.layout<[0, 2, 1, 3]>> flops
// CHECK-NOT: weir.launch
func.func @bert(%q: tensor<2x128x12x64xbf16>, %k: tensor<2x128x12x64xbf16>, %v: tensor<2x128x12x64xbf16>, %mask: tensor<2x1x1x128xf32>) -> tensor<2x128x768xbf16> {
  %eight = weir.constant dense<8.0> : tensor<f32>
  %qt = weir.transpose %q {perm = [0, 2, 1, 3]} : tensor<2x128x12x64xbf16>
  %kt = weir.transpose %k {perm = [0, 2, 3, 1]} : tensor<2x128x12x64xbf16>
  %vt = weir.transpose %v {perm = [0, 2, 1, 3]} : tensor<2x128x12x64xbf16>
  %s = weir.matmul %qt, %kt : tensor<2x12x128x64xbf16>, tensor<2x12x64x128xbf16>
  %wide = weir.cast %s {to = f32} : tensor<2x12x128x128xbf16>
  %scaled = weir.div %wide, %eight : tensor<2x12x128x128xf32>, tensor<f32>
  %masked = weir.add %scaled, %mask : tensor<2x12x128x128xf32>, tensor<2x1x1x128xf32>
  %p = weir.softmax %masked : tensor<2x12x128x128xf32>
  %narrow = weir.cast %p {to = bf16} : tensor<2x12x128x128xf32>
  %c = weir.matmul %narrow, %vt : tensor<2x12x128x128xbf16>, tensor<2x12x128x64xbf16>
  %ct = weir.transpose %c {perm = [0, 2, 1, 3]} : tensor<2x12x128x64xbf16>
  %y = weir.reshape %ct {shape = [2, 128, 768]} : tensor<2x128x12x64xbf16>
  return %y : tensor<2x128x768xbf16>
}

// GPT-2: two transposes of the keys, and later keys are masked.
// CHECK-LABEL: func.func @gpt2
// CHECK-NOT: weir.launch "{{generated|matmul}}"
// CHECK: weir.launch "attention"({{.*}}) {causal = "top_left", scale = 1.250000e-01 : f64}
// CHECK-SAME: (tensor<1x4x4x64xf16, #weir.layout<[0, 2, 1, 3]>>, tensor<1x4x4x64xf16, #weir.layout<[0, 2, 1, 3]>>, tensor<1x4x4x64xf16>) -> tensor<1x4x4x64xf16> flops
// CHECK-NOT: weir.launch
func.func @gpt2(%q: tensor<1x4x4x64xf16>, %k: tensor<1x4x4x64xf16>, %v: tensor<1x4x4x64xf16>) -> tensor<1x4x4x64xf16> {
  %seen = weir.constant dense<[[true, false, false, false], [true, true, false, false], [true, true, true, false], [true, true, true, true]]> : tensor<4x4xi1>
  %lowest = weir.constant dense<-3.40282347E+38> : tensor<f32>
  %eighth = weir.constant dense<0.125> : tensor<f32>
  %qt = weir.transpose %q {perm = [0, 2, 1, 3]} : tensor<1x4x4x64xf16>
  %kh = weir.transpose %k {perm = [0, 2, 1, 3]} : tensor<1x4x4x64xf16>
  %kt = weir.transpose %kh {perm = [0, 1, 3, 2]} : tensor<1x4x4x64xf16>
  %s = weir.matmul %qt, %kt : tensor<1x4x4x64xf16>, tensor<1x4x64x4xf16>
  %wide = weir.cast %s {to = f32} : tensor<1x4x4x4xf16>
  %scaled = weir.mul %eighth, %wide : tensor<f32>, tensor<1x4x4x4xf32>
  %masked = weir.where %seen, %scaled, %lowest : tensor<4x4xi1>, tensor<1x4x4x4xf32>, tensor<f32>
  %p = weir.softmax %masked {axis = 3} : tensor<1x4x4x4xf32>
  %narrow = weir.cast %p {to = f16} : tensor<1x4x4x4xf32>
  %y = weir.matmul %narrow, %v : tensor<1x4x4x4xf16>, tensor<1x4x4x64xf16>
  return %y : tensor<1x4x4x64xf16>
}

// The last queries of a longer text see all keys before them. The condition
// says which scores go, and there are three dims.
// CHECK-LABEL: func.func @last_queries
// CHECK: weir.launch "attention"({{.*}}) {causal = "bottom_right", scale = 1.000000e+00 : f64}
// CHECK-NOT: weir.launch
func.func @last_queries(%q: tensor<8x2x64xf16>, %k: tensor<8x4x64xf16>, %v: tensor<8x4x64xf16>) -> tensor<8x2x64xf16> {
  %gone = weir.constant dense<[[false, false, false, true], [false, false, false, false]]> : tensor<2x4xi1>
  %lowest = weir.constant dense<-1.0E+30> : tensor<f32>
  %kt = weir.transpose %k {perm = [0, 2, 1]} : tensor<8x4x64xf16>
  %s = weir.matmul %q, %kt : tensor<8x2x64xf16>, tensor<8x64x4xf16>
  %wide = weir.cast %s {to = f32} : tensor<8x2x4xf16>
  %masked = weir.where %gone, %lowest, %wide : tensor<2x4xi1>, tensor<f32>, tensor<8x2x4xf32>
  %p = weir.softmax %masked : tensor<8x2x4xf32>
  %narrow = weir.cast %p {to = f16} : tensor<8x2x4xf32>
  %y = weir.matmul %narrow, %v : tensor<8x2x4xf16>, tensor<8x4x64xf16>
  return %y : tensor<8x2x64xf16>
}

// PyTorch multiplies queries and keys by the root of the factor.
// CHECK-LABEL: func.func @scaled_operands
// CHECK-NOT: weir.launch "{{generated|matmul}}"
// CHECK: weir.launch "attention"({{.*}}) {scale = 1.250000e-01 : f64}
// CHECK-SAME: (tensor<1x4x16x64xbf16, #weir.layout<[0, 2, 1, 3]>>, tensor<1x4x16x64xbf16, #weir.layout<[0, 2, 1, 3]>>, tensor<1x4x16x64xbf16>)
// CHECK-NOT: weir.launch
func.func @scaled_operands(%q: tensor<1x16x4x64xbf16>, %k: tensor<1x16x4x64xbf16>, %v: tensor<1x4x16x64xbf16>) -> tensor<1x4x16x64xbf16> {
  %half = weir.constant dense<0.5> : tensor<bf16>
  %quarter = weir.constant dense<0.25> : tensor<f32>
  %qt = weir.transpose %q {perm = [0, 2, 1, 3]} : tensor<1x16x4x64xbf16>
  %qs = weir.mul %qt, %half : tensor<1x4x16x64xbf16>, tensor<bf16>
  %kt = weir.transpose %k {perm = [0, 2, 3, 1]} : tensor<1x16x4x64xbf16>
  %kw = weir.cast %kt {to = f32} : tensor<1x4x64x16xbf16>
  %km = weir.mul %kw, %quarter : tensor<1x4x64x16xf32>, tensor<f32>
  %ks = weir.cast %km {to = bf16} : tensor<1x4x64x16xf32>
  %s = weir.matmul %qs, %ks : tensor<1x4x16x64xbf16>, tensor<1x4x64x16xbf16>
  %p = weir.softmax %s : tensor<1x4x16x16xbf16>
  %y = weir.matmul %p, %v : tensor<1x4x16x16xbf16>, tensor<1x4x16x64xbf16>
  return %y : tensor<1x4x16x64xbf16>
}

// Keys that come transposed are turned by a launch of its own.
// CHECK-LABEL: func.func @transposed_keys
// CHECK: weir.launch "generated"
// CHECK: weir.launch "attention"
// CHECK-SAME: (tensor<4x16x64xbf16>, tensor<4x16x64xbf16>, tensor<4x16x64xbf16>)
// CHECK-NOT: weir.launch
func.func @transposed_keys(%q: tensor<4x16x64xbf16>, %kt: tensor<4x64x16xbf16>, %v: tensor<4x16x64xbf16>) -> tensor<4x16x64xbf16> {
  %s = weir.matmul %q, %kt : tensor<4x16x64xbf16>, tensor<4x64x16xbf16>
  %p = weir.softmax %s : tensor<4x16x16xbf16>
  %y = weir.matmul %p, %v : tensor<4x16x16xbf16>, tensor<4x16x64xbf16>
  return %y : tensor<4x16x64xbf16>
}

// Queries and transposed keys may be one tensor.
// CHECK-LABEL: func.func @square
// CHECK: weir.launch "generated"
// CHECK: weir.launch "attention"({{.*}} {scale = 2.500000e-01 : f64}
// CHECK-NOT: weir.launch
func.func @square(%x: tensor<4x64x64xbf16>, %v: tensor<4x64x64xbf16>) -> tensor<4x64x64xbf16> {
  %half11 = weir.constant dense<0.5> : tensor<bf16>
  %x11 = weir.mul %x, %half11 : tensor<4x64x64xbf16>, tensor<bf16>
  %s11 = weir.matmul %x11, %x11 : tensor<4x64x64xbf16>, tensor<4x64x64xbf16>
  %p11 = weir.softmax %s11 : tensor<4x64x64xbf16>
  %y11 = weir.matmul %p11, %v : tensor<4x64x64xbf16>, tensor<4x64x64xbf16>
  return %y11 : tensor<4x64x64xbf16>
}

// What somebody else reads must exist.
// CHECK-LABEL: func.func @probabilities_read
// CHECK-NOT: "attention"
// CHECK-LABEL: func.func @scores_read
// CHECK-NOT: "attention"
// APART: probabilities_read/p1: apart from the kernel in front of it: kernel 'attention': the result of 'p1' is also read elsewhere
// APART: scores_read/p2: apart from the kernel in front of it: kernel 'attention': the result of 's2' is also read elsewhere
func.func @probabilities_read(%q: tensor<4x16x64xbf16>, %k: tensor<4x16x64xbf16>, %v: tensor<4x16x64xbf16>) -> (tensor<4x16x16xbf16>, tensor<4x16x64xbf16>) {
  %kt1 = weir.transpose %k {perm = [0, 2, 1]} : tensor<4x16x64xbf16>
  %s1 = weir.matmul %q, %kt1 : tensor<4x16x64xbf16>, tensor<4x64x16xbf16>
  %p1 = weir.softmax %s1 : tensor<4x16x16xbf16>
  %y1 = weir.matmul %p1, %v : tensor<4x16x16xbf16>, tensor<4x16x64xbf16>
  return %p1, %y1 : tensor<4x16x16xbf16>, tensor<4x16x64xbf16>
}
func.func @scores_read(%q: tensor<4x16x64xbf16>, %k: tensor<4x16x64xbf16>, %v: tensor<4x16x64xbf16>) -> (tensor<4x16x16xbf16>, tensor<4x16x64xbf16>) {
  %kt2 = weir.transpose %k {perm = [0, 2, 1]} : tensor<4x16x64xbf16>
  %s2 = weir.matmul %q, %kt2 : tensor<4x16x64xbf16>, tensor<4x64x16xbf16>
  %p2 = weir.softmax %s2 : tensor<4x16x16xbf16>
  %y2 = weir.matmul %p2, %v : tensor<4x16x16xbf16>, tensor<4x16x64xbf16>
  return %s2, %y2 : tensor<4x16x16xbf16>, tensor<4x16x64xbf16>
}

// Another choice than the causal one becomes a mask that is added.
// CHECK-LABEL: func.func @other_mask
// CHECK: weir.launch "generated"({{.*}} -> tensor<2x4xf32>
// CHECK: weir.launch "attention"({{.*}} {scale = 1.000000e+00 : f64} : (tensor<8x2x64xf16>, tensor<8x4x64xf16>, tensor<8x4x64xf16>, tensor<2x4xf32>)
// CHECK-NOT: weir.launch
func.func @other_mask(%q: tensor<8x2x64xf16>, %k: tensor<8x4x64xf16>, %v: tensor<8x4x64xf16>) -> tensor<8x2x64xf16> {
  %seen = weir.constant dense<[[true, true, false, true], [true, true, true, true]]> : tensor<2x4xi1>
  %lowest = weir.constant dense<-1.0E+30> : tensor<f32>
  %kt3 = weir.transpose %k {perm = [0, 2, 1]} : tensor<8x4x64xf16>
  %s3 = weir.matmul %q, %kt3 : tensor<8x2x64xf16>, tensor<8x64x4xf16>
  %wide3 = weir.cast %s3 {to = f32} : tensor<8x2x4xf16>
  %masked3 = weir.where %seen, %wide3, %lowest : tensor<2x4xi1>, tensor<8x2x4xf32>, tensor<f32>
  %p3 = weir.softmax %masked3 : tensor<8x2x4xf32>
  %narrow3 = weir.cast %p3 {to = f16} : tensor<8x2x4xf32>
  %y3 = weir.matmul %narrow3, %v : tensor<8x2x4xf16>, tensor<8x4x64xf16>
  return %y3 : tensor<8x2x64xf16>
}
// So does the causal one with another mask, in front of it or behind. Layers
// share what is added.
// CHECK-LABEL: func.func @layers
// CHECK-NOT: weir.launch
// CHECK: %[[MASK:[a-z0-9_]+]] = weir.group {{.*}} -> tensor<2x1x4x4xf32>
// CHECK-NEXT: weir.launch "generated"
// CHECK-NOT: weir.launch
// CHECK: weir.group ({{.*}} = %[[MASK]])
// CHECK: weir.launch "attention"({{.*}} {scale = 1.000000e+00 : f64}
// CHECK-NOT: weir.launch
// CHECK: weir.group ({{.*}} = %[[MASK]])
// CHECK: weir.launch "attention"({{.*}} {scale = 1.000000e+00 : f64}
// CHECK-NOT: weir.launch
func.func @layers(%x: tensor<2x4x4x64xbf16>, %k: tensor<2x4x4x64xbf16>, %mask: tensor<2x1x1x4xf32>) -> tensor<2x4x4x64xbf16> {
  %seen = weir.constant dense<[[true, false, false, false], [true, true, false, false], [true, true, true, false], [true, true, true, true]]> : tensor<4x4xi1>
  %lowest = weir.constant dense<-3.40282347E+38> : tensor<f32>
  %kt = weir.transpose %k {perm = [0, 1, 3, 2]} : tensor<2x4x4x64xbf16>
  %s9 = weir.matmul %x, %kt : tensor<2x4x4x64xbf16>, tensor<2x4x64x4xbf16>
  %wide9 = weir.cast %s9 {to = f32} : tensor<2x4x4x4xbf16>
  %masked9 = weir.where %seen, %wide9, %lowest : tensor<4x4xi1>, tensor<2x4x4x4xf32>, tensor<f32>
  %sum9 = weir.add %masked9, %mask : tensor<2x4x4x4xf32>, tensor<2x1x1x4xf32>
  %p9 = weir.softmax %sum9 : tensor<2x4x4x4xf32>
  %narrow9 = weir.cast %p9 {to = bf16} : tensor<2x4x4x4xf32>
  %y9 = weir.matmul %narrow9, %k : tensor<2x4x4x4xbf16>, tensor<2x4x4x64xbf16>
  %s10 = weir.matmul %y9, %kt : tensor<2x4x4x64xbf16>, tensor<2x4x64x4xbf16>
  %wide10 = weir.cast %s10 {to = f32} : tensor<2x4x4x4xbf16>
  %sum10 = weir.add %wide10, %mask : tensor<2x4x4x4xf32>, tensor<2x1x1x4xf32>
  %masked10 = weir.where %seen, %sum10, %lowest : tensor<4x4xi1>, tensor<2x4x4x4xf32>, tensor<f32>
  %p10 = weir.softmax %masked10 : tensor<2x4x4x4xf32>
  %narrow10 = weir.cast %p10 {to = bf16} : tensor<2x4x4x4xf32>
  %y10 = weir.matmul %narrow10, %k : tensor<2x4x4x4xbf16>, tensor<2x4x4x64xbf16>
  return %y10 : tensor<2x4x4x64xbf16>
}

// DistilBERT repeats its condition in the kernel of the mask, which another op
// reads here. The mask is made of what is repeated, and the rest stays.
// CHECK-LABEL: func.func @repeated
// CHECK: weir.launch "generated"({{.*}} -> tensor<2x1x1x16xf32>
// CHECK: weir.launch "attention"({{.*}}, tensor<2x1x1x16xf32>) -> tensor<2x4x16x64xbf16>
// CHECK-NOT: weir.launch "matmul"
func.func @repeated(%x: tensor<2x4x16x64xbf16>, %k: tensor<2x4x16x64xbf16>, %m: tensor<2x1x1x16xi1>) -> (tensor<2x4x16x64xbf16>, tensor<2x4x16x16xf32>) {
  %lowest = weir.constant dense<-3.40282347E+38> : tensor<f32>
  %kt = weir.transpose %k {perm = [0, 1, 3, 2]} : tensor<2x4x16x64xbf16>
  %s12 = weir.matmul %x, %kt : tensor<2x4x16x64xbf16>, tensor<2x4x64x16xbf16>
  %wide12 = weir.cast %s12 {to = f32} : tensor<2x4x16x16xbf16>
  %all12 = weir.expand %m {shape = [2, 4, 16, 16]} : tensor<2x1x1x16xi1>
  %masked12 = weir.where %all12, %lowest, %wide12 : tensor<2x4x16x16xi1>, tensor<f32>, tensor<2x4x16x16xf32>
  %p12 = weir.softmax %masked12 : tensor<2x4x16x16xf32>
  %narrow12 = weir.cast %p12 {to = bf16} : tensor<2x4x16x16xf32>
  %y12 = weir.matmul %narrow12, %k : tensor<2x4x16x16xbf16>, tensor<2x4x16x64xbf16>
  %z12 = weir.cast %all12 {to = f32} : tensor<2x4x16x16xi1>
  return %y12, %z12 : tensor<2x4x16x64xbf16>, tensor<2x4x16x16xf32>
}

// A mask that is computed in the kernel of the softmax stays there, for itself.
// CHECK-LABEL: func.func @computed
// CHECK: weir.launch "generated"
// CHECK: weir.launch "attention"({{.*}}, tensor<2x1x16x16xf32>) -> tensor<2x4x16x64xbf16>
// CHECK-NOT: weir.launch
func.func @computed(%x: tensor<2x4x16x64xbf16>, %k: tensor<2x4x16x64xbf16>, %m: tensor<2x1x16x16xf32>) -> tensor<2x4x16x64xbf16> {
  %kt = weir.transpose %k {perm = [0, 1, 3, 2]} : tensor<2x4x16x64xbf16>
  %s13 = weir.matmul %x, %kt : tensor<2x4x16x64xbf16>, tensor<2x4x64x16xbf16>
  %wide13 = weir.cast %s13 {to = f32} : tensor<2x4x16x16xbf16>
  %m13 = weir.exp %m : tensor<2x1x16x16xf32>
  %sum13 = weir.add %wide13, %m13 : tensor<2x4x16x16xf32>, tensor<2x1x16x16xf32>
  %p13 = weir.softmax %sum13 : tensor<2x4x16x16xf32>
  %narrow13 = weir.cast %p13 {to = bf16} : tensor<2x4x16x16xf32>
  %y13 = weir.matmul %narrow13, %k : tensor<2x4x16x16xbf16>, tensor<2x4x16x64xbf16>
  return %y13 : tensor<2x4x16x64xbf16>
}

// If the kernel refuses, all groups stay as they were.
// CHECK-LABEL: func.func @refused
// CHECK: weir.launch "matmul"
// CHECK: weir.launch "generated"({{.*}} : (tensor<2x1x16x16xf32>, tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xbf16>
// CHECK: weir.launch "matmul"
// CHECK-NOT: weir.launch
// APART: refused/p14: {{.*}}kernel 'attention': cuDNN takes rows
func.func @refused(%x: tensor<2x4x16x12xbf16>, %k: tensor<2x4x16x12xbf16>, %m: tensor<2x1x16x16xf32>) -> tensor<2x4x16x12xbf16> {
  %kt = weir.transpose %k {perm = [0, 1, 3, 2]} : tensor<2x4x16x12xbf16>
  %s14 = weir.matmul %x, %kt : tensor<2x4x16x12xbf16>, tensor<2x4x12x16xbf16>
  %wide14 = weir.cast %s14 {to = f32} : tensor<2x4x16x16xbf16>
  %m14 = weir.exp %m : tensor<2x1x16x16xf32>
  %sum14 = weir.add %wide14, %m14 : tensor<2x4x16x16xf32>, tensor<2x1x16x16xf32>
  %p14 = weir.softmax %sum14 : tensor<2x4x16x16xf32>
  %narrow14 = weir.cast %p14 {to = bf16} : tensor<2x4x16x16xf32>
  %y14 = weir.matmul %narrow14, %k : tensor<2x4x16x16xbf16>, tensor<2x4x16x12xbf16>
  return %y14 : tensor<2x4x16x12xbf16>
}

// Numbers in place of scores that a score may have are refused, and so are two
// masks that are added, one in front of the factor, and rows that the kernel
// does not take. A softmax along other dims, and f32, are no such attention.
// CHECK-LABEL: func.func @high_fill
// CHECK-NOT: "attention"
// APART: high_fill/p4: {{.*}}its masked scores are -10000, which is above -1e+09
func.func @high_fill(%q: tensor<8x4x64xf16>, %k: tensor<8x2x64xf16>, %v: tensor<8x2x64xf16>) -> tensor<8x4x64xf16> {
  %seen = weir.constant dense<[[true, false], [true, true], [true, true], [true, true]]> : tensor<4x2xi1>
  %low = weir.constant dense<-10000.0> : tensor<f32>
  %kt4 = weir.transpose %k {perm = [0, 2, 1]} : tensor<8x2x64xf16>
  %s4 = weir.matmul %q, %kt4 : tensor<8x4x64xf16>, tensor<8x64x2xf16>
  %wide4 = weir.cast %s4 {to = f32} : tensor<8x4x2xf16>
  %masked4 = weir.where %seen, %wide4, %low : tensor<4x2xi1>, tensor<8x4x2xf32>, tensor<f32>
  %p4 = weir.softmax %masked4 : tensor<8x4x2xf32>
  %narrow4 = weir.cast %p4 {to = f16} : tensor<8x4x2xf32>
  %y4 = weir.matmul %narrow4, %v : tensor<8x4x2xf16>, tensor<8x2x64xf16>
  return %y4 : tensor<8x4x64xf16>
}
// CHECK-LABEL: func.func @two_masks
// CHECK-NOT: "attention"
// APART: two_masks/p5: {{.*}}it adds more than one mask, or one in front of the factor
func.func @two_masks(%q: tensor<4x16x64xbf16>, %k: tensor<4x16x64xbf16>, %v: tensor<4x16x64xbf16>, %m: tensor<16xbf16>) -> tensor<4x16x64xbf16> {
  %half5 = weir.constant dense<0.5> : tensor<bf16>
  %kt5 = weir.transpose %k {perm = [0, 2, 1]} : tensor<4x16x64xbf16>
  %s5 = weir.matmul %q, %kt5 : tensor<4x16x64xbf16>, tensor<4x64x16xbf16>
  %masked5 = weir.add %m, %s5 : tensor<16xbf16>, tensor<4x16x16xbf16>
  %scaled5 = weir.mul %masked5, %half5 : tensor<4x16x16xbf16>, tensor<bf16>
  %p5 = weir.softmax %scaled5 : tensor<4x16x16xbf16>
  %y5 = weir.matmul %p5, %v : tensor<4x16x16xbf16>, tensor<4x16x64xbf16>
  return %y5 : tensor<4x16x64xbf16>
}
// CHECK-LABEL: func.func @odd_rows
// CHECK-NOT: "attention"
// APART: odd_rows/p6: {{.*}}kernel 'attention': cuDNN takes rows of at most 128 elements, a multiple of 8, found 1x4x16x12xbf16
func.func @odd_rows(%q: tensor<4x16x12xbf16>, %k: tensor<4x16x12xbf16>, %v: tensor<4x16x12xbf16>) -> tensor<4x16x12xbf16> {
  %kt6 = weir.transpose %k {perm = [0, 2, 1]} : tensor<4x16x12xbf16>
  %s6 = weir.matmul %q, %kt6 : tensor<4x16x12xbf16>, tensor<4x12x16xbf16>
  %p6 = weir.softmax %s6 : tensor<4x16x16xbf16>
  %y6 = weir.matmul %p6, %v : tensor<4x16x16xbf16>, tensor<4x16x12xbf16>
  return %y6 : tensor<4x16x12xbf16>
}
// CHECK-LABEL: func.func @other_axis
// CHECK-NOT: "attention"
func.func @other_axis(%q: tensor<4x16x64xbf16>, %k: tensor<4x16x64xbf16>, %v: tensor<4x16x64xbf16>) -> tensor<4x16x64xbf16> {
  %kt7 = weir.transpose %k {perm = [0, 2, 1]} : tensor<4x16x64xbf16>
  %s7 = weir.matmul %q, %kt7 : tensor<4x16x64xbf16>, tensor<4x64x16xbf16>
  %p7 = weir.softmax %s7 {axis = 1} : tensor<4x16x16xbf16>
  %y7 = weir.matmul %p7, %v : tensor<4x16x16xbf16>, tensor<4x16x64xbf16>
  return %y7 : tensor<4x16x64xbf16>
}
// CHECK-LABEL: func.func @wide
// CHECK-NOT: "attention"
// CHECK: weir.launch "matmul"
func.func @wide(%q: tensor<4x16x64xf32>, %k: tensor<4x16x64xf32>, %v: tensor<4x16x64xf32>) -> tensor<4x16x64xf32> {
  %kt8 = weir.transpose %k {perm = [0, 2, 1]} : tensor<4x16x64xf32>
  %s8 = weir.matmul %q, %kt8 : tensor<4x16x64xf32>, tensor<4x64x16xf32>
  %p8 = weir.softmax %s8 : tensor<4x16x16xf32>
  %y8 = weir.matmul %p8, %v : tensor<4x16x16xf32>, tensor<4x16x64xf32>
  return %y8 : tensor<4x16x64xf32>
}

// One factor stands for several only if it is an ordinary number.
// CHECK-LABEL: func.func @far_factors
// CHECK-NOT: "attention"
// APART: far_factors/p12: {{.*}}its factors come to 1e+60, which is no normal number of f32
func.func @far_factors(%q: tensor<4x16x64xbf16>, %k: tensor<4x16x64xbf16>, %v: tensor<4x16x64xbf16>) -> tensor<4x16x64xbf16> {
  %c12 = weir.constant dense<1.0e+30> : tensor<f32>
  %kt12 = weir.transpose %k {perm = [0, 2, 1]} : tensor<4x16x64xbf16>
  %s12 = weir.matmul %q, %kt12 : tensor<4x16x64xbf16>, tensor<4x64x16xbf16>
  %w12 = weir.cast %s12 {to = f32} : tensor<4x16x16xbf16>
  %a12 = weir.mul %w12, %c12 : tensor<4x16x16xf32>, tensor<f32>
  %b12 = weir.mul %a12, %c12 : tensor<4x16x16xf32>, tensor<f32>
  %p12 = weir.softmax %b12 : tensor<4x16x16xf32>
  %n12 = weir.cast %p12 {to = bf16} : tensor<4x16x16xf32>
  %y12 = weir.matmul %n12, %v : tensor<4x16x16xbf16>, tensor<4x16x64xbf16>
  return %y12 : tensor<4x16x64xbf16>
}
