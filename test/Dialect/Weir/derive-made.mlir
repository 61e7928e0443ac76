// Initial elements take no room in a text or in an artifact. To compute others
// from them, the compiler makes no more than 512 MiB of them for all values
// together. Each parameter is made once, whatever is derived from it, and in
// however many entries.
// RUN: split-file %s %t
// RUN: graph-opt %t/many.mlir --weir-lift-parameters --weir-derive-parameters | FileCheck %s --check-prefix=MANY
// RUN: graph-opt %t/few.mlir --weir-lift-parameters --weir-derive-parameters | FileCheck %s --check-prefix=FEW
// RUN: graph-opt %t/beside.mlir --weir-lift-parameters --weir-derive-parameters | FileCheck %s --check-prefix=FEW
// RUN: graph-opt %t/entries.mlir --weir-lift-parameters --weir-derive-parameters | FileCheck %s --check-prefix=ENTRIES

// MANY: weir.not_derived = {first = "would make 200000000 bytes of initial elements, but 136870912 are left of the 536870912 that the compiler makes"}
// MANY: weir.derived @second
// MANY: weir.derived @third
// MANY-NOT: weir.derived

// FEW-NOT: weir.not_derived
// FEW: weir.derived @first
// FEW: weir.derived @second
// FEW: weir.derived @third

// ENTRIES-NOT: weir.not_derived
// ENTRIES: weir.derived @sum
// ENTRIES: func.func @once(%sum: tensor<1xf32> {weir.parameter = @sum})
// ENTRIES: weir.derived @most
// ENTRIES-NOT: weir.derived
// ENTRIES: func.func @again(
// ENTRIES-SAME: %sum: tensor<1xf32> {weir.parameter = @sum}

//--- many.mlir
weir.parameter @a : tensor<50000000xf32> uniform <seed = 1, low = -0.1, high = 0.1>
weir.parameter @b : tensor<50000000xf32> uniform <seed = 2, low = -0.1, high = 0.1>
weir.parameter @c : tensor<50000000xf32> uniform <seed = 3, low = -0.1, high = 0.1>
func.func @main() -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %a = weir.read @a : tensor<50000000xf32>
  %b = weir.read @b : tensor<50000000xf32>
  %c = weir.read @c : tensor<50000000xf32>
  %first = weir.reduce_sum %a {axes = [0], keepdims = true} : tensor<50000000xf32>
  %second = weir.reduce_sum %b {axes = [0], keepdims = true} : tensor<50000000xf32>
  %third = weir.reduce_sum %c {axes = [0], keepdims = true} : tensor<50000000xf32>
  return %first, %second, %third : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}

//--- few.mlir
weir.parameter @a : tensor<100000000xf32> uniform <seed = 1, low = -0.1, high = 0.1>
func.func @main() -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %a = weir.read @a : tensor<100000000xf32>
  %first = weir.reduce_sum %a {axes = [0], keepdims = true} : tensor<100000000xf32>
  %second = weir.reduce_max %a {axes = [0], keepdims = true} : tensor<100000000xf32>
  %third = weir.reduce_min %a {axes = [0], keepdims = true} : tensor<100000000xf32>
  return %first, %second, %third : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}

//--- beside.mlir
weir.parameter @unread : tensor<100000000xf32> uniform <seed = 2, low = -0.1, high = 0.1>
weir.parameter @a : tensor<100000000xf32> uniform <seed = 1, low = -0.1, high = 0.1>
func.func @main() -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %a = weir.read @a : tensor<100000000xf32>
  %first = weir.reduce_sum %a {axes = [0], keepdims = true} : tensor<100000000xf32>
  %second = weir.reduce_max %a {axes = [0], keepdims = true} : tensor<100000000xf32>
  %third = weir.reduce_min %a {axes = [0], keepdims = true} : tensor<100000000xf32>
  return %first, %second, %third : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}

//--- entries.mlir
weir.parameter @a : tensor<100000000xf32> uniform <seed = 1, low = -0.1, high = 0.1>
weir.parameter @unread : tensor<100000000xf32> uniform <seed = 2, low = -0.1, high = 0.1>
func.func @once() -> tensor<1xf32> {
  %a = weir.read @a : tensor<100000000xf32>
  %sum = weir.reduce_sum %a {axes = [0], keepdims = true} : tensor<100000000xf32>
  return %sum : tensor<1xf32>
}
func.func @again() -> (tensor<1xf32>, tensor<1xf32>) {
  %a = weir.read @a : tensor<100000000xf32>
  %sum = weir.reduce_sum %a {axes = [0], keepdims = true} : tensor<100000000xf32>
  %most = weir.reduce_max %a {axes = [0], keepdims = true} : tensor<100000000xf32>
  return %sum, %most : tensor<1xf32>, tensor<1xf32>
}
