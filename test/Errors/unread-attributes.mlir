// Attributes that nothing reads, such as misspelt ones, are refused in the
// generic form of an op and on arguments and results too.
// RUN: graph-opt %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{'weir.relu' op has no attribute 'devcie'; it has device, stage}}
  %y = "weir.relu"(%x) {devcie = "cpu:1"} : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// expected-error@below {{output 0 has no attribute 'weir.nam'; it has weir.name, weir.assigns}}
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32> {weir.nam = "z"}) {
  return %x : tensor<2xf32>
}

// -----

// expected-error@below {{output 0 expects a string as weir.name, found 5}}
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32> {weir.name = 5}) {
  return %x : tensor<2xf32>
}

// -----

// expected-error@below {{input 0 has no attribute 'weir.name'; it has weir.parameter}}
func.func @main(%x: tensor<2xf32> {weir.name = "z"}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error@below {{has an attribute 'weir.entrry', which nothing reads; did you mean 'weir.entry'?}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> attributes {weir.entrry = "other"} {
  return %x : tensor<2xf32>
}

// -----

// What belongs to someone else stays.
func.func @main(%x: tensor<2xf32> {other.note = 1}) -> tensor<2xf32> attributes {other.note = 2} {
  %y = weir.relu %x {other.note = 3} : tensor<2xf32>
  // expected-error@below {{has an attribute 'weir.device', which nothing reads; remove it, or give it another prefix than 'weir.'}}
  %z = weir.relu %y {weir.device = "cpu:0"} : tensor<2xf32>
  return %z : tensor<2xf32>
}

// -----

// What belongs to a function, a group, a parameter, the module, or an input or
// output, says nothing on another op.
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{has an attribute 'weir.entry', which nothing reads here; it belongs to a function}}
  %y = weir.relu %x {weir.entry = "other"} : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{has an attribute 'weir.placement', which nothing reads here; it belongs to a weir.group}}
  %y = weir.relu %x {weir.placement = {reason = "annotated"}} : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{has an attribute 'weir.content_hash', which nothing reads here; it belongs to a weir.parameter}}
  %y = weir.relu %x {weir.content_hash = "xxh3:0"} : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// expected-error@below {{has an attribute 'weir.devices', which nothing reads here; it belongs to the module}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> attributes {weir.devices = 2} {
  return %x : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{has an attribute 'weir.name', which nothing reads here; it belongs to the type of an output of a function}}
  %y = weir.relu %x {weir.name = "z"} : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// expected-error@below {{has an attribute 'weir.entry', which nothing reads here; it belongs to a function}}
module attributes {weir.entry = "main"} {
}

// -----

// expected-error@below {{has an attribute 'weir.device', which nothing reads; did you mean 'weir.devices'?}}
module attributes {weir.device = ["cpu:0"]} {
}
