// leaf: an op whose attributes are its record.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/leaf.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/leaf.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/leaf.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @pointwise(
// CHECK: %y = weir.leaf %a, %b {expression = "a * b / (1 + abs(a))", spec = "...,...->...", type = f32} : tensor<2x3xf32>, tensor<3xf32>
// COST: pointwise: tensor<2x3xf32>, 24 flops, 60 bytes, library no cpu kernel for weir.leaf of f32, and the topology file excludes kernel 'generated'
func.func @pointwise(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %y = weir.leaf %a, %b {expression = "a * b / (1 + abs(a))", spec = "...,...->...", type = f32} : tensor<2x3xf32>, tensor<3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @product(
// CHECK: %y = weir.leaf %a, %b {combiner = "sum", expression = "a * b", spec = "m=2, n=3, k=8: [m, k], [n, k] -> [m, n]", type = f32} : tensor<2x8xf32>, tensor<3x8xf32>
// COST: product: tensor<2x3xf32>, 96 flops, 184 bytes, library no cpu kernel for weir.leaf of f32, and the topology file excludes kernel 'generated'
func.func @product(%a: tensor<2x8xf32>, %b: tensor<3x8xf32>) -> tensor<2x3xf32> {
  %y = weir.leaf %a, %b {combiner = "sum", expression = "a * b", spec = "m=2, n=3, k=8: [m, k], [n, k] -> [m, n]", type = f32} : tensor<2x8xf32>, tensor<3x8xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @window(
// CHECK: %y = weir.leaf %a {combiner = "sum", expression = "a", spec = "c=2, x=3, k=3: [c, x] -> [c, 2*x + k - 1:5]", type = f32} : tensor<2x3xf32>
// COST: window: tensor<2x5xf32>, 18 flops, 64 bytes, library no cpu kernel for weir.leaf of f32, and the topology file excludes kernel 'generated'
func.func @window(%a: tensor<2x3xf32>) -> tensor<2x5xf32> {
  %y = weir.leaf %a {combiner = "sum", expression = "a", spec = "c=2, x=3, k=3: [c, x] -> [c, 2*x + k - 1:5]", type = f32} : tensor<2x3xf32>
  return %y : tensor<2x5xf32>
}

// CHECK-LABEL: func.func @padded(
// CHECK: %y = weir.leaf %a {combiner = "maximum", expression = "a", spec = "x=4, k=3: [x + k - 1] -> [x]", type = f64} : tensor<4xf64>
// COST: padded: tensor<4xf64>, 12 flops, 64 bytes, library no cpu kernel for weir.leaf of f64, and the topology file excludes kernel 'generated'
func.func @padded(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = weir.leaf %a {combiner = "maximum", expression = "a", spec = "x=4, k=3: [x + k - 1] -> [x]", type = f64} : tensor<4xf64>
  return %y : tensor<4xf64>
}

// CHECK-LABEL: func.func @diagonal(
// CHECK: %y = weir.leaf %a {expression = "a * 2", spec = "x=3: [x, x] -> [x]", type = f32} : tensor<3x3xf32>
// COST: diagonal: tensor<3xf32>, 3 flops, 48 bytes, library no cpu kernel for weir.leaf of f32, and the topology file excludes kernel 'generated'
func.func @diagonal(%a: tensor<3x3xf32>) -> tensor<3xf32> {
  %y = weir.leaf %a {expression = "a * 2", spec = "x=3: [x, x] -> [x]", type = f32} : tensor<3x3xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: func.func @positions(
// CHECK: %y = weir.leaf %a {expression = "select(index(x0) < index(x1), a, -a)", spec = "x0=2, x1=3: [x0, x1] -> [x0, x1]", type = f32} : tensor<2x3xf32>
// COST: positions: tensor<2x3xf32>, 18 flops, 48 bytes, library no cpu kernel for weir.leaf of f32, and the topology file excludes kernel 'generated'
func.func @positions(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = weir.leaf %a {expression = "select(index(x0) < index(x1), a, -a)", spec = "x0=2, x1=3: [x0, x1] -> [x0, x1]", type = f32} : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @reversed(
// CHECK: %y = weir.leaf %a {expression = "a", spec = "x=4: [3 - x] -> [x]", type = f32} : tensor<4xf32>
// COST: reversed: tensor<4xf32>, 0 flops, 32 bytes, library no cpu kernel for weir.leaf of f32, and the topology file excludes kernel 'generated'
func.func @reversed(%a: tensor<4xf32>) -> tensor<4xf32> {
  %y = weir.leaf %a {expression = "a", spec = "x=4: [3 - x] -> [x]", type = f32} : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @gathered(
// CHECK: %y = weir.leaf %a, %b {combiner = "sum", expression = "a", spec = "j=3, w=2: [{b}, w], [j] -> [w]", type = f32} : tensor<4x2xf32>, tensor<3xi64>
// COST: gathered: tensor<2xf32>, 6 flops, 64 bytes, library no cpu kernel for weir.leaf of f32, and the topology file excludes kernel 'generated'
func.func @gathered(%a: tensor<4x2xf32>, %b: tensor<3xi64>) -> tensor<2xf32> {
  %y = weir.leaf %a, %b {combiner = "sum", expression = "a", spec = "j=3, w=2: [{b}, w], [j] -> [w]", type = f32} : tensor<4x2xf32>, tensor<3xi64>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: func.func @initial(
// CHECK: %y = weir.leaf %a, %b {combiner = "sum", expression = "a * a", spec = "m=2, k=3: [m, k], +[m] -> [m]", type = f32} : tensor<2x3xf32>, tensor<2xf32>
// COST: initial: tensor<2xf32>, 12 flops, 40 bytes, library no cpu kernel for weir.leaf of f32, and the topology file excludes kernel 'generated'
func.func @initial(%a: tensor<2x3xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %y = weir.leaf %a, %b {combiner = "sum", expression = "a * a", spec = "m=2, k=3: [m, k], +[m] -> [m]", type = f32} : tensor<2x3xf32>, tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: func.func @running(
// CHECK: %y = weir.leaf %a {combiner = "product", expression = "a", spec = "m=2, x=4>: [m, x] -> [m, x]", type = f32} : tensor<2x4xf32>
// COST: running: tensor<2x4xf32>, 8 flops, 64 bytes, library no cpu kernel for weir.leaf of f32, and the topology file excludes kernel 'generated'
func.func @running(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %y = weir.leaf %a {combiner = "product", expression = "a", spec = "m=2, x=4>: [m, x] -> [m, x]", type = f32} : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @exclusive(
// CHECK: %y = weir.leaf %a {combiner = "sum", expression = "a", spec = "x=4>>: [x] -> [x]", type = f32} : tensor<4xf32>
// COST: exclusive: tensor<4xf32>, 4 flops, 32 bytes, library no cpu kernel for weir.leaf of f32, and the topology file excludes kernel 'generated'
func.func @exclusive(%a: tensor<4xf32>) -> tensor<4xf32> {
  %y = weir.leaf %a {combiner = "sum", expression = "a", spec = "x=4>>: [x] -> [x]", type = f32} : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @truth(
// CHECK: %y = weir.leaf %a {expression = "0 < a", spec = "...->...", type = i1} : tensor<2x3xf32>
// COST: truth: tensor<2x3xi1>, 6 flops, 30 bytes, library no cpu kernel for weir.leaf of f32, and the topology file excludes kernel 'generated'
func.func @truth(%a: tensor<2x3xf32>) -> tensor<2x3xi1> {
  %y = weir.leaf %a {expression = "0 < a", spec = "...->...", type = i1} : tensor<2x3xf32>
  return %y : tensor<2x3xi1>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.leaf %a {expression = "exp(a)", spec = ": [] -> []", type = f32} : tensor<f32>
// COST: scalar: tensor<f32>, 1 flops, 8 bytes, library no cpu kernel for weir.leaf of f32, and the topology file excludes kernel 'generated'
func.func @scalar(%a: tensor<f32>) -> tensor<f32> {
  %y = weir.leaf %a {expression = "exp(a)", spec = ": [] -> []", type = f32} : tensor<f32>
  return %y : tensor<f32>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.leaf %a {combiner = "sum", expression = "a * a", spec = "m=2, k=3: [m, k] -> [m]", type = bf16} : tensor<2x3xbf16>
// COST: half: tensor<2xbf16>, 12 flops, 16 bytes, library no cpu kernel for weir.leaf of bf16, and the topology file excludes kernel 'generated'
func.func @half(%a: tensor<2x3xbf16>) -> tensor<2xbf16> {
  %y = weir.leaf %a {combiner = "sum", expression = "a * a", spec = "m=2, k=3: [m, k] -> [m]", type = bf16} : tensor<2x3xbf16>
  return %y : tensor<2xbf16>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.leaf %a {combiner = "sum", expression = "a", spec = "m=0, k=3: [m, k] -> [k]", type = f32} : tensor<0x3xf32>
// COST: empty: tensor<3xf32>, 0 flops, 12 bytes, library no cpu kernel for weir.leaf of f32, and the topology file excludes kernel 'generated'
func.func @empty(%a: tensor<0x3xf32>) -> tensor<3xf32> {
  %y = weir.leaf %a {combiner = "sum", expression = "a", spec = "m=0, k=3: [m, k] -> [k]", type = f32} : tensor<0x3xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: func.func @drawn(
// CHECK: %y = weir.leaf %a, %b {expression = "random(a, b, 7, index(x0) * 2 + index(x1))", spec = "x0=3, x1=2: [x0], [x1] -> [x0, x1]", type = i64} : tensor<3xi64>, tensor<2xi64>
// COST: drawn: tensor<3x2xi64>, 372 flops, 88 bytes, library {{.*}}
func.func @drawn(%a: tensor<3xi64>, %b: tensor<2xi64>) -> tensor<3x2xi64> {
  %y = weir.leaf %a, %b {expression = "random(a, b, 7, index(x0) * 2 + index(x1))", spec = "x0=3, x1=2: [x0], [x1] -> [x0, x1]", type = i64} : tensor<3xi64>, tensor<2xi64>
  return %y : tensor<3x2xi64>
}

// CHECK-LABEL: func.func @unreached(
// CHECK: %y = weir.leaf %a {combiner = "sum", expression = "a + 1", spec = "y=1, k=2, z=3: [y, k, z] -> [2*y:2, z]", type = f32} : tensor<1x2x3xf32>
// COST: unreached: tensor<2x3xf32>, 12 flops, 48 bytes, library no cpu kernel for weir.leaf of f32, and the topology file excludes kernel 'generated'
func.func @unreached(%a: tensor<1x2x3xf32>) -> tensor<2x3xf32> {
  %y = weir.leaf %a {combiner = "sum", expression = "a + 1", spec = "y=1, k=2, z=3: [y, k, z] -> [2*y:2, z]", type = f32} : tensor<1x2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @shorter(
// CHECK: %y = weir.leaf %a {combiner = "sum", expression = "a + 1", spec = "y=1, z=2, l=2: [y, z] -> [y:2, z + l:4]", type = f32} : tensor<1x2xf32>
// COST: shorter: tensor<2x4xf32>, 8 flops, 40 bytes, library no cpu kernel for weir.leaf of f32, and the topology file excludes kernel 'generated'
func.func @shorter(%a: tensor<1x2xf32>) -> tensor<2x4xf32> {
  %y = weir.leaf %a {combiner = "sum", expression = "a + 1", spec = "y=1, z=2, l=2: [y, z] -> [y:2, z + l:4]", type = f32} : tensor<1x2xf32>
  return %y : tensor<2x4xf32>
}

//--- errors.mlir
func.func @random_floats(%a: tensor<3xf32>) {
  // expected-error@below {{'weir.leaf' op attribute 'expression' has random(), which takes integers; expected integers as operand a, found floats}}
  weir.leaf %a {expression = "random(a, 1, 2, index(x))", spec = "x=3: [x] -> [x]", type = f32} : tensor<3xf32>
  return
}

// -----

func.func @bits_of_floats(%m: tensor<3xi1>, %a: tensor<3xf32>) {
  // expected-error@below {{'weir.leaf' op attribute 'expression' has bit_and(), which takes integers; expected integers as operand b, found floats}}
  weir.leaf %m, %a {expression = "select(a, bit_and(b, b), 0)", spec = "...,...->...", type = f32} : tensor<3xi1>, tensor<3xf32>
  return
}

// -----

func.func @no_spec(%a: tensor<4xf32>) {
  // expected-error@below {{'weir.leaf' op expected ',' or ':' at column 5 of index spec 'x=4 [x]: -> [x]'}}
  weir.leaf %a {expression = "a", spec = "x=4 [x]: -> [x]", type = f32} : tensor<4xf32>
  return
}

// -----

func.func @no_expression(%a: tensor<4xf32>) {
  // expected-error@below {{'weir.leaf' op expected ')' at column 6 of scalar expression 'exp(a'}}
  weir.leaf %a {expression = "exp(a", spec = "...->...", type = f32} : tensor<4xf32>
  return
}

// -----

func.func @attribute(%a: tensor<4xf32>) {
  // expected-error@below {{attribute 'expression' reads 'alpha', expected operands a to a and numbers}}
  weir.leaf %a {expression = "alpha * a", spec = "...->...", type = f32} : tensor<4xf32>
  return
}

// -----

func.func @no_operand(%a: tensor<4xf32>) {
  // expected-error@below {{attribute 'expression' reads operand b, expected one of 1 that is no initial value}}
  weir.leaf %a {expression = "a * b", spec = "...->...", type = f32} : tensor<4xf32>
  return
}

// -----

func.func @no_loop(%a: tensor<4xf32>) {
  // expected-error@below {{attribute 'expression' reads index(y), expected a loop of the index spec}}
  weir.leaf %a {expression = "index(y) * a", spec = "x=4: [x] -> [x]", type = f32} : tensor<4xf32>
  return
}

// -----

func.func @no_combiner(%a: tensor<4xf32>) {
  // expected-error@below {{points along 'x' share an element of the result, expected an attribute 'combiner' other than 'none'}}
  weir.leaf %a {expression = "a", spec = "x=4: [x] -> []", type = f32} : tensor<4xf32>
  return
}

// -----

func.func @unknown_combiner(%a: tensor<4xf32>) {
  // expected-error@below {{attribute 'combiner' is 'mean', expected 'none', 'sum', 'product', 'maximum' or 'minimum'}}
  weir.leaf %a {combiner = "mean", expression = "a", spec = "x=4: [x] -> []", type = f32} : tensor<4xf32>
  return
}

// -----

func.func @leaves(%a: tensor<4xf32>, %b: tensor<2xf32>) {
  // expected-error@below {{indices leave operand 0, where nothing could stand that has no effect on expression 'exp(a) * b'; pad the operand first}}
  weir.leaf %a, %b {combiner = "sum", expression = "exp(a) * b", spec = "x=5, k=2: [x + k - 1], [k] -> [x]", type = f32} : tensor<4xf32>, tensor<2xf32>
  return
}

// -----

func.func @other_rank(%a: tensor<4x2xf32>) {
  // expected-error@below {{operand 0 (4x2) has 2 dims, expected 1}}
  weir.leaf %a {expression = "a", spec = "x=4: [x] -> [x]", type = f32} : tensor<4x2xf32>
  return
}

// -----

func.func @five_operands(%a: tensor<4xf32>) {
  // expected-error@below {{expects at most 4 operands, found 5}}
  weir.leaf %a, %a, %a, %a, %a {expression = "a", spec = "...,...,...,...,...->...", type = f32} : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @no_spec_at_all(%a: tensor<4xf32>) {
  // expected-error@below {{'weir.leaf' requires attribute 'spec'}}
  weir.leaf %a {expression = "a", type = f32} : tensor<4xf32>
  return
}

// -----

func.func @complex(%a: tensor<4xcomplex<f32>>) {
  // expected-error@below {{'weir.leaf' op operand 0 expects an element type of Weir}}
  weir.leaf %a {expression = "a", spec = "...->...", type = f32} : tensor<4xcomplex<f32>>
  return
}

// -----

func.func @running_behind(%a: tensor<3xf32>) {
  // expected-error@below {{values run along 'x' and do not reach every element of the result, expected indices that count each of its dims from 0 to the end}}
  weir.leaf %a {combiner = "sum", expression = "a", spec = "x=3>: [x] -> [x:5]", type = f32} : tensor<3xf32>
  return
}

// -----

func.func @running_between(%a: tensor<3xf32>) {
  // expected-error@below {{values run along 'x' and do not reach every element of the result, expected indices that count each of its dims from 0 to the end}}
  weir.leaf %a {combiner = "sum", expression = "a", spec = "x=3>: [x] -> [2*x:6]", type = f32} : tensor<3xf32>
  return
}

// -----

func.func @running_diagonal(%a: tensor<3xf32>) {
  // expected-error@below {{values run along 'x' and do not reach every element of the result, expected indices that count each of its dims from 0 to the end}}
  weir.leaf %a {combiner = "sum", expression = "a", spec = "x=3>: [x] -> [x, x]", type = f32} : tensor<3xf32>
  return
}

// -----

func.func @running_beside(%a: tensor<2x3xf32>) {
  // expected-error@below {{values run along 'x' and do not reach every element of the result, expected indices that count each of its dims from 0 to the end}}
  weir.leaf %a {combiner = "maximum", expression = "a", spec = "y=2, x=3>: [y, x] -> [x, y + 1:4]", type = f32} : tensor<2x3xf32>
  return
}

// -----

func.func @diagonal(%a: tensor<3xf32>) {
  // expected-error@below {{does not reach every element of the result, expected an attribute 'combiner' other than 'none'}}
  weir.leaf %a {expression = "a", spec = "x=3: [x] -> [x, x]", type = f32} : tensor<3xf32>
  return
}

// -----

func.func @far(%a: tensor<4xf32>) {
  // expected-error@below {{reaches 10000000004 elements around operand 0 (4), which has 4; expected at most 67108864, or 64 times as many as it has}}
  weir.leaf %a {combiner = "sum", expression = "a", spec = "x=4, k=2: [x + 10000000000*k] -> [x]", type = f32} : tensor<4xf32>
  return
}

// -----

func.func @far_result(%a: tensor<4xf32>) {
  // expected-error@below {{reaches 30000000001 elements around its result (4), which has 4}}
  weir.leaf %a {combiner = "sum", expression = "a", spec = "x=4: [x] -> [10000000000*x:4]", type = f32} : tensor<4xf32>
  return
}
