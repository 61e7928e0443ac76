// The launch that computes the next value of a variable writes it over the old
// one, if everything else that reads the old one can come first.

// RUN: graph-opt %s --split-input-file --convert-weir-to-exec | FileCheck %s
// RUN: graph-opt %s --split-input-file --pass-pipeline='builtin.module(convert-weir-to-exec,exec.entry(exec-order-launches,exec-assign-events,exec-plan-memory,exec-verify-schedule))' | FileCheck %s --check-prefix=PROVEN

// The kernel may overwrite the operand. A reader behind it in the text needs
// nothing of it.
// CHECK-LABEL: exec.entry @overwrites
module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  weir.parameter @w : tensor<4xf32> from "w.safetensors"
  func.func @overwrites(%g: tensor<4xf32>, %w: tensor<4xf32> {weir.parameter = @w})
      -> (tensor<4xf32> {weir.name = "y"}, tensor<4xf32> {weir.assigns = @w}) {
    // CHECK: %w = exec.variable @w on "cpu:0" : tensor<4xf32>{{$}}
    // CHECK: %[[NEXT:.*]] = exec.version %w
    // CHECK: exec.launch "next" by "generated"(%g : tensor<4xf32>, %w : tensor<4xf32>) -> (%[[NEXT]] : tensor<4xf32>) {} overwrites [1]
    // CHECK-NEXT: exec.launch "y" by "generated"(%w : tensor<4xf32>){{.*}}
    // CHECK-NEXT: }
    %r = weir.group (%b = %g, %a = %w) on "cpu:0" : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
      %next = weir.launch "generated"(%b, %a) {} overwritten_by [-1, 0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      weir.yield %next : tensor<4xf32>
    }
    %z = weir.group (%c = %w) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %y = weir.launch "generated"(%c) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %y : tensor<4xf32>
    }
    return %z, %r : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A kernel that does not read the old value need not say anything, nor do the
// copies of a concat.
// CHECK-LABEL: exec.entry @replaces
module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  weir.parameter @w : tensor<4xf32> from "w.safetensors"
  weir.parameter @v : tensor<4xf32> from "w.safetensors"
  func.func @replaces(%g: tensor<4xf32>, %h: tensor<2xf32>)
      -> (tensor<4xf32> {weir.assigns = @w}, tensor<4xf32> {weir.assigns = @v}) {
    // CHECK-NOT: exec.scratch
    // CHECK: exec.launch "next" by "binary"(%g : tensor<4xf32>) -> (%{{w.*}} : tensor<4xf32>) {}{{$}}
    // CHECK-NEXT: exec.launch "pair" by "reorder"(%h : tensor<2xf32>) -> (%[[V:v.*]] : tensor<2xf32>)
    // CHECK-NEXT: exec.launch "pair" by "reorder"(%h : tensor<2xf32>) -> (%[[V]][8] : tensor<2xf32>){{.*}}
    // CHECK-NEXT: }
    %y, %z = weir.group (%b = %g, %a = %h) on "cpu:0" : (tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %next = weir.launch "binary"(%b) {} : (tensor<4xf32>) -> tensor<4xf32>
      %pair = weir.launch "reorder"(%a) {} copies [#weir.element_copy<operand = 0, result = 0, dims = [2], from_offset = 0, from_strides = [1], to_offset = 0, to_strides = [1]>, #weir.element_copy<operand = 0, result = 0, dims = [2], from_offset = 0, from_strides = [1], to_offset = 2, to_strides = [1]>] : (tensor<2xf32>) -> tensor<4xf32>
      weir.yield %next, %pair : tensor<4xf32>, tensor<4xf32>
    }
    return %y, %z : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A kernel that may not overwrite the operand, or reads it twice.
// CHECK-LABEL: exec.entry @cannot_overwrite
module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  weir.parameter @w : tensor<2x2xf32> from "w.safetensors"
  weir.parameter @v : tensor<2x2xf32> from "w.safetensors"
  func.func @cannot_overwrite(%w: tensor<2x2xf32> {weir.parameter = @w}, %v: tensor<2x2xf32> {weir.parameter = @v})
      -> (tensor<2x2xf32> {weir.assigns = @w}, tensor<2x2xf32> {weir.assigns = @v}) {
    // CHECK: exec.variable @w on "cpu:0" : tensor<2x2xf32> {exec.copied = "'next' reads the old value and cannot overwrite it"}
    // CHECK: exec.variable @v on "cpu:0" : tensor<2x2xf32> {exec.copied = "'twice' reads the old value and cannot overwrite it"}
    // CHECK: exec.copy "assign w" %next to
    // CHECK-NEXT: exec.copy "assign v" %twice to
    %y, %z = weir.group (%a = %w, %b = %v) on "cpu:0" : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
      %next = weir.launch "binary"(%a) {} : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %flat = weir.view %b : tensor<2x2xf32> -> tensor<4xf32>
      %twice = weir.launch "generated"(%b, %flat) {} overwritten_by [0, -1] : (tensor<2x2xf32>, tensor<4xf32>) -> tensor<2x2xf32>
      weir.yield %next, %twice : tensor<2x2xf32>, tensor<2x2xf32>
    }
    return %y, %z : tensor<2x2xf32>, tensor<2x2xf32>
  }
}

