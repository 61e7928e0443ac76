// The only function of a module is its entry, private or not. If there are
// several and all are private, none is.
// RUN: graph-opt %s --weir-select-entry -split-input-file -verify-diagnostics \
// RUN:   | FileCheck %s

// CHECK: func.func private @only(
func.func private @only(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error@+1 {{has several functions, but no public one; it has 'one', 'two'; remove 'private' from those to compile, or choose with --entry}}
module {
  func.func private @one(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
  func.func private @two(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
}
