// A value that is not defined, and an op that does not exist: the line, the
// name, and the repair. An old output file stays.
// RUN: rm -rf %t %t.weir && split-file %s %t
// RUN: echo old > %t.weir
// RUN: %exits 1 graph-compile %t/value.mlir -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VALUE
// RUN: grep -x old %t.weir
// RUN: %exits 1 graph-compile %t/op.mlir -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OP
// RUN: %exits 1 graph-compile %t/type.mlir -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TYPE

// VALUE: value.mlir:2:18: error: use of undeclared SSA value name '%q'; define it above, or correct the name
// VALUE-NEXT: %y = weir.relu %q
// VALUE: graph-compile: error: compilation failed
// OP: op.mlir:2:8: error: custom op 'weir.rleu' is unknown{{.*}}; did you mean 'weir.relu'?
// TYPE: type.mlir:2:18: error: use of value '%x' expects different type than prior uses: 'tensor<3xf32>' vs 'tensor<2xf32>'

//--- value.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = weir.relu %q : tensor<2xf32>
  return %y : tensor<2xf32>
}

//--- op.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = weir.rleu %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

//--- type.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {
  %y = weir.relu %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
