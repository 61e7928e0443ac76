// A device table is printed as it is read, and says what is wrong with it.

// RUN: split-file %s %t
// RUN: graph-opt %t/valid.mlir | graph-opt | FileCheck %s
// RUN: graph-opt %t/invalid.mlir --split-input-file --verify-diagnostics
// RUN: graph-opt %t/net.mlir --weir-set-devices="topology=%t/all.json threads=2" | FileCheck %s --check-prefix=FILE
// RUN: not graph-opt %t/net.mlir --weir-set-devices=threads=1025 2>&1 | FileCheck %s --check-prefix=THREADS

// CHECK: weir.devices = #weir.devices<["cpu:0",
// CHECK-SAME: "cpu:1" {bytes_per_second = 1.000000e+09, flops = {bf16 = 2.000000e+09, f32 = 1.000000e+09}, isolated, kernels = [], launch_seconds = 1.250000e-01, memory_bytes = 4096, options = {cores = "0-3"}, threads = 4}],
// CHECK-SAME: links = [{bytes_per_second = 1.000000e+10, from = "cpu:0", to = "cpu:1"}]>
// Rates of many digits are printed in hexadecimal digits, and read back.
// RUN: graph-opt %t/digits.mlir | graph-opt | FileCheck %s --check-prefix=DIGITS
// DIGITS: {bytes_per_second = 0x4217D78400040000 : f64, flops = {f32 = 0x41678C29C0000000 : f64}
// DIGITS-SAME: links = [{bytes_per_second = 0x423CBE991A140000 : f64,

// CHECK: exec.entry @main on ["cpu:0" {excluded_kernels = ["conv"]}] in_flight 2

// All that a topology file states is in the table. The option overrides the
// threads of the file, but not those of a device without a share of the cores.
// FILE: #weir.devices<["cpu:0" {bytes_per_second = 4.000000e+10, excluded_kernels = ["matmul"], flops = {bf16 = 2.000000e+12, f32 = 5.000000e+11}, memory_bytes = 4096, options = {cores = "0"}, threads = 2}, "null:0" {isolated, kernels = [], launch_seconds = 4.000000e-06}],
// FILE-SAME: links = [{bytes_per_second = 1.200000e+10, from = "cpu:0", latency_seconds = 5.000000e-06, shared = "bus", to = "null:0"}, {bytes_per_second = 1.200000e+10, from = "null:0", latency_seconds = 5.000000e-06, shared = "bus", to = "cpu:0"}]>
// THREADS: error: expects 0 to 1024 threads per CPU device, found 1025

//--- valid.mlir
module attributes {weir.devices = #weir.devices<["cpu:0" {}, "cpu:1" {isolated, threads = 4, memory_bytes = 4096, flops = {f32 = 1.0e9, bf16 = 2.0e9}, bytes_per_second = 1.0e9, launch_seconds = 0.125, kernels = [], options = {cores = "0-3"}}], links = [{from = "cpu:0", to = "cpu:1", bytes_per_second = 1.0e10}]>} {
  exec.entry @main on ["cpu:0" {excluded_kernels = ["conv"]}], links = [] in_flight 2 {
  }
}

//--- digits.mlir
module attributes {weir.devices = #weir.devices<["cpu:0" {bytes_per_second = 25600000001.0, flops = {f32 = 12345678.0}}, "cpu:1"], links = [{from = "cpu:0", to = "cpu:1", bytes_per_second = 123456789012.0}]>} {
}

//--- net.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- all.json
{"devices": [
  {"name": "cpu:0", "threads": 4, "memory_bytes": 4096,
   "flops": {"f32": 5e11, "bf16": 2e12}, "bytes_per_second": 4e10,
   "excluded_kernels": ["matmul"], "options": {"cores": 0}},
  {"name": "null:0", "launch_seconds": 4e-6, "kernels": [], "isolated": true}],
 "links": [{"between": ["cpu:0", "null:0"], "bytes_per_second": 1.2e10,
            "latency_seconds": 5e-6, "shared": "bus"}]}

