// Launches compute the inputs of a join at their places in its buffer.

// RUN: graph-opt %s --split-input-file --convert-weir-to-exec | FileCheck %s
// RUN: graph-opt %s --split-input-file --pass-pipeline='builtin.module(convert-weir-to-exec,exec.entry(exec-order-launches,exec-assign-events,exec-plan-memory,exec-verify-schedule))' | FileCheck %s --check-prefix=PROVEN

// Each part is computed from the one before, and the whole is read. Bytes
// between parts are zeros.
// CHECK-LABEL: exec.entry @chain
// PROVEN-LABEL: exec.entry @chain
module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  func.func @chain(%x: tensor<2x3xf32>) -> (tensor<48xf32> {weir.name = "y"}) {
    // CHECK: %p = exec.scratch 192 bytes on "cpu:0"
    // CHECK-NOT: exec.scratch
    // CHECK: exec.launch "a" by "generated"(%x : tensor<2x3xf32>) -> (%p : tensor<2x3xf32>)
    // CHECK-NEXT: exec.launch "b" by "generated"(%p : tensor<2x3xf32>) -> (%p[64] : tensor<16xf32>)
    // CHECK-NEXT: exec.launch "c" by "generated"(%p[64] : tensor<16xf32>) -> (%p[128] : tensor<5xf32>)
    // CHECK-NEXT: exec.fill "p" %p[24] : 40
    // CHECK-NEXT: exec.fill "p" %p[148] : 44
    // CHECK-NEXT: exec.launch "y" by "generated"(%p : tensor<48xf32>) -> (%y : tensor<48xf32>)
    // PROVEN: exec.launch "a"
    // PROVEN-NEXT: exec.fill "p"
    // PROVEN-NEXT: exec.fill "p"
    // PROVEN-NEXT: exec.launch "b"
    // PROVEN-NEXT: exec.launch "c"
    %0 = weir.group (%s = %x) on "cpu:0" : (tensor<2x3xf32>) -> tensor<2x3xf32> {
      %a = weir.launch "generated"(%s) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      weir.yield %a : tensor<2x3xf32>
    }
    %1 = weir.group (%s = %0) on "cpu:0" : (tensor<2x3xf32>) -> tensor<16xf32> {
      %b = weir.launch "generated"(%s) {} : (tensor<2x3xf32>) -> tensor<16xf32>
      weir.yield %b : tensor<16xf32>
    }
    %2 = weir.group (%s = %1) on "cpu:0" : (tensor<16xf32>) -> tensor<5xf32> {
      %c = weir.launch "generated"(%s) {} : (tensor<16xf32>) -> tensor<5xf32>
      weir.yield %c : tensor<5xf32>
    }
    %3 = weir.group (%s = %0, %t = %1, %u = %2) on "cpu:0" : (tensor<2x3xf32>, tensor<16xf32>, tensor<5xf32>) -> tensor<48xf32> {
      %p = weir.join %s, %t, %u at [0, 16, 32] : (tensor<2x3xf32>, tensor<16xf32>, tensor<5xf32>) -> tensor<48xf32>
      weir.yield %p : tensor<48xf32>
    }
    %4 = weir.group (%s = %3) on "cpu:0" : (tensor<48xf32>) -> tensor<48xf32> {
      %y = weir.launch "generated"(%s) {} : (tensor<48xf32>) -> tensor<48xf32>
      weir.yield %y : tensor<48xf32>
    }
    return %4 : tensor<48xf32>
  }
}

// -----

// The join is an output. What is another output, comes from outside, or is
// joined twice is copied.
// CHECK-LABEL: exec.entry @copies
module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  func.func @copies(%x: tensor<16xf32>)
      -> (tensor<64xf32> {weir.name = "all"}, tensor<16xf32> {weir.name = "one"}) {
    // CHECK: exec.launch "one" by "generated"(%x : tensor<16xf32>) -> (%one : tensor<16xf32>)
    // CHECK-NEXT: exec.launch "two" by "generated"(%x : tensor<16xf32>) -> (%all[64] : tensor<16xf32>)
    // CHECK-NEXT: exec.copy "one to p" %one to %all : 64 {exec.copied = "it is computed in the memory of an output or a variable"}
    // CHECK-NEXT: exec.copy "two to p" %all[64] to %all[128] : 64 {exec.copied = "it has another place too"}
    // CHECK-NEXT: exec.copy "x to p" %x to %all[192] : 64 {exec.copied = "no launch computes it"}
    // CHECK-NEXT: }
    %a = weir.group (%b = %x) on "cpu:0" : (tensor<16xf32>) -> tensor<16xf32> {
      %one = weir.launch "generated"(%b) {} : (tensor<16xf32>) -> tensor<16xf32>
      weir.yield %one : tensor<16xf32>
    }
    %c = weir.group (%d = %x) on "cpu:0" : (tensor<16xf32>) -> tensor<16xf32> {
      %two = weir.launch "generated"(%d) {} : (tensor<16xf32>) -> tensor<16xf32>
      weir.yield %two : tensor<16xf32>
    }
    %e = weir.group (%f = %a, %g = %c, %h = %x) on "cpu:0" : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<64xf32> {
      %p = weir.join %f, %g, %g, %h at [0, 16, 32, 48] : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<64xf32>
      weir.yield %p : tensor<64xf32>
    }
    return %e, %a : tensor<64xf32>, tensor<16xf32>
  }
}

// -----

// A value that comes from another memory is copied to its place. What another
// device reads where it is has a buffer of its own.
// CHECK-LABEL: exec.entry @devices
// PROVEN-LABEL: exec.entry @devices
module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1" {isolated}, "cpu:2"]>} {
  func.func @devices(%x: tensor<16xf32>)
      -> (tensor<32xf32> {weir.name = "y"}, tensor<16xf32> {weir.name = "z"}) {
    // CHECK-DAG: exec.copy "far to cpu:0" crossing %{{.*}} to %p[64] : 64
    // CHECK-DAG: exec.copy "near to p" %near to %p : 64 {exec.copied = "another device reads it where it is"}
    // PROVEN: exec.copy "near to p"
    %a = weir.group (%b = %x) on "cpu:0" : (tensor<16xf32>) -> tensor<16xf32> {
      %near = weir.launch "generated"(%b) {} : (tensor<16xf32>) -> tensor<16xf32>
      weir.yield %near : tensor<16xf32>
    }
    %c = weir.group (%d = %x) on "cpu:1" : (tensor<16xf32>) -> tensor<16xf32> {
      %far = weir.launch "generated"(%d) {} : (tensor<16xf32>) -> tensor<16xf32>
      weir.yield %far : tensor<16xf32>
    }
    %far = weir.copy %c from "cpu:1" to "cpu:0" : tensor<16xf32>
    %i = weir.copy %a from "cpu:0" to "cpu:2" : tensor<16xf32>
    %e = weir.group (%f = %a, %g = %far) on "cpu:0" : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32> {
      %p = weir.join %f, %g at [0, 16] : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
      %y = weir.launch "generated"(%p) {} : (tensor<32xf32>) -> tensor<32xf32>
      weir.yield %y : tensor<32xf32>
    }
    %j = weir.group (%k = %i) on "cpu:2" : (tensor<16xf32>) -> tensor<16xf32> {
      %z = weir.launch "generated"(%k) {} : (tensor<16xf32>) -> tensor<16xf32>
      weir.yield %z : tensor<16xf32>
    }
    return %e, %j : tensor<32xf32>, tensor<16xf32>
  }
}
