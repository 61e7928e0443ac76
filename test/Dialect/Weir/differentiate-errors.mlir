// What has no gradient is named, with its line and what to do instead.
// RUN: graph-opt %s -split-input-file -verify-diagnostics --weir-differentiate

func.func @not_scalar(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@below {{expects a loss with one element, found 'tensor<3xf32>'; sum it or take its mean first}}
  %dx = weir.gradient %x of %x : tensor<3xf32> of tensor<3xf32>
  return %dx : tensor<3xf32>
}

// -----

func.func @integer_loss(%x: tensor<3xf32>, %l: tensor<i64>) -> tensor<3xf32> {
  // expected-error@below {{expects a loss of floats, found 'tensor<i64>'}}
  %dx = weir.gradient %l of %x : tensor<i64> of tensor<3xf32>
  return %dx : tensor<3xf32>
}

// -----

func.func @of_integers(%x: tensor<3xi64>, %l: tensor<f32>) -> tensor<3xi64> {
  // expected-error@below {{has integers as operand 0 after 'of', found 'tensor<3xi64>'; only floats have a gradient}}
  %dx = weir.gradient %l of %x : tensor<f32> of tensor<3xi64>
  return %dx : tensor<3xi64>
}

// -----

func.func @no_path(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %loss = weir.reduce_sum %x {keepdims = false} : tensor<3xf32>
  // expected-error@below {{finds no path from 'y', operand 1 after 'of', to the loss 'loss'; leave the operand out, or remove the weir.stop_gradient or the op with an integer result between them}}
  %dx, %dy = weir.gradient %loss of %x, %y : tensor<f32> of tensor<3xf32>, tensor<3xf32>
  return %dy : tensor<3xf32>
}

// -----

func.func @stopped(%x: tensor<3xf32>) -> tensor<3xf32> {
  %s = weir.stop_gradient %x : tensor<3xf32>
  %loss = weir.reduce_sum %s {keepdims = false} : tensor<3xf32>
  // expected-error@below {{finds no path from 'x', operand 0 after 'of', to the loss 'loss'}}
  %dx = weir.gradient %loss of %x : tensor<f32> of tensor<3xf32>
  return %dx : tensor<3xf32>
}

// -----

func.func @scatter(%u: tensor<1x2x3xf32>, %i: tensor<2xi64>, %x: tensor<1x4x3xf32>) -> tensor<1x4x3xf32> {
  // expected-error@below {{has no gradient: maxima, minima and products are differentiated only where they combine the elements of one operand and do not leave it; put weir.stop_gradient in front of it if none is meant to flow through it}}
  %m = weir.scatter_max %u, %i, %x : tensor<1x2x3xf32>, tensor<2xi64>, tensor<1x4x3xf32>
  %loss = weir.reduce_sum %m {keepdims = false} : tensor<1x4x3xf32>
  %dx = weir.gradient %loss of %x : tensor<f32> of tensor<1x4x3xf32>
  return %dx : tensor<1x4x3xf32>
}

// -----

func.func @running(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{has no gradient: running values are differentiated only as sums of an operand itself (weir.cum_sum)}}
  %r = weir.leaf %x {combiner = "product", expression = "a", spec = "x=4>: [x] -> [x]", type = f32} : tensor<4xf32>
  %loss = weir.reduce_sum %r {keepdims = false} : tensor<4xf32>
  %dx = weir.gradient %loss of %x : tensor<f32> of tensor<4xf32>
  return %dx : tensor<4xf32>
}

// -----

func.func @too_long(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{has no gradient: its derivative is a formula of more than 2000 operations or 100 levels; write it as several ops}}
  %y = weir.leaf %x {combiner = "none", expression = "sin((1 / (1 + tanh(exp(sin((1 / (1 + tanh(exp(sin((1 / (1 + tanh(exp(sin((1 / (1 + tanh(exp(sin((1 / (1 + tanh(exp(sin((1 / (1 + tanh(exp(a))))))))))))))))))))))))))))))", spec = "x=4: [x] -> [x]", type = f32} : tensor<4xf32>
  %loss = weir.reduce_sum %y {keepdims = false} : tensor<4xf32>
  %dx = weir.gradient %loss of %x : tensor<f32> of tensor<4xf32>
  %slope = weir.reduce_sum %dx {keepdims = false} : tensor<4xf32>
  %dxx = weir.gradient %slope of %x : tensor<f32> of tensor<4xf32>
  return %dxx : tensor<4xf32>
}
