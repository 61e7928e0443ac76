// Malformed and unknown devices in the text are errors at their op.
// RUN: graph-opt %s -weir-annotate-devices -split-input-file -verify-diagnostics

func.func @unknown_kind(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'a': 'tpu:0': unknown device kind 'tpu'; expected cpu, null}}
  %a = weir.exp %x on "tpu:0" : tensor<2xf32>
  return %a : tensor<2xf32>
}

// -----

func.func @malformed(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'a': }}
  %a = weir.exp %x on "cpu:one" : tensor<2xf32>
  return %a : tensor<2xf32>
}
