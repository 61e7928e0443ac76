// --check-kernels runs generated kernels, and says what was compared. Kernels
// that are wrong are in KernelCheckTest.
// RUN: graph-compile %s --check-kernels --target-cpu=native,x86-64-v3 \
// RUN:   -o %t.weir 2>&1 | FileCheck %s
// RUN: %exits 2 graph-compile %s --check-kernels --emit=graph 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EARLY

// The environment asks for it, too. Then each kernel is checked once, and there
// is no remark.
// RUN: rm -rf %t.known
// RUN: env WEIR_CHECK_KERNELS=%t.known graph-compile %s -o %t.weir 2>&1 \
// RUN:   | count 0
// RUN: cp %t.known/entries-1 %t.before
// RUN: env WEIR_CHECK_KERNELS=%t.known graph-compile %s -o %t.weir 2>&1 \
// RUN:   | count 0
// RUN: cmp %t.before %t.known/entries-1
// RUN: env WEIR_CHECK_KERNELS=%t.known graph-compile %s \
// RUN:   --target-cpu=x86-64-v3 -o %t.weir 2>&1 | count 0
// RUN: not cmp %t.before %t.known/entries-1
// RUN: env WEIR_CHECK_KERNELS=%s graph-compile %s --emit=exec 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TEXT
// RUN: env WEIR_CHECK_KERNELS=%t.known graph-compile %s \
// RUN:   --pass-pipeline='builtin.module(weir-fold-constants)' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PASSES
// RUN: %exits 1 env WEIR_CHECK_KERNELS=%s graph-compile %s -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FOLDER

// CHECK: remark: checked 3 kernels of libraries, 5316 elements, in {{.*}} s
// CHECK: remark: checked 2 kernels for native, 1030 elements, in {{.*}} s
// CHECK: remark: not checked: big: weir.add: it computes with u64
// CHECK: remark: checked 2 kernels for x86-64-v3, 1030 elements
// PASSES: weir.gelu
// FOLDER: error: checked kernels cannot be remembered: {{.*}}check-kernels.mlir
// TEXT: exec.entry
// EARLY: --check-kernels runs the code of an artifact; leave out --emit=graph

func.func @main(%x: tensor<5x34xf32>, %n: tensor<3x4xui64>,
                %image: tensor<1x32x8x8xf32>, %w: tensor<6x32x3x3xf32>)
    -> (tensor<2x17x5xf32>, tensor<5xf32>, tensor<5x68xf32>, tensor<3x4xui64>, tensor<1x6x8x8xf32>) {
  %a = weir.gelu %x : tensor<5x34xf32>
  %r = weir.reshape %a {shape = [5, 2, 17]} : tensor<5x34xf32>
  %t = weir.transpose %r {perm = [1, 2, 0]} : tensor<5x2x17xf32>
  %both = weir.concat %a, %x {axis = 1} : tensor<5x34xf32>, tensor<5x34xf32>
  %s = weir.softmax %x {axis = 1} : tensor<5x34xf32>
  %m = weir.reduce_max %s {axes = [1], keepdims = false} : tensor<5x34xf32>
  %big = weir.add %n, %n : tensor<3x4xui64>, tensor<3x4xui64>
  %c = weir.conv %image, %w {pads = [1, 1, 1, 1]} : tensor<1x32x8x8xf32>, tensor<6x32x3x3xf32>
  %r1 = weir.relu %c : tensor<1x6x8x8xf32>
  return %t, %m, %both, %big, %r1 : tensor<2x17x5xf32>, tensor<5xf32>, tensor<5x68xf32>, tensor<3x4xui64>, tensor<1x6x8x8xf32>
}
