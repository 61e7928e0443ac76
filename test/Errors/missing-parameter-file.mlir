// A parameter file that is not there lists its neighbours; one that cannot be
// read says why. An old artifact stays.
// RUN: rm -rf %t %t.weir && split-file %s %t
// RUN: cp %weir_src/test/Ops/Inputs/abs.safetensors %t/other.safetensors
// RUN: echo old > %t.weir
// RUN: %exits 1 graph-compile %t/net.mlir -o %t.weir 2>&1 | FileCheck %s
// RUN: grep -x old %t.weir
// RUN: mkdir -p %t/w.safetensors
// RUN: %exits 1 graph-compile %t/net.mlir -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FOLDER
// RUN: %exits 1 graph-compile %t/none.mlir -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE

// CHECK: net.mlir:1:1: error: 'weir.parameter': cannot read '{{.*}}w.safetensors': no such file or directory; its folder has other.safetensors
// CHECK-NEXT: weir.parameter @w
// FOLDER: net.mlir:1:1: error: {{.*}}cannot read '{{.*}}w.safetensors': it is not a regular file
// NONE: none.mlir:3:8: error: 'weir.read': names parameter @w, which is not declared; declare it with 'weir.parameter @w : tensor<2xf32> from "FILE.safetensors"'

//--- net.mlir
weir.parameter @w : tensor<2xf32> from "w.safetensors"
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = weir.read @w : tensor<2xf32>
  %y = weir.add %x, %w : tensor<2xf32>, tensor<2xf32>
  return %y : tensor<2xf32>
}

//--- none.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // A line of its own.
  %w = weir.read @w : tensor<2xf32>
  %y = weir.add %x, %w : tensor<2xf32>, tensor<2xf32>
  return %y : tensor<2xf32>
}
