// Functions of one name are plans of one entry. They differ in shapes alone.
// RUN: graph-opt %s --split-input-file --weir-lift-parameters --verify-diagnostics

// expected-note@below {{the first function of the entry}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
// expected-error@below {{entry 'main' expects 1 input, found 2; functions of one name differ in shapes alone, so give this one another weir.entry}}
func.func @more(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32> {weir.name = "x"}) attributes {weir.entry = "main"} {
  return %x : tensor<4xf32>
}

// -----

// expected-note@below {{the first function of the entry}}
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
// expected-error@below {{entry 'main' expects input 1 to be 'y', found 'z'; functions of one name differ in shapes alone, so give both arguments one name, or give this one another weir.entry}}
func.func @named(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "main"} {
  return %x : tensor<4xf32>
}

// -----

// expected-note@below {{the first function of the entry}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
// expected-error@below {{entry 'main' expects input 'x' of type f32, found i32; functions of one name differ in shapes alone, so give this one another weir.entry}}
func.func @typed(%x: tensor<4xi32>) -> tensor<4xi32> attributes {weir.entry = "main"} {
  return %x : tensor<4xi32>
}

// -----

// expected-note@below {{the first function of the entry}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = weir.relu %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
// expected-error@below {{entry 'main' expects output 0 to be 'y', found 'z'; functions of one name differ in shapes alone, so write {weir.name = "y"} behind the type of the output, or give this one another weir.entry}}
func.func @output(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "main"} {
  %z = weir.relu %x : tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

// This is how.
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = weir.relu %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @larger(%x: tensor<4xf32>) -> (tensor<4xf32> {weir.name = "relu_0"}) attributes {weir.entry = "main"} {
  %0 = weir.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Parameters that one plan reads or assigns are neither inputs nor outputs.
weir.parameter @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @reads(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "main"} {
  %w = weir.read @w : tensor<4xf32>
  weir.assign @w, %x : tensor<4xf32>
  return %x : tensor<4xf32>
}
