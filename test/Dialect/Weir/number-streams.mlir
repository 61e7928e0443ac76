// Each op that draws random numbers gets a stream that follows from its name.
// Ops of one name get different numbers. A stream in the text stays, and nothing
// else takes it.
// RUN: graph-opt %s --weir-number-streams | FileCheck %s
// RUN: graph-opt %s --weir-number-streams --cse | FileCheck %s

// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<4xf32>, %step: tensor<i64>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %drop1 = weir.dropout %x, %step {stream = [[$DROP1:[0-9]+]] : i64}
  %drop1 = weir.dropout %x, %step : tensor<4xf32>, tensor<i64>
  // CHECK: %drop2 = weir.dropout %x, %step {stream = [[DROP2:[0-9]+]] : i64}
  %drop2 = weir.dropout %x, %step : tensor<4xf32>, tensor<i64>
  // CHECK: %chosen = weir.dropout %x, %step {stream = 0 : i64}
  %chosen = weir.dropout %x, %step {stream = 0} : tensor<4xf32>, tensor<i64>
  // CHECK: %u = weir.random_uniform %step {shape = [4], stream = [[U:[0-9]+]] : i64, type = f32}
  %u = weir.random_uniform %step {shape = [4], type = f32} : tensor<i64>
  return %drop1, %drop2, %chosen, %u
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// What else is in an entry does not matter.
// CHECK-LABEL: func.func @other(
func.func @other(%y: tensor<8xf32>, %x: tensor<4xf32>, %step: tensor<i64>)
    -> (tensor<8xf32>, tensor<4xf32>) {
  // CHECK: %first = weir.dropout %y, %step {stream = {{[0-9]+}} : i64}
  %first = weir.dropout %y, %step : tensor<8xf32>, tensor<i64>
  // CHECK: %drop1 = weir.dropout %x, %step {stream = [[$DROP1]] : i64}
  %drop1 = weir.dropout %x, %step : tensor<4xf32>, tensor<i64>
  return %first, %drop1 : tensor<8xf32>, tensor<4xf32>
}

// The number that follows from the name is that of the text. The next ones are
// 0x9e3779b9 (2654435769) apart, modulo 2^32.
// CHECK-LABEL: func.func @equal_names(
func.func @equal_names(%x: tensor<4xf32>, %step: tensor<i64>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %drop1 = weir.dropout %x, %step {stream = 208150252 : i64}
  %0 = weir.dropout %x, %step : tensor<4xf32>, tensor<i64> loc("drop1")
  // CHECK: %drop1_0 = weir.dropout %x, %step {stream = 1222054494 : i64}
  %1 = weir.dropout %x, %step : tensor<4xf32>, tensor<i64> loc("drop1")
  // CHECK: weir.dropout %x, %step {stream = [[$DROP1]] : i64}
  %2 = weir.dropout %x, %step {stream = 1848681779} : tensor<4xf32>, tensor<i64>
  // CHECK: weir.dropout %x, %step {stream = 2862586021 : i64}
  %3 = weir.dropout %x, %step {stream = 2862586021} : tensor<4xf32>, tensor<i64>
  return %0, %1, %2, %3
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Any number may be a stream.
// CHECK-LABEL: func.func @largest
func.func @largest(%x: tensor<4xf32>, %step: tensor<i64>) -> tensor<4xf32> {
  // CHECK: weir.dropout %x, %step {stream = 9223372036854775807 : i64}
  %d = weir.dropout %x, %step {stream = 9223372036854775807} : tensor<4xf32>, tensor<i64>
  return %d : tensor<4xf32>
}
