// A kind of device that does not exist is an error everywhere a device is
// named, soft or strict; the message lists the kinds.
// RUN: rm -rf %t %t.weir && split-file %s %t
// RUN: %exits 1 graph-compile %t/kind.mlir -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TEXT
// RUN: %exits 2 graph-compile %t/plain.mlir --devices=tpu:0 -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FLAG
// RUN: %exits 2 graph-compile %t/plain.mlir --place=y=tpu:0 -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RULE
// RUN: %exits 2 graph-compile %t/plain.mlir --memory-cap=tpu:0=1MiB \
// RUN:   -o %t.weir 2>&1 | FileCheck %s --check-prefix=CAP
// RUN: %exits 1 graph-compile %t/plain.mlir --topology=%t/kind.json \
// RUN:   -o %t.weir 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not ls %t.weir
// TensorFlow's name is understood where it is written as it writes it.
// RUN: %exits 2 graph-compile %t/plain.mlir --devices=gpu:0 -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GPU
// GPU: graph-compile: error: --devices: {{.*}}unknown device kind 'gpu'; expected cpu, null, {{.*}} (a GPU of NVIDIA is cuda){{$}}

// TEXT: kind.mlir:2:8: error: {{.*}}unknown device kind 'tpu'; expected cpu, null, {{.*}}; there is no libweir-tpu.so in
// FLAG: graph-compile: error: --devices: {{.*}}unknown device kind 'tpu'; expected cpu, null, {{.*}}; there is no libweir-tpu.so in
// RULE: graph-compile: error: --place: {{.*}}unknown device kind 'tpu'; expected cpu, null, {{.*}}; there is no libweir-tpu.so in
// CAP: graph-compile: error: --memory-cap: {{.*}}unknown device kind 'tpu'; expected cpu, null, {{.*}}; there is no libweir-tpu.so in
// FILE: graph-compile: error: {{.*}}kind.json: devices[0].name: {{.*}}tpu

//--- kind.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = weir.relu %x on "tpu:0" : tensor<2xf32>
  return %y : tensor<2xf32>
}

//--- plain.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = weir.relu %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

//--- kind.json
{"devices": [{"name": "tpu:0"}]}
