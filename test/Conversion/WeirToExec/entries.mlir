// A parameter that an entry assigns is a variable in all entries, on the device
// where the first entry computes its new value. Entries share the parameters of
// equal constants. The name by which callers run an entry stays.

// RUN: graph-opt %s --convert-weir-to-exec | FileCheck %s

module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1"]>} {
  // CHECK: weir.parameter @w
  // CHECK: weir.parameter @fixed
  // CHECK: weir.parameter @c :
  // CHECK-NOT: weir.parameter
  weir.parameter @w : tensor<4xf32> from "w.safetensors"
  weir.parameter @fixed : tensor<4xf32> from "w.safetensors"

  // CHECK: exec.entry @predict on
  // CHECK: %w = exec.variable @w on "cpu:1"
  // CHECK: exec.parameter @fixed on "cpu:0"
  // CHECK: exec.parameter @c on "cpu:0"
  func.func @predict(%w: tensor<4xf32> {weir.parameter = @w},
                     %fixed: tensor<4xf32> {weir.parameter = @fixed})
      -> (tensor<4xf32> {weir.name = "y"}) {
    %c = weir.constant dense<1.0> : tensor<4xf32>
    %y = weir.group (%a = %w, %b = %fixed, %d = %c) on "cpu:0" : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
      %s = weir.launch "binary"(%a, %b) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %t = weir.launch "binary"(%s, %d) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      weir.yield %t : tensor<4xf32>
    }
    return %y : tensor<4xf32>
  }

  // CHECK: exec.entry @"step[x:4]" on {{.*}} attributes {weir.entry = "step"} {
  // CHECK: %w = exec.variable @w on "cpu:1"
  // CHECK: %[[NEXT:.*]] = exec.version %w
  // CHECK: exec.launch "t" by "binary"({{.*}}) -> (%[[NEXT]] : tensor<4xf32>)
  func.func @"step[x:4]"(%x: tensor<4xf32>, %w: tensor<4xf32> {weir.parameter = @w})
      -> (tensor<4xf32> {weir.assigns = @w}) attributes {weir.entry = "step"} {
    %other = weir.constant dense<1.0> : tensor<4xf32>
    %n = weir.group (%a = %w, %b = %x, %d = %other) on "cpu:1" : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
      %s = weir.launch "binary"(%a, %b) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %t = weir.launch "binary"(%s, %d) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      weir.yield %t : tensor<4xf32>
    }
    return %n : tensor<4xf32>
  }

  // The new value is copied to the parameter's home.
  // CHECK: exec.entry @reset on
  // CHECK: %w = exec.variable @w on "cpu:1"
  // CHECK: exec.program on "cpu:0" queue compute
  // CHECK: exec.launch "n" by "binary"
  // CHECK: exec.program on "cpu:1" queue compute
  // CHECK: exec.copy "home to cpu:1" crossing
  // CHECK: exec.copy "assign w" %home to %w_0
  func.func @reset(%x: tensor<4xf32>) -> (tensor<4xf32> {weir.assigns = @w}) {
    %n = weir.group (%a = %x) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %n = weir.launch "binary"(%a, %a) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      weir.yield %n : tensor<4xf32>
    }
    %home = weir.copy %n from "cpu:0" to "cpu:1" : tensor<4xf32>
    return %home : tensor<4xf32>
  }
}
