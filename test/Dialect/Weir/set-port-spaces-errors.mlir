// What cannot be said of the memory of inputs and outputs.

// RUN: graph-opt %s --split-input-file --verify-diagnostics --weir-set-devices="devices=cpu:0-1 isolated=cpu:1" --weir-lift-parameters --weir-set-port-spaces

// expected-error @+1 {{input 'x': weir.space: cpu:2 is not in the list of devices (cpu:0, cpu:1); add it to --devices, or name one of these}}
func.func @unlisted(%x: tensor<2xf32> {weir.space = "cpu:2"}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error @+1 {{output 'y': weir.space: 'there': unknown device kind 'there'; expected cpu, null}}
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

// -----

// A caller allocates the inputs and outputs of an entry before it knows which
// plan runs.
// expected-note @+1 {{the first function of the entry}}
func.func @main(%x: tensor<2xf32> {weir.space = "cpu:1"}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
// expected-error @+1 {{entry 'main' expects input 'x' in the memory of cpu:1, found that of the host; functions of one name differ in shapes alone, so give both the same weir.space, or give this one another weir.entry}}
func.func @larger(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "main"} {
  return %x : tensor<4xf32>
}

// -----

// expected-note @+1 {{the first function of the entry}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
// expected-error @+1 {{entry 'main' expects output 'x' in the memory of the host, found that of cpu:1}}
func.func @larger(%x: tensor<4xf32>) -> (tensor<4xf32> {weir.space = "cpu:1"}) attributes {weir.entry = "main"} {
  return %x : tensor<4xf32>
}

// -----

// A device that is not isolated has the host's memory.
func.func @main(%x: tensor<2xf32> {weir.space = "cpu:0"}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @larger(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "main"} {
  return %x : tensor<4xf32>
}
