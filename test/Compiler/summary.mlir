// The graph as a table, and as an object for scripts. What several entries read
// counts once.
// RUN: graph-compile %s -o %t.weir --summary 2>&1 | FileCheck %s --match-full-lines
// RUN: graph-compile %s -o %t.mlir --emit=lifted --summary=json \
// RUN:   | FileCheck %s --check-prefix=JSON
// RUN: %exits 2 graph-compile %s -o %t.mlir --emit=import --summary 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EARLY
// RUN: %exits 2 graph-compile %s --summary=json --stats=json 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE

// 2 x 4 products of length 8, each a multiply and an add, then 8 maxima.
// CHECK: name          op      result   parameters  flops  bytes
// CHECK-NEXT: train/p       matmul  2x4xf32          32    128     32
// CHECK-NEXT: train/y       relu    2x4xf32           0      8     32
// CHECK-NEXT: predict/both  concat  4x4xf32           8      0     64
// CHECK-NEXT: predict/k     relu    4x4xf32           0     16     64
// CHECK-NEXT: predict/p     matmul  4x4xf32           0    128     64
// CHECK-NEXT: total         5 ops                    40    280    256

// JSON: "bytes": 256,
// JSON: "flops": 280,
// JSON: "bytes": 32,
// JSON-NEXT: "flops": 128,
// JSON-NEXT: "name": "train/p",
// JSON-NEXT: "op": "matmul",
// JSON-NEXT: "parameters": 32,
// JSON-NEXT: "results": [
// JSON-NEXT: "2x4xf32"
// JSON: "parameters": 40

// EARLY: --summary lists ops with their shapes; give --emit=lifted or a later phase
// TWICE: standard output takes the result, --summary=json, --explain=json, --stats=json or --simulate=-, but not two of them

weir.parameter @w : tensor<8x4xf32> = dense<0.5> : tensor<8x4xf32>

func.func @train(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = weir.read @w : tensor<8x4xf32>
  %p = weir.matmul %x, %w : tensor<2x8xf32>, tensor<8x4xf32>
  %y = weir.relu %p : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

func.func @predict(%x: tensor<2x4xf32>, %z: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %two = weir.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %both = weir.concat %x, %two {axis = 0} : tensor<2x4xf32>, tensor<2x4xf32>
  %k = weir.relu %both : tensor<4x4xf32>
  %p = weir.matmul %both, %z : tensor<4x4xf32>, tensor<4x4xf32>
  return %k, %p : tensor<4x4xf32>, tensor<4x4xf32>
}
