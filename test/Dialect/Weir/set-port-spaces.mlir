// A flag says in which memory an input or output lies, by its name in all
// entries that have it or in one. It overrides the text, also a device that is
// not in the list. Devices get their canonical names.

// RUN: graph-opt %s --weir-set-devices="devices=cpu:0-2 isolated=cpu:1-2" --weir-lift-parameters --weir-set-port-spaces="spaces=x=/CPU:1,step/x=cpu:2,y=cpu:2,w=cpu:1" | FileCheck %s

weir.parameter @w : tensor<2xf32> = dense<0.5> : tensor<2xf32>

// The name of a parameter's argument is no input.
// CHECK: func.func @main(%x: tensor<2xf32> {weir.space = "cpu:1"}, %u: tensor<2xf32> {weir.space = "cpu:2"}, %w: tensor<2xf32> {weir.parameter = @w})
// CHECK-SAME: -> (tensor<2xf32> {weir.name = "y", weir.space = "cpu:2"}, tensor<2xf32> {weir.name = "w", weir.space = "cpu:1"}, tensor<2xf32> {weir.name = "x", weir.space = "cpu:1"})
func.func @main(%x: tensor<2xf32> {weir.space = "cpu:7"},
                %u: tensor<2xf32> {weir.space = "/CPU:2"})
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %w = weir.read @w : tensor<2xf32>
  %y = weir.add %x, %u : tensor<2xf32>, tensor<2xf32>
  return %y, %w, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK: func.func @step(%x: tensor<2xf32> {weir.space = "cpu:2"})
// CHECK-SAME: -> (tensor<2xf32> {weir.name = "z"}, tensor<2xf32> {weir.assigns = @w})
func.func @step(%x: tensor<2xf32>) -> tensor<2xf32> {
  %z = weir.relu %x : tensor<2xf32>
  weir.assign @w, %z : tensor<2xf32>
  return %z : tensor<2xf32>
}
