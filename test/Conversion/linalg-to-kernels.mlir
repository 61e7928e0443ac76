// What becomes a loop, a vector, a task, and what is stored.
// RUN: graph-opt %s -convert-weir-to-linalg -convert-linalg-to-kernels \
// RUN:   | FileCheck %s
// RUN: graph-opt %s -convert-weir-to-linalg \
// RUN:   -convert-linalg-to-kernels=vector-bits=256 \
// RUN:   | FileCheck %s --check-prefix=NARROW

// Dims that all accesses go through in order are one loop; its rest is masked.
// CHECK-LABEL: func.func @rest_is_masked(
// CHECK-SAME: weir.tasks = 1 : i64
// CHECK: scf.for %{{.+}} = %c0{{.*}} to %c16{{.*}} step %c16
// CHECK: vector.load {{.+}} memref<21xf32>, vector<16xf32>
// CHECK: vector.store
// CHECK: scf.for %[[I:.+]] = %c16{{.*}} to %c21{{.*}} step %c16
// CHECK: %[[REST:.+]] = arith.subi %c21{{.*}}, %[[I]]
// CHECK: %[[MASK:.+]] = vector.create_mask %[[REST]] : vector<16xi1>
// CHECK: vector.maskedload {{.+}}, %[[MASK]],
// CHECK: vector.maskedstore {{.+}}, %[[MASK]],
// NARROW-LABEL: func.func @rest_is_masked(
// NARROW: vector.load {{.+}} memref<21xf32>, vector<8xf32>
func.func @rest_is_masked(%x: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %y = weir.relu %x : tensor<3x7xf32>
  return %y : tensor<3x7xf32>
}

