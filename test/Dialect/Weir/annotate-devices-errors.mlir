// User errors in device annotations and rules.
// RUN: not graph-opt %s --weir-annotate-devices="place=conv*=cpu:0" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not graph-opt %s --weir-annotate-devices="place=after:tanh=cpu:0" 2>&1 | FileCheck %s --check-prefix=NODE
// RUN: not graph-opt %s --weir-annotate-devices="place=a=tpu:0" 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not graph-opt %s --weir-annotate-devices="place=a=cpu" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not graph-opt %s --weir-annotate-devices="place=cpu:0" 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not graph-opt %s --weir-annotate-devices="place=[a=cpu:0" 2>&1 | FileCheck %s --check-prefix=GLOB

// NONE: error: --weir-annotate-devices=place: placement rule 'conv*=cpu:0' fits no op; the ops are 'a', 'b'
// NODE: error: --weir-annotate-devices=place: placement rule 'after:tanh=cpu:0' names no op or input; the ops are 'a', 'b'
// KIND: error: --weir-annotate-devices=place: placement rule 'a=tpu:0': {{.*}}tpu{{.*}}cpu
// FORM: error: --weir-annotate-devices=place: placement rule 'a=cpu': {{.*}}cpu
// RULE: error: --weir-annotate-devices=place: placement rule 'cpu:0' names a device, but no op; expected GLOB=DEVICE or after:NODE=DEVICE, such as '*=cpu:0' for all ops
// GLOB: error: --weir-annotate-devices=place: placement rule '[a=cpu:0':
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = weir.exp %x : tensor<2xf32>
  %b = weir.relu %a : tensor<2xf32>
  return %b : tensor<2xf32>
}
