// What cannot be said of the memory of inputs and outputs.

// RUN: graph-opt %s --split-input-file --verify-diagnostics --weir-set-devices="devices=cpu:0-1 isolated=cpu:1" --weir-lift-parameters --weir-set-port-spaces

// expected-error @+1 {{input 'x': weir.space: cpu:2 is not in the list of devices (cpu:0, cpu:1); add it to --devices, or name one of these}}
func.func @unlisted(%x: tensor<2xf32> {weir.space = "cpu:2"}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error @+1 {{output 'y': weir.space: 'there': unknown device kind 'there'; expected cpu, cuda, sim, null}}
func.func @misspelt(%x: tensor<2xf32>)
    -> (tensor<2xf32> {weir.name = "y", weir.space = "there"}) {
  return %x : tensor<2xf32>
}

// -----

// expected-error @+1 {{input 0 expects a string as weir.space, found 1 : i64}}
func.func @number(%x: tensor<2xf32> {weir.space = 1 : i64}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

weir.parameter @w : tensor<2xf32> = dense<0.5> : tensor<2xf32>
// expected-error @+1 {{'w' is a parameter and lies where it is used; remove weir.space}}
func.func @parameter(%w: tensor<2xf32> {weir.parameter = @w, weir.space = "cpu:1"}) -> tensor<2xf32> {
  return %w : tensor<2xf32>
}

// -----

weir.parameter @w : tensor<2xf32> = dense<0.5> : tensor<2xf32>
// expected-error @+1 {{'result 0' is the new value of a parameter and lies where it is used; remove weir.space}}
func.func @assigned(%x: tensor<2xf32>) -> (tensor<2xf32> {weir.assigns = @w, weir.space = "cpu:1"}) {
  return %x : tensor<2xf32>
}