// A value that is read twice at one place is computed once and not stored.
// CHECK-LABEL: func.func @stays_in_registers(
// CHECK-SAME: memref<0xi8>
// CHECK: vector.load
// CHECK: vector.load
// CHECK: %[[S:.+]] = arith.addf
// CHECK: %[[E:.+]] = math.exp %[[S]] : vector<16xf32>
// CHECK: %[[Y:.+]] = arith.mulf %[[E]], %[[S]]
// CHECK: vector.store %[[Y]]
// CHECK-NOT: vector.store
func.func @stays_in_registers(%x: tensor<8x16xf32>, %b: tensor<16xf32>)
    -> tensor<8x16xf32> {
  %s = weir.add %x, %b : tensor<8x16xf32>, tensor<16xf32>
  %e = weir.exp %s : tensor<8x16xf32>
  %y = weir.mul %e, %s : tensor<8x16xf32>, tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// A task is a row. Two passes read the exponentials, so they are stored, in
// scratch for one row; partial sums are combined in pairs.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: memref<3200xi8>
// CHECK-SAME: weir.scratch = 3200 : i64, weir.tasks = 4096 : i64
// CHECK: %[[E:.+]] = memref.view {{.+}} to memref<768xf32>
// CHECK: scf.for %{{.+}} = %{{.+}} to %{{.+}} step
// CHECK: scf.for {{.+}} iter_args
// CHECK-COUNT-4: arith.maximumf %{{.+}}, %{{.+}} : vector<16xf32>
// CHECK: vector.shuffle
// CHECK: math.exp %{{.+}} : vector<16xf32>
// CHECK-NEXT: vector.store %{{.+}}, %[[E]]
// CHECK: scf.for {{.+}} iter_args
// CHECK-COUNT-4: vector.load %[[E]]
// CHECK: arith.divf
func.func @rows(%x: tensor<4096x768xf32>) -> tensor<4096x768xf32> {
  %y = weir.softmax %x : tensor<4096x768xf32>
  return %y : tensor<4096x768xf32>
}

// A sum over rows keeps neighbouring columns in registers.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME: weir.tasks = 8 : i64
// CHECK: %[[SUMS:.+]]:4 = scf.for {{.+}} to %c1000{{.*}} step %c64{{.*}} iter_args
// CHECK: scf.for {{.+}} step %c1{{.*}} iter_args
// CHECK-NOT: vector.shuffle
// CHECK: vector.store %[[SUMS]]#0
func.func @columns(%x: tensor<1000x1024xf32>) -> tensor<1024xf32> {
  %y = weir.reduce_sum %x {axes = [0], keepdims = false}
      : tensor<1000x1024xf32>
  return %y : tensor<1024xf32>
}

// A sum of all is two functions: one sum for each of 64 tiles, then one of
// these. A running value takes 64 terms at most: each of 4
// takes every fourth vector of 4,096 elements, and then starts again from zero.
// CHECK-LABEL: func.func @total(
// CHECK-SAME: memref<1048576xf32>, %[[PARTS:[a-z0-9_]+]]: memref<64x1xf32>
// CHECK-SAME: weir.tasks = 64 : i64
// CHECK: scf.for %[[BLOCK:[a-z0-9]+]] = {{.+}} to %c16384{{.*}} step %c4096{{.*}} iter_args
// CHECK: %[[NEXT:.+]] = arith.addi %[[BLOCK]], %c4096
// CHECK: %[[END:.+]] = arith.minui %[[NEXT]], %c16384
// CHECK: %[[SUMS:.+]]:4 = scf.for {{.+}} = %[[BLOCK]] to %[[END]] step %c64{{.*}} iter_args
// CHECK: arith.addf {{.+}}, %[[SUMS]]#0
// CHECK-LABEL: func.func @total.1(
// CHECK-SAME: memref<64x1xf32>, %{{[a-z0-9_]+}}: memref<1xf32>
// CHECK-SAME: weir.tasks = 1 : i64
func.func @total(%x: tensor<1048576xf32>) -> tensor<1xf32> {
  %y = weir.reduce_sum %x : tensor<1048576xf32>
  return %y : tensor<1xf32>
}

// What no tile takes, here one element, is where the combination starts.
// CHECK-LABEL: func.func @odd(
// CHECK-SAME: weir.tasks = 65 : i64
// CHECK: scf.for {{.+}} to %c16384{{.*}} step %c4096{{.*}} iter_args
// CHECK-LABEL: func.func @odd.1(
func.func @odd(%x: tensor<1048577xf32>) -> tensor<1xf32> {
  %y = weir.reduce_sum %x : tensor<1048577xf32>
  return %y : tensor<1xf32>
}

// So are few columns of many rows, each tile with its own sum of each column.
// CHECK-LABEL: func.func @few_columns(
// CHECK-SAME: memref<8192x64xf32>, %{{[a-z0-9_]+}}: memref<64x64xf32>
// CHECK-SAME: weir.tasks = 64 : i64
// CHECK: scf.for {{.+}} to %c128{{.*}} step %c64{{.*}} iter_args
// CHECK: scf.for {{.+}} step %c1{{.*}} iter_args
// CHECK-LABEL: func.func @few_columns.1(
func.func @few_columns(%x: tensor<8192x64xf32>) -> tensor<64xf32> {
  %y = weir.reduce_sum %x {axes = [0], keepdims = false} : tensor<8192x64xf32>
  return %y : tensor<64xf32>
}

// Outer dims that are too short for tiles are cut first, each index apart.
// CHECK-LABEL: func.func @short_dims(
// CHECK-SAME: memref<2x3x100000xf32>, %{{[a-z0-9_]+}}: memref<2x3x16x1x1x1xf32>
// CHECK-SAME: weir.tasks = 96 : i64
// CHECK-LABEL: func.func @short_dims.1(
func.func @short_dims(%x: tensor<2x3x100000xf32>) -> tensor<1x1x1xf32> {
  %y = weir.reduce_sum %x : tensor<2x3x100000xf32>
  return %y : tensor<1x1x1xf32>
}

// Each step of a norm over all elements needs all of the one before: sums,
// the mean, sums of squares, the factor, the result.
// CHECK-LABEL: func.func @one_group(
// CHECK-SAME: weir.tasks = 64 : i64
// CHECK-LABEL: func.func @one_group.1(
// CHECK-SAME: weir.tasks = 1 : i64
// CHECK-LABEL: func.func @one_group.2(
// CHECK-SAME: weir.tasks = 64 : i64
// CHECK-LABEL: func.func @one_group.3(
// CHECK-SAME: weir.tasks = 1 : i64
// CHECK-LABEL: func.func @one_group.4(
// CHECK-SAME: weir.tasks = 48 : i64
// CHECK-NOT: @one_group.5
func.func @one_group(%x: tensor<1x16x16384xf32>, %s: tensor<16xf32>,
                     %b: tensor<16xf32>) -> tensor<1x16x16384xf32> {
  %y = weir.group_norm %x, %s, %b {groups = 1 : i64}
      : tensor<1x16x16384xf32>, tensor<16xf32>, tensor<16xf32>
  return %y : tensor<1x16x16384xf32>
}

// Square blocks are transposed in registers.
// CHECK-LABEL: func.func @transposed(
// CHECK-COUNT-16: vector.load
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store
// CHECK-NOT: vector.gather
func.func @transposed(%x: tensor<64x32xf32>) -> tensor<32x64xf32> {
  %y = weir.transpose %x {perm = [1, 0]} : tensor<64x32xf32>
  return %y : tensor<32x64xf32>
}

// Two tensors have blocks of their own, though at the same places.
// CHECK-LABEL: func.func @two_transposed(
// CHECK-COUNT-16: vector.load
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.load
// CHECK-COUNT-64: vector.shuffle
// CHECK: arith.minimumf
// CHECK-NOT: vector.gather
func.func @two_transposed(%x: tensor<64x32xf32>, %z: tensor<64x32xf32>)
    -> tensor<32x64xf32> {
  %m = weir.min %x, %z : tensor<64x32xf32>, tensor<64x32xf32>
  %y = weir.transpose %m {perm = [1, 0]} : tensor<64x32xf32>
  return %y : tensor<32x64xf32>
}

// What is read under a condition is not transposed: the block may lie outside.
// CHECK-LABEL: func.func @guarded_transposed(
// CHECK: vector.gather
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @guarded_transposed(%x: tensor<20x24xf32>, %z: tensor<20x24xf32>)
    -> tensor<24x40xf32> {
  %c = weir.concat %x, %z {axis = 0} : tensor<20x24xf32>, tensor<20x24xf32>
  %r = weir.relu %c : tensor<40x24xf32>
  %y = weir.transpose %r {perm = [1, 0]} : tensor<40x24xf32>
  return %y : tensor<24x40xf32>
}

// Nor are rows of which some are filled up.
// CHECK-LABEL: func.func @filled_transposed(
// CHECK: vector.gather
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @filled_transposed(%x: tensor<32x12xf32>) -> tensor<16x32xf32> {
  %p = weir.pad %x {pads = [0, 2, 0, 2]} : tensor<32x12xf32>
  %y = weir.transpose %p {perm = [1, 0]} : tensor<32x16xf32>
  return %y : tensor<16x32xf32>
}

// Parts that lie beside each other in many rows share their tasks.
// CHECK-LABEL: func.func @parts_of_rows(
// CHECK-SAME: weir.tasks = 5 : i64
// CHECK: scf.for %[[TASK:.+]] = %{{.+}} to
// CHECK: %[[BEGIN:.+]] = arith.muli %[[TASK]]
// CHECK: vector.store
// CHECK-NOT: arith.maxui
// CHECK: vector.store
// CHECK: return
func.func @parts_of_rows(%x: tensor<300x16xf32>, %y: tensor<300x32xf32>)
    -> tensor<300x48xf32> {
  %z = weir.concat %x, %y {axis = 1} : tensor<300x16xf32>, tensor<300x32xf32>
  return %z : tensor<300x48xf32>
}

// Where there is enough to do each part of what was joined is read by loops of
// its own, without a condition; one task does all parts of its rows.
// CHECK-LABEL: func.func @joined(
// CHECK-SAME: %[[X:[^:]+]]: memref<100x32xf32>, %[[Z:[^:]+]]: memref<100x48xf32>
// CHECK-SAME: weir.tasks = 2 : i64
// CHECK-DAG: %[[FLAT_X:.+]] = memref.reinterpret_cast %[[X]]
// CHECK-DAG: %[[FLAT_Z:.+]] = memref.reinterpret_cast %[[Z]]
// CHECK: scf.for
// CHECK: %[[A:.+]] = vector.load %[[FLAT_X]]
// CHECK: arith.maximumf %[[A]]
// CHECK: %[[B:.+]] = vector.load %[[FLAT_Z]]
// CHECK-NOT: arith.select
// CHECK: arith.maximumf %[[B]]
// CHECK: return
func.func @joined(%x: tensor<100x32xf32>, %z: tensor<100x48xf32>)
    -> tensor<100x80xf32> {
  %c = weir.concat %x, %z {axis = 1} : tensor<100x32xf32>, tensor<100x48xf32>
  %y = weir.relu %c : tensor<100x80xf32>
  return %y : tensor<100x80xf32>
}

// Few rows are written alternately, as whole vectors; the rest is masked.
// CHECK-LABEL: func.func @interleaved(
// CHECK-COUNT-4: vector.load {{.+}} vector<16xf32>
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: vector.store
// CHECK: %[[REST:.+]] = arith.subi %c20
// CHECK-COUNT-4: vector.maskedload
// CHECK-COUNT-8: vector.shuffle
// CHECK: %[[USED:.+]] = arith.muli %[[REST]], %c4
// CHECK: %[[LEFT:.+]] = arith.subi %[[USED]], %c0
// CHECK: vector.create_mask %[[LEFT]]
// CHECK-COUNT-4: vector.maskedstore
// CHECK-NOT: vector.scatter
// CHECK: return
func.func @interleaved(%x: tensor<9x4x20xf32>) -> tensor<9x20x4xf32> {
  %y = weir.transpose %x {perm = [0, 2, 1]} : tensor<9x4x20xf32>
  return %y : tensor<9x20x4xf32>
}

// So is what lies alternately read, however many there are.
// CHECK-LABEL: func.func @deinterleaved(
// CHECK-COUNT-3: vector.load {{.+}} vector<16xf32>
// CHECK-COUNT-6: vector.shuffle
// CHECK-COUNT-3: vector.store
// CHECK-NOT: vector.gather
// CHECK: return
func.func @deinterleaved(%x: tensor<32x3xf32>) -> tensor<3x32xf32> {
  %y = weir.transpose %x {perm = [1, 0]} : tensor<32x3xf32>
  return %y : tensor<3x32xf32>
}

// Rows of a product share what they read; what follows is done in registers.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: memref<0xi8>
// CHECK: %[[SUMS:.+]]:8 = scf.for {{.+}} iter_args
// CHECK: vector.load
// CHECK-COUNT-8: math.fma %{{.+}}, %{{.+}}, %{{.+}} : vector<8xf32>
// CHECK-NOT: vector.load %{{.+}} memref<64xf32>
// CHECK: %[[S:.+]] = arith.addf %[[SUMS]]#0
// CHECK: %[[Y:.+]] = arith.maximumf %[[S]]
// CHECK: vector.store %[[Y]]
func.func @product(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>)
    -> tensor<8x8xf32> {
  %p = weir.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32>
  %s = weir.add %p, %b : tensor<8x8xf32>, tensor<8xf32>
  %y = weir.relu %s : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// Parts are computed in their place, each by tasks of its own.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME: memref<0xi8>
// CHECK-SAME: weir.tasks = 2 : i64
// CHECK: arith.minui %{{.+}}, %c1
// CHECK: scf.for
// CHECK: %[[N:.+]] = arith.negf
// CHECK: vector.store %[[N]], %[[Z:.+]][
// CHECK: arith.maxui %{{.+}}, %c1
// CHECK: scf.for
// CHECK: vector.store %{{.+}}, %[[Z]][
func.func @parts(%x: tensor<2x16xf32>, %y: tensor<2x32xf32>)
    -> tensor<2x48xf32> {
  %n = weir.neg %x : tensor<2x16xf32>
  %z = weir.concat %n, %y {axis = 1} : tensor<2x16xf32>, tensor<2x32xf32>
  return %z : tensor<2x48xf32>
}
