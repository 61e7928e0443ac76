// Every phase can be printed, and its text can be read again.
// RUN: graph-compile %s --shape=x:2x8 --emit=import | FileCheck %s --check-prefix=IMPORT
// RUN: graph-compile %s --shape=x:2x8 --emit=lifted | FileCheck %s --check-prefix=LIFTED
// RUN: graph-compile %s --shape=x:2x8 --emit=graph | FileCheck %s --check-prefix=GRAPH
// RUN: graph-compile %s --shape=x:2x8 --emit=grouped | FileCheck %s --check-prefix=GROUPED
// RUN: graph-compile %s --shape=x:2x8 --emit=placed | FileCheck %s --check-prefix=PLACED
// RUN: graph-compile %s --shape=x:2x8 --emit=partitioned | FileCheck %s --check-prefix=PARTITIONED
// RUN: graph-compile %s --shape=x:2x8 --emit=lowered | FileCheck %s --check-prefix=LOWERED
// RUN: graph-compile %s --shape=x:2x8 --emit=exec | FileCheck %s --check-prefix=EXEC
// RUN: graph-compile %s --shape=x:2x8 --emit=lowered | graph-opt | FileCheck %s --check-prefix=LOWERED
// RUN: graph-compile %s --shape=x:2x8 --emit=exec | graph-opt | FileCheck %s --check-prefix=EXEC
// RUN: not graph-compile %s --emit=nonsense 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: graph-compile: error: unknown phase 'nonsense'; the phases are import, lifted, graph, grouped, placed, partitioned, lowered, exec, artifact

weir.parameter @w : tensor<8x512xf32> = dense<0.5> : tensor<8x512xf32>

// IMPORT: weir.read @w
// IMPORT: weir.matmul %x, %{{.*}} on "cpu:0" : tensor<?x8xf32>
// LIFTED: tensor<8x512xf32> {weir.parameter = @w}
// LIFTED: weir.matmul %x, %w on "cpu:0" : tensor<2x8xf32>
// GRAPH: weir.add
// GRAPH-NOT: weir.group
// GROUPED: weir.group {{.*}} on "cpu:0"
// PLACED: weir.group {{.*}} on "cpu:0" {weir.placement = {reason = "annotated"
// PARTITIONED: weir.copy %s from "cpu:0" to "cpu:1"
// LOWERED: weir.launch "matmul"
// LOWERED: weir.launch "generated"
// EXEC: exec.program on "cpu:0"
// EXEC: exec.launch "p" by "matmul"
// EXEC: exec.program on "cpu:1"
// EXEC: exec.wait 0
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x512xf32> {
  %weight = weir.read @w : tensor<8x512xf32>
  %p = weir.matmul %x, %weight on "cpu:0" : tensor<?x8xf32>, tensor<8x512xf32>
  %s = weir.add %p, %p : tensor<?x512xf32>, tensor<?x512xf32>
  %y = weir.softmax %s on "cpu:1" : tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}
