// The bytes of parameters: from the text, as one byte per truth value, and from
// a safetensors file beside the source, at any element type, and from an offset
// of a file of any kind.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/make-parameters.py %t/p.safetensors
// RUN: %python -c "open('%t/raw.bin', 'wb').write(bytes(range(16)))"
// RUN: sed "s|FOLDER|%t|" %s > %t/in.mlir
// RUN: graph-opt %t/in.mlir --exec-write-artifact=output=%t/out.weir -o %t/out.mlir
// RUN: graph-dump %t/out.weir --json | %python %S/Inputs/show-blobs.py %t/out.weir | FileCheck %s

// CHECK: mask 4xi1 01000101
// CHECK: same 2xi16 07000700
// CHECK: half 2xf16 003c00c0
// CHECK: renamed 3xi64 010000000000000002000000000000000300000000000000
// CHECK: raw 2x3xi16 03040506070809{{0a0b0c0d0e}}

module attributes {weir.source_dir = "FOLDER"} {
  weir.parameter @mask : tensor<4xi1> = dense<[true, false, true, true]> : tensor<4xi1>
  weir.parameter @same : tensor<2xi16> = dense<7> : tensor<2xi16>
  weir.parameter @half : tensor<2xf16> from "p.safetensors"
  weir.parameter @raw : tensor<2x3xi16> from "raw.bin" offset 3
  weir.parameter @renamed : tensor<3xi64> from "p.safetensors" key "some.name"
  exec.entry @main on ["cpu:0"] {
    %z = exec.output 0 "z" on "cpu:0" : tensor<4xi1>
    %mask = exec.parameter @mask on "cpu:0" : tensor<4xi1>
    %same = exec.parameter @same on "cpu:0" : tensor<2xi16>
    %half = exec.parameter @half on "cpu:0" : tensor<2xf16>
    %renamed = exec.parameter @renamed on "cpu:0" : tensor<3xi64>
    %raw = exec.parameter @raw on "cpu:0" : tensor<2x3xi16>
    exec.program on "cpu:0" queue compute {
      exec.copy "z" %mask to %z : 4
    }
  }
}
