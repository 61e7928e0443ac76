// What users of other systems write in place of operands, attributes and
// declarations. The error shows the form that is expected.
// RUN: graph-opt %s --split-input-file --verify-diagnostics

// MLIR's parser would take the tuple for a complex number, and read memory
// behind it.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{expected elements in brackets, as in dense<[1.0, 2.0]>, found '('}}
  %c = weir.constant dense<(1.0, 2.0)> : tensor<4xf32>
  %y = weir.add %x, %c : tensor<4xf32>, tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error@below {{expected elements in brackets, as in dense<[1.0, 2.0]>, found '('}}
weir.parameter @w : tensor<0xi64> = dense<[(1, 2)]> : tensor<0xi64>

// -----

// Brackets elsewhere are no tuples: dense<(1.0, 2.0)>.
weir.parameter @w : tensor<1xf32> from "dense<(1).safetensors" key "dense<(1)"
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32> {weir.name = "y"}) {
  %c = weir.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = weir.add %x, %c : tensor<2xf32>, tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

weir.parameter @w : tensor<4x2xf32> = dense<1.0> : tensor<4x2xf32>
func.func @main(%x: tensor<2x2xf32>) -> tensor<2x4xf32> {
  // expected-error@below {{expected a value, which begins with '%', found '@w'; a parameter is read first, as in '%w = weir.read @w : tensor<2x3xf32>'}}
  %y = weir.linear %x, @w : tensor<2x2xf32>, tensor<4x2xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected a value such as %x, found '2.0'; a number is a constant first, as in '%c = weir.constant dense<2.0> : tensor<f32>'}}
  %y = weir.mul %x, 2.0 : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected a value, which begins with '%', found 'weir.exp'; give that op a line and a result of its own, and name the result here}}
  %y = weir.relu weir.exp %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected attributes in braces, as in {axis = 1}, found '<min = 0.0, max = 6.0>'}}
  %y = weir.clip %x <min = 0.0, max = 6.0> : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2x8xf32>) -> tensor<4x8xf32> {
  // expected-error@below {{expected operands without brackets, as in 'weir.relu %x', found '['}}
  %y = weir.concat [%x, %x] {axis = 0} : tensor<2x8xf32>, tensor<2x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = weir.relu %x : tensor<2xf32>
  // expected-error@below {{expected the returned values without brackets, as in 'return %y : tensor<2x3xf32>', found '('}}
  return (%y) : tensor<2xf32>
}

// -----

weir.parameter @n : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected an op, found '@n'; a parameter is assigned with 'weir.assign @n, %x : tensor<2x3xf32>'}}
  @n = %x
  return %x : tensor<2xf32>
}

// -----

// expected-error@below {{attributes of a function stand behind the word 'attributes', as in attributes {weir.entry = ...}}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {weir.entry = "f"} {
  return %x : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{found 'float16'; a text is in quotes, and element types are f32, f16}}
  %y = weir.cast %x {to = float16} : tensor<2xf32>
  return %x : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>, %m: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects at least 5 operands, found 2; the operands are x, scale, bias, mean, variance}}
  %y = weir.batch_norm %x, %m : tensor<2xf32>, tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<1x4x8x8xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32> {
  // expected-error@below {{dim 1 of operand 0 (1x4x8x8) is 4, expected 1; it fits with {groups = 4}}}
  %y = weir.conv %x, %w : tensor<1x4x8x8xf32>, tensor<4x1x3x3xf32>
  return %y : tensor<1x4x6x6xf32>
}

// -----

// A small image would fit as the kernel.
func.func @main(%x: tensor<1x1x2x2xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<1x4x2x2xf32> {
  // expected-error-re@below {{which is 2 with padding{{$}}}}
  %y = weir.conv %x, %w : tensor<1x1x2x2xf32>, tensor<4x1x3x3xf32>
  return %y : tensor<1x4x2x2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected elements in brackets, as in dense<[1.0, 2.0]>, found '('}}
  %c = weir.constant sparse<[[0]], (1.0, 2.0)> : tensor<2xf32>
  return %x : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<f32> {
  %y = weir.reduce_sum %x {axes = [0], keepdims = false} : tensor<2xf32>
  // expected-error@below {{attribute 'optimizer' expects names and values in braces, as in {name = "..."}, found "adam"; write {name = "adam", ...}, with its numbers inside}}
  weir.minimize %y {optimizer = "adam"} : tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{there is no op 'tosa.exp'; did you mean 'weir.exp'?}}
  %y = "tosa.exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// The other loss would refuse these labels as well.
func.func @main(%x: tensor<4x10xf32>, %t: tensor<1xi64>) -> tensor<4xf32> {
  // expected-error-re@below {{found 'tensor<1xi64>'{{$}}}}
  %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<4x10xf32>, tensor<1xi64>
  return %y : tensor<4xf32>
}
