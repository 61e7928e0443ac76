// How the work of a kernel is divided among the threads of a GPU.
// RUN: graph-opt %s -convert-weir-to-linalg -convert-linalg-to-kernels=gpu=1 \
// RUN:   | FileCheck %s

// Each thread computes one vector of 16 bytes.
// CHECK-LABEL: func.func @spread(
// CHECK-SAME: weir.scratch = 0 : i64, weir.tasks = 75 : i64, weir.threads = 256 : i64
// CHECK-NOT: scf
// CHECK: vector.load {{.+}} {alignment = 16 : i64} : memref<76800xf32>, vector<4xf32>
// CHECK: vector.store {{.+}} {alignment = 16 : i64} : memref<76800xf32>, vector<4xf32>
// CHECK-NOT: scf
func.func @spread(%x: tensor<100x768xf32>) -> tensor<100x768xf32> {
  %y = weir.exp %x : tensor<100x768xf32>
  return %y : tensor<100x768xf32>
}

// The last vector is a part, and so is the last block.
// CHECK-LABEL: func.func @last_part(
// CHECK-SAME: weir.tasks = 2 : i64
// CHECK: arith.cmpi ult, %{{.+}}, %c257
// CHECK: scf.if
// CHECK: scf.if
// CHECK: vector.store
// CHECK: } else {
// CHECK: vector.maskedstore
func.func @last_part(%x: tensor<1027xf32>) -> tensor<1027xf32> {
  %y = weir.exp %x : tensor<1027xf32>
  return %y : tensor<1027xf32>
}

// Rows of 37 elements are not aligned, so neighbouring threads access
// neighbouring elements.
// CHECK-LABEL: func.func @odd_rows(
// CHECK-NOT: vector
// CHECK: memref.store
func.func @odd_rows(%x: tensor<64x37xf32>, %b: tensor<37xf32>) -> tensor<64x37xf32> {
  %y = weir.add %x, %b : tensor<64x37xf32>, tensor<37xf32>
  return %y : tensor<64x37xf32>
}

// A warp sums a row; eight warps are a block. Each thread has three vectors, all
// of which are on their way at the same time.
// CHECK-LABEL: func.func @short_rows(
// CHECK-SAME: weir.scratch = 0 : i64, weir.tasks = 512 : i64, weir.threads = 256 : i64
// CHECK-NOT: scf.for
// CHECK-COUNT-3: vector.load {{.+}} {alignment = 16 : i64}
// CHECK-NOT: vector.load
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.barrier
// CHECK: scf.if
// CHECK: memref.store
func.func @short_rows(%x: tensor<4096x384xf32>) -> tensor<4096x1xf32> {
  %y = weir.reduce_sum %x {axes = [1]} : tensor<4096x384xf32>
  return %y : tensor<4096x1xf32>
}

// A block sums a row; warps exchange their sums in shared memory. The last
// vectors are not enough for all threads.
// CHECK-LABEL: func.func @long_rows(
// CHECK-SAME: weir.scratch = 64 : i64, weir.tasks = 4096 : i64, weir.threads = 256 : i64
// CHECK: scf.for {{.+}} to %c2048 step %c1024
// CHECK-COUNT-4: vector.load
// CHECK: vector.load
// CHECK: arith.minui
// CHECK: vector.load
// CHECK: arith.select
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK-COUNT-8: memref.load {{.+}} #gpu.address_space<workgroup>
func.func @long_rows(%x: tensor<4096x9600xf32>) -> tensor<4096x1xf32> {
  %y = weir.reduce_sum %x {axes = [1]} : tensor<4096x9600xf32>
  return %y : tensor<4096x1xf32>
}

// Each warp sums rows of 32 neighbouring columns. There are enough blocks only
// if several of them share the rows.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME: weir.scratch = 2048 : i64, weir.tasks = 512 : i64, weir.threads = 256 : i64
// CHECK: scf.for {{.+}} to %c1024 step %c32
// CHECK-COUNT-4: memref.load
// CHECK: gpu.barrier
// CHECK-NOT: gpu.shuffle
// CHECK: func.func @columns.1(
func.func @columns(%x: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
  %y = weir.reduce_sum %x {axes = [0]} : tensor<4096x4096xf32>
  return %y : tensor<1x4096xf32>
}

// In a product, neighbouring threads read neighbours of the second matrix.
// CHECK-LABEL: func.func @product(
// CHECK: scf.for {{.+}} to %c64 step %c32
// CHECK: gpu.barrier
// CHECK-NOT: gpu.shuffle
func.func @product(%a: tensor<32x64xf64>, %b: tensor<64x96xf64>) -> tensor<32x96xf64> {
  %y = weir.matmul %a, %b : tensor<32x64xf64>, tensor<64x96xf64>
  return %y : tensor<32x96xf64>
}

// A warp computes a short row, and keeps its elements in registers. Nothing is
// read or computed twice.
// CHECK-LABEL: func.func @short_softmax(
// CHECK-SAME: weir.scratch = 0 : i64, weir.tasks = 192 : i64, weir.threads = 64 : i64
// CHECK-COUNT-2: vector.load
// CHECK-NOT: vector.load
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-COUNT-2: math.exp
// CHECK-NOT: math.exp
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-COUNT-2: vector.store
// CHECK-NOT: gpu.barrier
func.func @short_softmax(%x: tensor<384x256xf32>) -> tensor<384x256xf32> {
  %y = weir.softmax %x : tensor<384x256xf32>
  return %y : tensor<384x256xf32>
}

