// What weir-insert-copies must have done.

// RUN: graph-opt %s --split-input-file --verify-diagnostics --convert-weir-to-exec

module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1" {isolated}]>} {
  func.func @read(%x: tensor<4xf32> {weir.space = "cpu:1"}) -> (tensor<4xf32> {weir.name = "y"}) {
    %b = weir.group (%i = %x) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      // expected-error @+1 {{on "cpu:0" reads 'x', which is on "cpu:1"; run weir-insert-copies first}}
      %second = weir.launch "unary"(%i) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %second : tensor<4xf32>
    }
    return %b : tensor<4xf32>
  }
}

// -----

module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1" {isolated}]>} {
  // expected-error @+1 {{output 'y' lies in the memory of "cpu:1", but its value is on "cpu:0"; run weir-insert-copies first}}
  func.func @returned(%x: tensor<4xf32>) -> (tensor<4xf32> {weir.name = "y", weir.space = "cpu:1"}) {
    %b = weir.group (%i = %x) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %second = weir.launch "unary"(%i) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %second : tensor<4xf32>
    }
    return %b : tensor<4xf32>
  }
}
