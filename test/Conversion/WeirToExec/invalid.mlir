// The requirements on what earlier passes leave.

// RUN: graph-opt %s --split-input-file --verify-diagnostics --convert-weir-to-exec

// expected-error @+1 {{expects a device list; run weir-set-devices first}}
module {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {weir.name = "x"}) {
    return %x : tensor<4xf32>
  }
}

// -----

module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {weir.name = "x"}) {
    // expected-error @+1 {{is in no group; run weir-form-groups first}}
    %y = weir.relu %x : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// -----

module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {weir.name = "x"}) {
    %y = weir.group (%a = %x) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      // expected-error @+1 {{is not lowered; run weir-lower-groups first}}
      %r = weir.relu %a : tensor<4xf32>
      weir.yield %r : tensor<4xf32>
    }
    return %y : tensor<4xf32>
  }
}

// -----

module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  weir.parameter @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
  func.func @main(%g: tensor<4xf32>, %w: tensor<4xf32> {weir.parameter = @w}) -> (tensor<4xf32> {weir.assigns = @w}) {
    %u = weir.group (%a = %w, %b = %g) on "cpu:0" : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
      // expected-error @+1 {{is not lowered; run weir-lower-groups first}}
      %n = weir.sub %a, %b : tensor<4xf32>, tensor<4xf32>
      weir.yield %n : tensor<4xf32>
    }
    return %u : tensor<4xf32>
  }
}

// -----

module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  // expected-error @+1 {{result 0 has no name; run weir-lift-parameters first}}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1"]>} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {weir.name = "z"}) {
    %y = weir.group (%a = %x) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %r = weir.launch "eltwise"(%a) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %r : tensor<4xf32>
    }
    %z = weir.group (%a = %y) on "cpu:1" : (tensor<4xf32>) -> tensor<4xf32> {
      // expected-error @+1 {{on "cpu:1" reads 'r', which is on "cpu:0"; run weir-insert-copies first}}
      %r = weir.launch "eltwise"(%a) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %r : tensor<4xf32>
    }
    return %z : tensor<4xf32>
  }
}

// -----

module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {weir.name = "z"}) {
    // expected-error @+1 {{is not on a device of the list ["cpu:0"]}}
    %z = weir.group (%a = %x) on "cpu:1" : (tensor<4xf32>) -> tensor<4xf32> {
      %r = weir.launch "eltwise"(%a) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %r : tensor<4xf32>
    }
    return %z : tensor<4xf32>
  }
}

// -----

module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {weir.name = "z"}) {
    %y = weir.group (%a = %x) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %r = weir.launch "eltwise"(%a) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %r : tensor<4xf32>
    }
    // expected-error @+1 {{names "cpu:3", which is not in the list of devices ["cpu:0"]}}
    %z = weir.copy %y from "cpu:0" to "cpu:3" : tensor<4xf32>
    return %z : tensor<4xf32>
  }
}
