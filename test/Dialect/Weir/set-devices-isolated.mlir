// Some devices have their own memory: those of the option, those of the topology
// file, or all.

// RUN: rm -rf %t && mkdir -p %t && split-file %s %t
// RUN: graph-opt %t/net.mlir --weir-set-devices="devices=cpu:0-2" | FileCheck %s --check-prefix=NONE
// RUN: graph-opt %t/net.mlir --weir-set-devices="devices=cpu:0-2 isolated=all" | FileCheck %s --check-prefix=ALL
// RUN: graph-opt %t/net.mlir --weir-set-devices="devices=cpu:0-2 isolated=cpu:2,cpu:1" | FileCheck %s --check-prefix=SOME
// RUN: graph-opt %t/net.mlir --weir-set-devices="topology=%t/devices.json" | FileCheck %s --check-prefix=FILE
// RUN: graph-opt %t/net.mlir --weir-set-devices="topology=%t/devices.json isolated=cpu:0" | FileCheck %s --check-prefix=BOTH
// RUN: not graph-opt %t/net.mlir --weir-set-devices="devices=cpu:0-1 isolated=cpu:2" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not graph-opt %t/net.mlir --weir-set-devices="topology=%t/wrong.json" 2>&1 | FileCheck %s --check-prefix=WRONG

// NONE-NOT: isolated
// ALL: #weir.devices<["cpu:0" {isolated}, "cpu:1" {isolated}, "cpu:2" {isolated}]>
// SOME: #weir.devices<["cpu:0", "cpu:1" {isolated}, "cpu:2" {isolated}]>
// FILE: #weir.devices<["cpu:0", "cpu:1" {isolated}]>
// BOTH: #weir.devices<["cpu:0" {isolated}, "cpu:1" {isolated}]>
// UNKNOWN: device cpu:2 cannot be isolated: it is not in the list of devices; add it, or isolate one of cpu:0, cpu:1
// WRONG: devices[0].isolated: expected true or false, found 1

//--- net.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- devices.json
{"devices": [{"name": "cpu:0", "isolated": false}, {"name": "cpu:1", "isolated": true}]}

//--- wrong.json
{"devices": [{"name": "cpu:0", "isolated": 1}]}
