// What a join of a lowered group may say.
// RUN: graph-opt %s -verify-diagnostics -split-input-file

func.func @main(%x: tensor<4xf32>) {
  // expected-error@below {{expects an offset for each of its 1 inputs, found 2}}
  %y = weir.join %x at [0, 4] : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<4xf32>) {
  // expected-error@below {{expects inputs that lie in 'tensor<8xf32>' one behind the other, found 'tensor<4xf32>' at 5}}
  %y = weir.join %x at [5] : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<4xf32>) {
  // expected-error@below {{expects inputs that lie in 'tensor<8xf32>' one behind the other, found 'tensor<4xf32>' at 3}}
  %y = weir.join %x, %x at [0, 3] : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<4xf32>) {
  // expected-error@below {{expects inputs that lie in 'tensor<8xf64>' one behind the other, found 'tensor<4xf32>' at 0}}
  %y = weir.join %x at [0] : (tensor<4xf32>) -> tensor<8xf64>
  return
}

// -----

func.func @main(%x: tensor<4xf32>) {
  // expected-error@below {{expects a result of static shape, found 'tensor<?xf32>'}}
  %y = weir.join %x at [0] : (tensor<4xf32>) -> tensor<?xf32>
  return
}
