// Rules place ops of all entries, or of the one that they name. A rule that
// fits an op as a whole is never divided.
// RUN: graph-opt %s --weir-annotate-devices="place=y=cpu:1" | FileCheck %s --check-prefix=ALL
// RUN: graph-opt %s --weir-annotate-devices="place=step/y=cpu:1" | FileCheck %s --check-prefix=ONE
// RUN: graph-opt %s --weir-annotate-devices="place=after:step/x=cpu:1" | FileCheck %s --check-prefix=ONE
// RUN: graph-opt %s --weir-annotate-devices="place=step/z=cpu:1" | FileCheck %s --check-prefix=WHOLE
// RUN: not graph-opt %s --weir-annotate-devices="place=step/w=cpu:1" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not graph-opt %s --weir-annotate-devices="place=after:main/w=cpu:1" 2>&1 | FileCheck %s --check-prefix=NODE
// RUN: not graph-opt %s --weir-annotate-devices="place=y=cpu:1,*=cpu:0" 2>&1 | FileCheck %s --check-prefix=RULED

// NONE: error: --weir-annotate-devices=place: placement rule 'step/w=cpu:1' fits no op; did you mean 'step/y'? The ops are 'main/y', 'main/step/z', 'step/y', 'step/z'{{$}}
// NODE: error: --weir-annotate-devices=place: placement rule 'after:main/w=cpu:1' names no op or input; did you mean 'main/y'? The ops are 'main/y', 'main/step/z', 'step/y', 'step/z'{{$}}
// RULED: error: --weir-annotate-devices=place: placement rule 'y=cpu:1' decides nothing

// ALL: func.func @main
// ALL: weir.relu %x on "cpu:1"
// ONE: func.func @main
// ONE: weir.relu %x :
// ONE: weir.exp %y :
// WHOLE: func.func @main
// WHOLE: weir.relu %x :
// WHOLE: weir.exp %y on "cpu:1"
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = weir.relu %x : tensor<2xf32>
  %z = weir.exp %y : tensor<2xf32> loc("step/z")
  return %z : tensor<2xf32>
}
// ALL: func.func @step
// ALL: weir.neg %x on "cpu:1"
// ONE: func.func @step
// ONE: weir.neg %x on "cpu:1"
// WHOLE: func.func @step
// WHOLE-NOT: on "cpu:1"
func.func @step(%x: tensor<2xf32>, %g: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %y = weir.neg %x : tensor<2xf32>
  %z = weir.exp %g : tensor<2xf32>
  return %y, %z : tensor<2xf32>, tensor<2xf32>
}
