// What a phase leaves for the next one. Anything else is an error, whatever
// graph-opt is given.

// RUN: graph-opt %s --split-input-file --verify-diagnostics --weir-verify-phase=phase=lowered

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {weir.name = "y"}) {
  %y = weir.group (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{was not lowered to a kernel}}
    %r = weir.relu %a : tensor<4xf32>
    weir.yield %r : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {weir.name = "y"}) {
  // expected-error @+1 {{malformed device name '': it is empty}}
  %y = weir.group (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    weir.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
