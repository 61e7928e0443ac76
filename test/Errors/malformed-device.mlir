// A name that is no device's, in the text and in flags, says what is wrong.
// RUN: rm -rf %t %t.weir && split-file %s %t
// RUN: %exits 1 graph-compile %t/name.mlir -o %t.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TEXT
// RUN: %exits 2 graph-compile %t/plain.mlir --devices=cpu:-1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEGATIVE
// RUN: %exits 2 graph-compile %t/plain.mlir --devices=cpu:3-1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BACKWARDS
// RUN: %exits 2 graph-compile %t/plain.mlir --devices=cpu:0,,cpu:1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EMPTY
// RUN: %exits 2 graph-compile %t/plain.mlir --devices=cpu:0-65535 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MANY
// RUN: %exits 2 graph-compile %t/plain.mlir --devices=cpu:0,cpu:0-1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE
// RUN: %exits 2 graph-compile %t/plain.mlir --devices=cpu:0 \
// RUN:   --topology=nowhere.json 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not ls %t/plain.weir

// TEXT: name.mlir:2:8: error: {{.*}}malformed device name 'cpu': the device index is missing; expected KIND:INDEX such as cpu:0
// NEGATIVE: graph-compile: error: --devices: malformed device name 'cpu:-1': the device index '-1' is not a number from 0 to 65535
// BACKWARDS: graph-compile: error: --devices: malformed device name 'cpu:3-1': the range runs backwards
// EMPTY: graph-compile: error: --devices: malformed device name '': it is empty
// MANY: graph-compile: error: --devices: the device list has more than 1024 devices; name fewer
// TWICE: graph-compile: error: --devices: the device list names cpu:0 twice; name each device once
// BOTH: graph-compile: error: --devices and --topology are both given; give one

//--- name.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = weir.relu %x on "cpu" : tensor<2xf32>
  return %y : tensor<2xf32>
}

//--- plain.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = weir.relu %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