// Threads behind the end of a row compute its last elements again, do not count
// them, and store nothing.
// CHECK-LABEL: func.func @odd_softmax(
// CHECK: arith.minui
// CHECK-COUNT-4: memref.load
// CHECK-NOT: memref.load
// CHECK: arith.select
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: arith.select
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-COUNT-3: memref.store
// CHECK: scf.if
// CHECK: memref.store
func.func @odd_softmax(%x: tensor<384x101xf32>) -> tensor<384x101xf32> {
  %y = weir.softmax %x : tensor<384x101xf32>
  return %y : tensor<384x101xf32>
}

// A block computes a row, and keeps exponentials in shared memory.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: weir.tasks = 64 : i64
// CHECK: memref.view {{.+}} to memref<4096xf32, #gpu.address_space<workgroup>>
// CHECK: arith.maximumf
// CHECK: gpu.barrier
// CHECK: math.exp
// CHECK: gpu.barrier
// CHECK: arith.divf
// CHECK-NOT: func.func
// CHECK-LABEL: func.func @wide_softmax(
func.func @softmax(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %y = weir.softmax %x : tensor<64x4096xf32>
  return %y : tensor<64x4096xf32>
}

// Exponentials that do not fit there are in memory of the device.
// CHECK-SAME: %{{.+}}: memref<2x20000xf32>, %{{.+}}: memref<2x20000xf32>, %{{.+}}: memref<2x20000xf32>)
// CHECK-SAME: weir.tasks = 2 : i64
func.func @wide_softmax(%x: tensor<2x20000xf32>) -> tensor<2x20000xf32> {
  %y = weir.softmax %x : tensor<2x20000xf32>
  return %y : tensor<2x20000xf32>
}

// Each line of a scan is one thread's.
// CHECK-LABEL: func.func @lines(
// CHECK: scf.for {{.+}} to %c512 step %c1
// CHECK: memref.store
func.func @lines(%x: tensor<4096x512xf32>) -> tensor<4096x512xf32> {
  %y = weir.cum_sum %x {axis = 1} : tensor<4096x512xf32>
  return %y : tensor<4096x512xf32>
}

// Sections are of different blocks, which use the same bytes of shared memory:
// 64 for combining, and then those of the larger section.
// CHECK-LABEL: func.func @sections(
// CHECK-SAME: weir.scratch = 16576 : i64, weir.tasks = 8 : i64
func.func @sections(%x: tensor<4x4096xf32>, %y: tensor<4x2048xf32>)
    -> (tensor<4x4096xf32>, tensor<4x2048xf32>) {
  %a = weir.softmax %x : tensor<4x4096xf32>
  %b = weir.softmax %y : tensor<4x2048xf32>
  return %a, %b : tensor<4x4096xf32>, tensor<4x2048xf32>
}

// What these rows pass on does not fit into registers, so a block computes each.
// CHECK-LABEL: func.func @many_rows(
// CHECK-SAME: weir.tasks = 512 : i64, weir.threads = 256 : i64
// CHECK: gpu.barrier
func.func @many_rows(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %s0 = weir.softmax %x : tensor<512x1024xf32>
  %t0 = weir.tanh %s0 : tensor<512x1024xf32>
  %s1 = weir.softmax %t0 : tensor<512x1024xf32>
  %t1 = weir.tanh %s1 : tensor<512x1024xf32>
  %s2 = weir.softmax %t1 : tensor<512x1024xf32>
  %t2 = weir.tanh %s2 : tensor<512x1024xf32>
  %s3 = weir.softmax %t2 : tensor<512x1024xf32>
  %u0 = weir.add %t0, %t1 : tensor<512x1024xf32>, tensor<512x1024xf32>
  %u1 = weir.add %u0, %t2 : tensor<512x1024xf32>, tensor<512x1024xf32>
  %u2 = weir.add %u1, %s3 : tensor<512x1024xf32>, tensor<512x1024xf32>
  return %u2 : tensor<512x1024xf32>
}

// What neighbouring windows read is computed again by each of them.
// CHECK-LABEL: func.func @windows(
// CHECK-SAME: weir.scratch = 0 : i64, weir.tasks = 196 : i64
func.func @windows(%x: tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32> {
  %c = weir.clip %x {max = 6.0, min = 0.0} : tensor<1x28x28x64xf32>
  %t = weir.transpose %c {perm = [0, 3, 1, 2]} : tensor<1x28x28x64xf32>
  %p = weir.max_pool %t {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} : tensor<1x64x28x28xf32>
  %y = weir.transpose %p {perm = [0, 2, 3, 1]} : tensor<1x64x28x28xf32>
  return %y : tensor<1x28x28x64xf32>
}

// If that is costly, a launch stores it for the next one.
// CHECK-LABEL: func.func @costly_windows(
// CHECK-SAME: memref<1x64x30x30xf32>) attributes {{.*}}weir.scratch = 0 : i64
// CHECK: func.func @costly_windows.1(
// CHECK-SAME: weir.scratch = 0 : i64, weir.tasks = 196 : i64
func.func @costly_windows(%x: tensor<1x64x28x28xf32>) -> tensor<1x64x28x28xf32> {
  %g = weir.gelu %x : tensor<1x64x28x28xf32>
  %y = weir.max_pool %g {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} : tensor<1x64x28x28xf32>
  return %y : tensor<1x64x28x28xf32>
}

// A few points are stored where they are read.
// CHECK-LABEL: func.func @few_windows(
// CHECK-SAME: weir.scratch = 256 : i64
// CHECK-NOT: func.func @few_windows.1
func.func @few_windows(%x: tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> {
  %g = weir.gelu %x : tensor<1x8x8x8xf32>
  %y = weir.max_pool %g {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} : tensor<1x8x8x8xf32>
  return %y : tensor<1x8x8x8xf32>
}
