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
// RUN: %exits 1 graph-compile %t/dialect.mlir -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DIALECT

// VALUE: value.mlir:2:18: error: '%q' is not defined; define it above, or correct the name
// VALUE-NEXT: %y = weir.relu %q
// VALUE-NOT: error
// OP: op.mlir:2:8: error: there is no op 'weir.rleu'; did you mean 'weir.relu'?
// DIALECT: dialect.mlir:2:8: error: there is no op 'arith.addf'; did you mean 'weir.add'? (what later phases print is for graph-opt)
// TYPE: type.mlir:2:18: error: '%x' is a 'tensor<2xf32>', but 'tensor<3xf32>' is written here; make them equal
// TYPE: type.mlir:1:17: note: its type is given here

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

//--- dialect.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = arith.addf %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

//--- type.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {
  %y = weir.relu %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
