// The linalg form of ops follows from their records alone: maps from the index
// spec, padding where a window leaves its tensor, the body from the expression.
// That it computes the right values is shown by test/Ops.
// RUN: split-file %s %t
// RUN: graph-opt %t/ops.mlir -convert-weir-to-linalg | FileCheck %t/ops.mlir
// RUN: graph-opt %t/errors.mlir -convert-weir-to-linalg -split-input-file \
// RUN:   -verify-diagnostics

//--- ops.mlir
// Dims of size 1 are read again: a constant stands in their place.
// CHECK-DAG: #[[$COLUMN:.+]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[$ALL:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @broadcast(
// CHECK: linalg.generic {indexing_maps = [#[[$COLUMN]], #[[$ALL]], #[[$ALL]]],
// CHECK-SAME: iterator_types = ["parallel", "parallel"]}
// CHECK: arith.subf
func.func @broadcast(%a: tensor<2x1xf32>, %b: tensor<2x3xf32>)
    -> tensor<2x3xf32> {
  %y = weir.sub %a, %b : tensor<2x1xf32>, tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// The accumulation starts from the bias and runs in f32; the padding of a
// product's factor is 0; a tensor of sizes gives the loops over groups.
// CHECK-LABEL: func.func @conv(
// CHECK: %[[ZERO:.+]] = arith.constant 0.000000e+00 : bf16
// CHECK: %[[PADDED:.+]] = tensor.pad %x low[0, 0, 1] high[0, 0, 2]
// CHECK: tensor.yield %[[ZERO]]
// CHECK: %[[START:.+]] = linalg.generic {{.*}} ins(%b : tensor<6xbf16>) outs(%{{.+}} : tensor<1x6x6xf32>)
// CHECK: %[[SIZES:.+]] = tensor.empty() : tensor<2x3xi1>
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[PADDED]], %w, %[[SIZES]] :
// CHECK-SAME: outs(%[[START]] : tensor<1x6x6xf32>)
// CHECK: arith.mulf {{.*}} : f32
// CHECK: arith.addf {{.*}} : f32
// CHECK: arith.truncf {{.*}} : f32 to bf16
func.func @conv(%x: tensor<1x4x5xbf16>, %w: tensor<6x2x3xbf16>,
    %b: tensor<6xbf16>) -> tensor<1x6x6xbf16> {
  %y = weir.conv %x, %w, %b {groups = 2, pads = [1, 2]} : tensor<1x4x5xbf16>, tensor<6x2x3xbf16>, tensor<6xbf16>
  return %y : tensor<1x6x6xbf16>
}

// A window that leaves the result writes into a larger one, of which the middle
// is kept.
// CHECK-LABEL: func.func @conv_transpose(
// CHECK: %[[SUMS:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<1x1x5xf32>)
// CHECK: tensor.extract_slice %[[SUMS]][0, 0, 1] [1, 1, 3] [1, 1, 1]
func.func @conv_transpose(%x: tensor<1x1x3xf32>, %w: tensor<1x1x3xf32>)
    -> tensor<1x1x3xf32> {
  %y = weir.conv_transpose %x, %w {pads = [1, 1]} : tensor<1x1x3xf32>, tensor<1x1x3xf32>
  return %y : tensor<1x1x3xf32>
}

// Padding is never a maximum.
// CHECK-LABEL: func.func @max_pool(
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: tensor.pad
// CHECK: arith.maximumf
func.func @max_pool(%x: tensor<1x1x3xf32>) -> tensor<1x1x3xf32> {
  %y = weir.max_pool %x {kernel_shape = [3], pads = [1, 1]} : tensor<1x1x3xf32>
  return %y : tensor<1x1x3xf32>
}

// A composite is expanded, and its parts are too.
// CHECK-LABEL: func.func @log_softmax(
// CHECK-NOT: weir.
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: math.log
func.func @log_softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = weir.log_softmax %x : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// What only moves elements becomes slices and reshapes; unsigned elements keep
// their bits.
// CHECK-LABEL: func.func @moves(
// CHECK-SAME: tensor<2x2xi8>
// CHECK: tensor.insert_slice %{{.+}} into %{{.+}}[0, 0] [2, 2] [1, 1]
// CHECK: tensor.insert_slice %{{.+}} into %{{.+}}[2, 0] [1, 2] [1, 1]
// CHECK: tensor.collapse_shape
func.func @moves(%a: tensor<2x2xui8>, %b: tensor<1x2xui8>) -> tensor<6xui8> {
  %c = weir.concat %a, %b {axis = 0} : tensor<2x2xui8>, tensor<1x2xui8>
  %y = weir.reshape %c {shape = [-1]} : tensor<3x2xui8>
  return %y : tensor<6xui8>
}

