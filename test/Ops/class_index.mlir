// class_index: the class of each label, 0 for one that is ignored.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/class_index.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/class_index.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/class_index.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.class_index %x {classes = 5 : i64, ignored = -100 : i64} : tensor<7xi64>
// COST: vector: tensor<7xi64>, 14 flops, 112 bytes, library {{.*}}
func.func @vector(%x: tensor<7xi64>) -> tensor<7xi64> {
  %y = weir.class_index %x {classes = 5, ignored = -100} : tensor<7xi64>
  return %y : tensor<7xi64>
}

// CHECK-LABEL: func.func @ignored(
// CHECK: %y = weir.class_index %x {classes = 3 : i64, ignored = 1 : i64} : tensor<4x6xi32>
// COST: ignored: tensor<4x6xi64>, 48 flops, 288 bytes, library {{.*}}
func.func @ignored(%x: tensor<4x6xi32>) -> tensor<4x6xi64> {
  %y = weir.class_index %x {classes = 3, ignored = 1} : tensor<4x6xi32>
  return %y : tensor<4x6xi64>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.class_index %x {classes = 9 : i64, ignored = -100 : i64} : tensor<1x3xi8>
// COST: unit_dims: tensor<1x3xi64>, 6 flops, 27 bytes, library {{.*}}
func.func @unit_dims(%x: tensor<1x3xi8>) -> tensor<1x3xi64> {
  %y = weir.class_index %x {classes = 9, ignored = -100} : tensor<1x3xi8>
  return %y : tensor<1x3xi64>
}

// CHECK-LABEL: func.func @unsigned(
// CHECK: %y = weir.class_index %x {classes = 4 : i64, ignored = 255 : i64} : tensor<2x3xui8>
// COST: unsigned: tensor<2x3xi64>, 12 flops, 54 bytes, library {{.*}}
func.func @unsigned(%x: tensor<2x3xui8>) -> tensor<2x3xi64> {
  %y = weir.class_index %x {classes = 4, ignored = 255} : tensor<2x3xui8>
  return %y : tensor<2x3xi64>
}

// CHECK-LABEL: func.func @unsigned_long(
// CHECK: %y = weir.class_index %x {classes = 4 : i64, ignored = 2 : i64} : tensor<5xui64>
// COST: unsigned_long: tensor<5xi64>, 10 flops, 80 bytes, library {{.*}}
func.func @unsigned_long(%x: tensor<5xui64>) -> tensor<5xi64> {
  %y = weir.class_index %x {classes = 4, ignored = 2} : tensor<5xui64>
  return %y : tensor<5xi64>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.class_index %x {classes = 3 : i64, ignored = 0 : i64} : tensor<i16>
// COST: scalar: tensor<i64>, 2 flops, 10 bytes, library {{.*}}
func.func @scalar(%x: tensor<i16>) -> tensor<i64> {
  %y = weir.class_index %x {classes = 3, ignored = 0} : tensor<i16>
  return %y : tensor<i64>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.class_index %x {classes = 3 : i64, ignored = -1 : i64} : tensor<0x2xi64>
// COST: empty: tensor<0x2xi64>, 0 flops, 0 bytes, library {{.*}}
func.func @empty(%x: tensor<0x2xi64>) -> tensor<0x2xi64> {
  %y = weir.class_index %x {classes = 3, ignored = -1} : tensor<0x2xi64>
  return %y : tensor<0x2xi64>
}

//--- errors.mlir
func.func @no_classes(%x: tensor<3xi64>) {
  // expected-error@below {{'weir.class_index' requires attribute 'classes'}}
  weir.class_index %x {ignored = 1} : tensor<3xi64>
  return
}

// -----

func.func @negative(%x: tensor<3xi64>) {
  // expected-error@below {{attribute 'classes' expects an integer from 0 up, found -1}}
  weir.class_index %x {classes = -1, ignored = 1} : tensor<3xi64>
  return
}

// -----

func.func @floats(%x: tensor<3xf32>) {
  // expected-error@below {{'weir.class_index' op operand 0 expects an integer element type, found f32; insert a weir.cast}}
  weir.class_index %x {classes = 3, ignored = 1} : tensor<3xf32>
  return
}
