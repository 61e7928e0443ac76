// Passes by name instead of the phases, and the flags of MLIR itself.

// RUN: graph-compile %s --pass-pipeline='builtin.module(weir-fold-constants)' | FileCheck %s
// RUN: %exits 2 graph-compile %s --pass-pipeline='builtin.module(weir-fold)' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %exits 2 graph-compile %s --pass-pipeline='builtin.module(weir-fold-constants)' --place '*=cpu:0' 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: %exits 2 graph-compile %s --pass-pipeline='builtin.module(weir-fold-constants)' --shape x:1x2 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: %exits 2 graph-compile %s --pass-pipeline='builtin.module(weir-fold-constants)' --kernel-cache=off 2>&1 | FileCheck %s --check-prefix=CACHE
// RUN: %exits 2 graph-compile %s --pass-pipeline='builtin.module(weir-fold-constants)' --devices=cpu:0 2>&1 | FileCheck %s --check-prefix=DEVICES
// RUN: %exits 2 graph-compile %s --pass-pipeline='builtin.module(weir-fold-constants)' --emit=exec --stats 2>&1 | FileCheck %s --check-prefix=REPORT -DFLAG=--stats
// RUN: %exits 2 graph-compile %s --pass-pipeline='builtin.module(weir-fold-constants)' --emit=exec --explain=json -o no.mlir 2>&1 | FileCheck %s --check-prefix=REPORT -DFLAG=--explain
// RUN: %exits 2 graph-compile %s --pass-pipeline='builtin.module(weir-fold-constants)' --emit=exec --simulate 2>&1 | FileCheck %s --check-prefix=REPORT -DFLAG=--simulate
// RUN: %exits 2 graph-opt %s --pass-pipeline='builtin.module(weir-fold)' 2>&1 | FileCheck %s --check-prefix=OPT
// RUN: %exits 2 graph-opt %s --pass-pipeline=weir-fold 2>&1 | FileCheck %s --check-prefix=ANCHOR
// RUN: graph-compile %s --emit=lifted --mlir-print-ir-after=weir-lift-parameters 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: %exits 2 graph-compile %s --mlir-print 2>&1 | FileCheck %s --check-prefix=FLAG

// CHECK: weir.constant dense<3.0
// CHECK-NOT: weir.add
// UNKNOWN: error: --pass-pipeline: 'weir-fold' does not refer to a registered pass or pass pipeline; graph-opt --help lists the passes
// PLACE: graph-compile: error: --place has no effect on the passes of --pass-pipeline; leave it out, or give the pass that applies it an option
// CACHE: graph-compile: error: --kernel-cache has no effect on the passes of --pass-pipeline
// SHAPE: graph-compile: error: --shape has no effect on the passes of --pass-pipeline
// DEVICES: graph-compile: error: --devices has no effect on the passes of --pass-pipeline
// REPORT: graph-compile: error: [[FLAG]] reports on the phases, instead of which --pass-pipeline runs passes; leave one of the two flags out
// OPT: 'weir-fold' does not refer to a registered pass or pass pipeline
// ANCHOR: graph-opt: error: expected pass pipeline to be wrapped with the anchor operation type, e.g. 'builtin.module(...)'
// AFTER: IR Dump After
// FLAG: graph-compile: error: unknown flag '--mlir-print'; did you mean --mlir-print-debuginfo? graph-opt --help lists all flags
func.func @main() -> tensor<2xf32> {
  %a = weir.constant dense<1.0> : tensor<2xf32>
  %b = weir.constant dense<2.0> : tensor<2xf32>
  %c = weir.add %a, %b : tensor<2xf32>, tensor<2xf32>
  return %c : tensor<2xf32>
}