//--- invalid.mlir
// expected-error @+1 {{expects 1 to 1024 devices, found 0}}
module attributes {weir.devices = #weir.devices<[]>} {
}

// -----

// expected-error @+1 {{expected the name of a device}}
module attributes {weir.devices = #weir.devices<[""]>} {
}

// -----

// expected-error @+1 {{lists device 'tpu:0': }}
module attributes {weir.devices = #weir.devices<["tpu:0"]>} {
}

// -----

// expected-error @+1 {{lists device '/CPU:0'; expected its name 'cpu:0'}}
module attributes {weir.devices = #weir.devices<["/CPU:0"]>} {
}

// -----

// expected-error @+1 {{lists device 'cpu:0' twice}}
module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:0"]>} {
}

// -----

// expected-error @+1 {{expects a dictionary for device 'cpu:0', found [2]}}
module attributes {weir.devices = #weir.devices<["cpu:0" [2]]>} {
}

// -----

// expected-error @+1 {{device 'cpu:0' has no key 'thread'; did you mean 'threads'?}}
module attributes {weir.devices = #weir.devices<["cpu:0" {thread = 2}]>} {
}

// -----

// expected-error @+1 {{expects 'threads' from 0 to 1024, found -1}}
module attributes {weir.devices = #weir.devices<["cpu:0" {threads = -1}]>} {
}

// -----

// expected-error @+1 {{expects 'isolated' without a value, found true}}
module attributes {weir.devices = #weir.devices<["cpu:0" {isolated = true}]>} {
}

// -----

// expected-error @+1 {{expects 'launch_seconds' from 0.0 to 1.0e6, found 2.0}}
module attributes {weir.devices = #weir.devices<["cpu:0" {launch_seconds = 2.0e7}]>} {
}

// -----

// expected-error @+1 {{expects 'f32' from 1.0 to 1.0e30, found 0.0}}
module attributes {weir.devices = #weir.devices<["cpu:0" {flops = {f32 = 0.0}}]>} {
}

// -----

// expected-error @+1 {{expects 'flops' to have element types as keys, found {f33 = }}
module attributes {weir.devices = #weir.devices<["cpu:0" {flops = {f33 = 1.0}}]>} {
}

// -----

// expected-error @+1 {{expects 'kernels' to be a list of texts, found [1]}}
module attributes {weir.devices = #weir.devices<["cpu:0" {kernels = [1]}]>} {
}

// -----

// expected-error @+1 {{device 'cpu:0' has both 'kernels' and 'excluded_kernels'; expected only one of them}}
module attributes {weir.devices = #weir.devices<["cpu:0" {kernels = [], excluded_kernels = []}]>} {
}

// -----

// expected-error @+1 {{expects 'to' of each link}}
module attributes {weir.devices = #weir.devices<["cpu:0"], links = [{from = "cpu:0"}]>} {
}

// -----

// expected-error @+1 {{has a link of device "cpu:1", which it does not list}}
module attributes {weir.devices = #weir.devices<["cpu:0"], links = [{from = "cpu:0", to = "cpu:1"}]>} {
}

// -----

// expected-error @+1 {{has a link from device 'cpu:0' to itself}}
module attributes {weir.devices = #weir.devices<["cpu:0"], links = [{from = "cpu:0", to = "cpu:0"}]>} {
}

// -----

// expected-error @+1 {{has two links from 'cpu:0' to 'cpu:1'}}
module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1"], links = [{from = "cpu:0", to = "cpu:1"}, {from = "cpu:0", to = "cpu:1"}]>} {
}

// -----

// expected-error @+1 {{a link has no key 'between'}}
module attributes {weir.devices = #weir.devices<["cpu:0"], links = [{between = "cpu:0"}]>} {
}