// Without points in the iteration space, the result is the initial value.
// CHECK-LABEL: func.func @nothing(
// CHECK: linalg.fill
// CHECK-NOT: linalg.generic
func.func @nothing(%a: tensor<2x0xf32>, %b: tensor<0x3xf32>)
    -> tensor<2x3xf32> {
  %y = weir.matmul %a, %b : tensor<2x0xf32>, tensor<0x3xf32>
  return %y : tensor<2x3xf32>
}

// An indirect dim is read in the body: a negative index counts from the end, and
// none leaves the tensor.
// CHECK-LABEL: func.func @take(
// CHECK: linalg.generic {{.*}} ins(%i : tensor<4xi64>) outs(%{{.+}} : tensor<2x4xf32>)
// CHECK: %[[ROW:.+]] = linalg.index 0
// CHECK: %[[GIVEN:.+]] = arith.index_cast %{{.+}} : i64 to index
// CHECK: %[[IS_NEGATIVE:.+]] = arith.cmpi slt, %[[GIVEN]], %{{.+}}
// CHECK: %[[FROM_END:.+]] = arith.addi %[[GIVEN]], %{{.+}}
// CHECK: %[[FOUND:.+]] = arith.select %[[IS_NEGATIVE]], %[[FROM_END]], %[[GIVEN]]
// CHECK: %[[NOT_BELOW:.+]] = arith.maxsi %[[FOUND]], %{{.+}}
// CHECK: %[[INSIDE:.+]] = arith.minsi %[[NOT_BELOW]], %{{.+}}
// CHECK: tensor.extract %x[%[[ROW]], %[[INSIDE]]] : tensor<2x3xf32>
func.func @take(%x: tensor<2x3xf32>, %i: tensor<4xi64>) -> tensor<2x4xf32> {
  %y = weir.take %x, %i {axis = 1} : tensor<2x3xf32>, tensor<4xi64>
  return %y : tensor<2x4xf32>
}

// An expression may use the position of its point. It stays an integer beside
// floats: f32 holds 16777216 and 16777218, but no number between them.
// CHECK-LABEL: func.func @tril(
// CHECK: linalg.generic {{.*}} ins(%x : tensor<3x16777219xf32>)
// CHECK: %[[COLUMN:.+]] = linalg.index 1
// CHECK: %[[ROW:.+]] = linalg.index 0
// CHECK: %[[DISTANCE:.+]] = arith.subi
// CHECK: %[[K:.+]] = arith.constant 16777217 : i64
// CHECK: %[[IS_KEPT:.+]] = arith.cmpi sle, %[[DISTANCE]], %[[K]] : i64
// CHECK: arith.select %[[IS_KEPT]]
func.func @tril(%x: tensor<3x16777219xf32>) -> tensor<3x16777219xf32> {
  %y = weir.tril %x {k = 16777217} : tensor<3x16777219xf32>
  return %y : tensor<3x16777219xf32>
}

// So does an index that is compared with one.
// CHECK-LABEL: func.func @scatter(
// CHECK: %[[AT:.+]] = arith.index_cast %{{.+}} : index to i64
// CHECK-NOT: arith.cmpf
// CHECK: arith.cmpi eq, %{{.+}}, %[[AT]] : i64
// CHECK-NOT: arith.cmpf
// CHECK: linalg.yield
func.func @scatter(%u: tensor<1x2x1xf32>, %i: tensor<2xi64>,
    %x: tensor<1x5x1xf32>) -> tensor<1x5x1xf32> {
  %y = weir.scatter_max %u, %i, %x : tensor<1x2x1xf32>, tensor<2xi64>, tensor<1x5x1xf32>
  return %y : tensor<1x5x1xf32>
}

// No u64 counts from the end, also none beyond the largest i64.
// CHECK-LABEL: func.func @inverse_index(
// CHECK: arith.cmpi ult, %{{.+}}, %{{.+}} : i64
// CHECK-NOT: arith.cmpi slt
// CHECK: linalg.yield
func.func @inverse_index(%i: tensor<2xui64>) -> tensor<5xi64> {
  %y = weir.inverse_index %i {size = 5} : tensor<2xui64>
  return %y : tensor<5xi64>
}

//--- errors.mlir
func.func @unknown_dims(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error@below {{'weir.softmax' op expects static shapes; bind its unknown dims first}}
  %y = weir.softmax %x : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