// -----

// A reader of the old value needs the new one, too.
// CHECK-LABEL: exec.entry @both
module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  weir.parameter @w : tensor<4xf32> from "w.safetensors"
  func.func @both(%w: tensor<4xf32> {weir.parameter = @w})
      -> (tensor<4xf32> {weir.name = "y"}, tensor<4xf32> {weir.assigns = @w}) {
    // CHECK: {exec.copied = "its old value is read when the new one is there"}
    // CHECK: exec.copy "assign w" %next to
    %y, %z = weir.group (%a = %w) on "cpu:0" : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %next = weir.launch "generated"(%a) {} overwritten_by [0] : (tensor<4xf32>) -> tensor<4xf32>
      %sum = weir.launch "generated"(%a, %next) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      weir.yield %sum, %next : tensor<4xf32>, tensor<4xf32>
    }
    return %y, %z : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Both are computed from both old values: one can be in place.
// CHECK-LABEL: exec.entry @pair
module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  weir.parameter @w : tensor<4xf32> from "w.safetensors"
  weir.parameter @v : tensor<4xf32> from "w.safetensors"
  func.func @pair(%w: tensor<4xf32> {weir.parameter = @w}, %v: tensor<4xf32> {weir.parameter = @v})
      -> (tensor<4xf32> {weir.assigns = @w}, tensor<4xf32> {weir.assigns = @v}) {
    // CHECK: exec.variable @w on "cpu:0" : tensor<4xf32> {exec.copied = "its old value is read when the new one is there"}
    // CHECK: exec.variable @v on "cpu:0" : tensor<4xf32>{{$}}
    // CHECK: exec.launch "first" by "generated"(%w : tensor<4xf32>, %v : tensor<4xf32>) -> (%first : tensor<4xf32>) {}{{$}}
    // CHECK-NEXT: exec.launch "second" by "generated"(%w : tensor<4xf32>, %v : tensor<4xf32>) -> (%{{v.+}} : tensor<4xf32>) {} overwrites [1]
    // CHECK-NEXT: exec.copy "assign w" %first to{{.*}}
    // CHECK-NEXT: }
    %y, %z = weir.group (%a = %w, %b = %v) on "cpu:0" : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %first = weir.launch "generated"(%a, %b) {} overwritten_by [0, -1] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %second = weir.launch "generated"(%a, %b) {} overwritten_by [-1, 0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      weir.yield %first, %second : tensor<4xf32>, tensor<4xf32>
    }
    return %y, %z : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// One launch updates two variables, each in the place of its own operand. The
// third result has no variable.
// CHECK-LABEL: exec.entry @several
module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  weir.parameter @w : tensor<4xf32> from "w.safetensors"
  weir.parameter @v : tensor<4xf32> from "w.safetensors"
  func.func @several(%w: tensor<4xf32> {weir.parameter = @w}, %v: tensor<4xf32> {weir.parameter = @v})
      -> (tensor<4xf32> {weir.assigns = @w}, tensor<4xf32> {weir.name = "y"}, tensor<4xf32> {weir.assigns = @v}) {
    // CHECK: exec.launch {{.*}}(%v : tensor<4xf32>, %w : tensor<4xf32>) -> (%{{w.+}} : tensor<4xf32>, %y : tensor<4xf32>, %{{v.+}} : tensor<4xf32>) {} overwrites [1, -1, 0]{{.*}}
    // CHECK-NEXT: }
    %r:3 = weir.group (%b = %v, %c = %w) on "cpu:0" : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
      %all:3 = weir.launch "generated"(%b, %c) {} overwritten_by [2, 0] : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      weir.yield %all#0, %all#1, %all#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
    return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A value that an output has, too, is computed there.
// CHECK-LABEL: exec.entry @output
module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  weir.parameter @w : tensor<4xf32> from "w.safetensors"
  func.func @output(%w: tensor<4xf32> {weir.parameter = @w})
      -> (tensor<4xf32> {weir.name = "y"}, tensor<4xf32> {weir.assigns = @w}) {
    // CHECK: {exec.copied = "its value is computed in the memory of an output"}
    // CHECK: exec.launch {{.*}} -> (%y : tensor<4xf32>) {}{{$}}
    // CHECK-NEXT: exec.copy "assign w" %y to
    %y = weir.group (%a = %w) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %next = weir.launch "generated"(%a) {} overwritten_by [0] : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %next : tensor<4xf32>
    }
    return %y, %y : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// An isolated device copies the output from the variable. The old value, an
// output as well, is copied before it is overwritten.
// CHECK-LABEL: exec.entry @isolated_output
module attributes {weir.devices = #weir.devices<["cpu:0" {isolated}]>} {
  weir.parameter @w : tensor<4xf32> from "w.safetensors"
  func.func @isolated_output(%w: tensor<4xf32> {weir.parameter = @w})
      -> (tensor<4xf32> {weir.name = "y"}, tensor<4xf32> {weir.name = "old"}, tensor<4xf32> {weir.assigns = @w}) {
    // CHECK: %[[NEXT:.*]] = exec.version %w
    // CHECK: exec.launch {{.*}} -> (%[[NEXT]] : tensor<4xf32>) {} overwrites [0]
    // CHECK: exec.copy "y to host" %[[NEXT]] to %y : 16
    // CHECK-NEXT: exec.copy "old to host" %w to %old : 16
    %y = weir.group (%a = %w) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %next = weir.launch "generated"(%a) {} overwritten_by [0] : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %next : tensor<4xf32>
    }
    return %y, %w, %y : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Two variables get one value: the second one a copy of the first.
// CHECK-LABEL: exec.entry @same_value
module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  weir.parameter @w : tensor<4xf32> from "w.safetensors"
  weir.parameter @v : tensor<4xf32> from "w.safetensors"
  func.func @same_value(%w: tensor<4xf32> {weir.parameter = @w})
      -> (tensor<4xf32> {weir.assigns = @w}, tensor<4xf32> {weir.assigns = @v}) {
    // CHECK: exec.variable @v on "cpu:0" : tensor<4xf32> {exec.copied = "'w' has the same value"}
    // CHECK: %[[NEXT:.*]] = exec.version %w
    // CHECK: exec.launch {{.*}} -> (%[[NEXT]] : tensor<4xf32>) {} overwrites [0]
    // CHECK-NEXT: exec.copy "assign v" %[[NEXT]] to{{.*}}
    // CHECK-NEXT: }
    %y = weir.group (%a = %w) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %next = weir.launch "generated"(%a) {} overwritten_by [0] : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %next : tensor<4xf32>
    }
    return %y, %y : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// One variable gets the old value of the other, which must be kept.
// CHECK-LABEL: exec.entry @shift
module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
  weir.parameter @w : tensor<4xf32> from "w.safetensors"
  weir.parameter @v : tensor<4xf32> from "w.safetensors"
  func.func @shift(%w: tensor<4xf32> {weir.parameter = @w})
      -> (tensor<4xf32> {weir.assigns = @w}, tensor<4xf32> {weir.assigns = @v}) {
    // CHECK: exec.variable @v on "cpu:0" : tensor<4xf32> {exec.copied = "no launch computes its value"}
    // CHECK: exec.launch {{.*}} overwrites [0]
    // CHECK-NEXT: exec.copy "keep v" %w to %[[KEPT:.*]] : 16
    // CHECK-NEXT: exec.copy "assign v" %[[KEPT]] to
    %y = weir.group (%a = %w) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %next = weir.launch "generated"(%a) {} overwritten_by [0] : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %next : tensor<4xf32>
    }
    return %y, %w : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A device that shares the memory reads the variable, and must do so first.
// CHECK-LABEL: exec.entry @other_device
// PROVEN-LABEL: exec.entry @other_device
module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1"]>} {
  weir.parameter @w : tensor<4xf32> from "w.safetensors"
  func.func @other_device(%w: tensor<4xf32> {weir.parameter = @w})
      -> (tensor<4xf32> {weir.name = "y"}, tensor<4xf32> {weir.assigns = @w}) {
    // CHECK: exec.launch "next" {{.*}} overwrites [0]
    // PROVEN: exec.wait 0
    // PROVEN-NEXT: exec.launch "next"
    // PROVEN: exec.launch "y"
    // PROVEN-NEXT: exec.record 0
    %n = weir.group (%a = %w) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %next = weir.launch "generated"(%a) {} overwritten_by [0] : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %next : tensor<4xf32>
    }
    %r = weir.group (%b = %w) on "cpu:1" : (tensor<4xf32>) -> tensor<4xf32> {
      %y = weir.launch "generated"(%b) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %y : tensor<4xf32>
    }
    return %r, %n : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A device with its own memory reads a copy, which is made first.
// CHECK-LABEL: exec.entry @isolated_device
// PROVEN-LABEL: exec.entry @isolated_device
module attributes {weir.devices = #weir.devices<["cpu:0" {isolated}, "cpu:1" {isolated}]>} {
  weir.parameter @w : tensor<4xf32> from "w.safetensors"
  func.func @isolated_device(%w: tensor<4xf32> {weir.parameter = @w})
      -> (tensor<4xf32> {weir.name = "y"}, tensor<4xf32> {weir.assigns = @w}) {
    // CHECK: exec.launch "next" {{.*}} overwrites [0]
    // PROVEN: exec.wait [[EVENT:[0-9]+]]
    // PROVEN-NEXT: exec.launch "next"
    // PROVEN: exec.copy "w to cpu:1" crossing
    // PROVEN-NEXT: exec.record [[EVENT]]
    %n = weir.group (%a = %w) on "cpu:0" : (tensor<4xf32>) -> tensor<4xf32> {
      %next = weir.launch "generated"(%a) {} overwritten_by [0] : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %next : tensor<4xf32>
    }
    %r = weir.group (%b = %w) on "cpu:1" : (tensor<4xf32>) -> tensor<4xf32> {
      %y = weir.launch "generated"(%b) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %y : tensor<4xf32>
    }
    return %r, %n : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// The new value comes from a device with its own memory.
// CHECK-LABEL: exec.entry @computed_elsewhere
// PROVEN-LABEL: exec.entry @computed_elsewhere
module attributes {weir.devices = #weir.devices<["cpu:0", "cpu:1" {isolated}]>} {
  weir.parameter @w : tensor<4xf32> from "w.safetensors"
  func.func @computed_elsewhere(%g: tensor<4xf32>) -> (tensor<4xf32> {weir.assigns = @w}) {
    // CHECK: {exec.copied = "its value comes from another device"}
    // CHECK: exec.copy "assign w"
    %n = weir.group (%a = %g) on "cpu:1" : (tensor<4xf32>) -> tensor<4xf32> {
      %next = weir.launch "generated"(%a) {} : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %next : tensor<4xf32>
    }
    %c = weir.copy %n from "cpu:1" to "cpu:0" : tensor<4xf32>
    return %c : tensor<4xf32>
  }
}
