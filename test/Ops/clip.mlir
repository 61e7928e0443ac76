// clip: values limited to [min, max]; either may be left out.
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/clip.safetensors \
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/clip.safetensors \
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \
// RUN:   --expect=%S/Inputs/clip.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
// CHECK-LABEL: func.func @vector(
// CHECK: %y = weir.clip %x {max = 5.000000e-01 : f64, min = -5.000000e-01 : f64} : tensor<7xf32>
// COST: vector: tensor<7xf32>, 14 flops, 56 bytes, library ok
func.func @vector(%x: tensor<7xf32>) -> tensor<7xf32> {
  %y = weir.clip %x {max = 0.5, min = -0.5} : tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: func.func @matrix(
// CHECK: %y = weir.clip %x : tensor<3x5xbf16>
// COST: matrix: tensor<3x5xbf16>, 30 flops, 60 bytes, library ok
func.func @matrix(%x: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %y = weir.clip %x : tensor<3x5xbf16>
  return %y : tensor<3x5xbf16>
}

// CHECK-LABEL: func.func @unit_dims(
// CHECK: %y = weir.clip %x : tensor<1x4x1xf32>
// COST: unit_dims: tensor<1x4x1xf32>, 8 flops, 32 bytes, library ok
func.func @unit_dims(%x: tensor<1x4x1xf32>) -> tensor<1x4x1xf32> {
  %y = weir.clip %x : tensor<1x4x1xf32>
  return %y : tensor<1x4x1xf32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %y = weir.clip %x : tensor<f64>
// COST: scalar: tensor<f64>, 2 flops, 16 bytes, library no cpu kernel for weir.clip of f64
func.func @scalar(%x: tensor<f64>) -> tensor<f64> {
  %y = weir.clip %x : tensor<f64>
  return %y : tensor<f64>
}

// CHECK-LABEL: func.func @half(
// CHECK: %y = weir.clip %x : tensor<2x3xf16>
// COST: half: tensor<2x3xf16>, 12 flops, 24 bytes, library no cpu kernel for weir.clip of f16
func.func @half(%x: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %y = weir.clip %x : tensor<2x3xf16>
  return %y : tensor<2x3xf16>
}

// CHECK-LABEL: func.func @empty(
// CHECK: %y = weir.clip %x : tensor<0x3xf32>
// COST: empty: tensor<0x3xf32>, 0 flops, 0 bytes, library ok
func.func @empty(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %y = weir.clip %x : tensor<0x3xf32>
  return %y : tensor<0x3xf32>
}

// CHECK-LABEL: func.func @upper(
// CHECK: %y = weir.clip %x {max = 1.000000e+00 : f64} : tensor<2x3xf32>
// COST: upper: tensor<2x3xf32>, 12 flops, 48 bytes, library ok
func.func @upper(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = weir.clip %x {max = 1.0} : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @i32(
// CHECK: %y = weir.clip %x {max = 3.000000e+00 : f64, min = -2.000000e+00 : f64} : tensor<9xi32>
// COST: i32: tensor<9xi32>, 18 flops, 72 bytes, library no cpu kernel for weir.clip of i32
func.func @i32(%x: tensor<9xi32>) -> tensor<9xi32> {
  %y = weir.clip %x {max = 3.0, min = -2.0} : tensor<9xi32>
  return %y : tensor<9xi32>
}

// CHECK-LABEL: func.func @nan(
// CHECK: %y = weir.clip %x {max = 1.000000e+00 : f64, min = -1.000000e+00 : f64} : tensor<6xf32>
// COST: nan: tensor<6xf32>, 12 flops, 48 bytes, library differs
func.func @nan(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = weir.clip %x {max = 1.0, min = -1.0} : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @infinite(
// CHECK: %y = weir.clip %x {max = 1.000000e+00 : f64, min = -1.000000e+00 : f64} : tensor<6xf32>
// COST: infinite: tensor<6xf32>, 12 flops, 48 bytes, library ok
func.func @infinite(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = weir.clip %x {max = 1.0, min = -1.0} : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @huge_i64(
// CHECK: %y = weir.clip %x : tensor<4xi64>
// COST: huge_i64: tensor<4xi64>, 8 flops, 64 bytes, library no cpu kernel for weir.clip of i64
func.func @huge_i64(%x: tensor<4xi64>) -> tensor<4xi64> {
  %y = weir.clip %x : tensor<4xi64>
  return %y : tensor<4xi64>
}

// The upper limit wins.
// CHECK-LABEL: func.func @crossed(
// CHECK: %y = weir.clip %x {max = -1.000000e+00 : f64, min = 1.000000e+00 : f64} : tensor<5xf32>
// COST: crossed: tensor<5xf32>, 10 flops, 40 bytes, library ok
func.func @crossed(%x: tensor<5xf32>) -> tensor<5xf32> {
  %y = weir.clip %x {max = -1.0, min = 1.0} : tensor<5xf32>
  return %y : tensor<5xf32>
}

// CHECK-LABEL: func.func @huge_u64(
// CHECK: %y = weir.clip %x {max = 1.000000e+06 : f64, min = 5.000000e+00 : f64} : tensor<6xui64>
// COST: huge_u64: tensor<6xui64>, 12 flops, 96 bytes, library no cpu kernel for weir.clip of u64
func.func @huge_u64(%x: tensor<6xui64>) -> tensor<6xui64> {
  %y = weir.clip %x {max = 1000000.0, min = 5.0} : tensor<6xui64>
  return %y : tensor<6xui64>
}

// A limit that no element reaches is none, however large.
// CHECK-LABEL: func.func @huge_limits(
// CHECK: %y = weir.clip %x {max = 9.2233720368547758E+18 : f64, min = -9.2233720368547758E+18 : f64} : tensor<1x4xi64>
// COST: huge_limits: tensor<1x4xi64>, 8 flops, 64 bytes, library no cpu kernel for weir.clip of i64
func.func @huge_limits(%x: tensor<1x4xi64>) -> tensor<1x4xi64> {
  %y = weir.clip %x {min = -9223372036854775808.0, max = 9223372036854775808.0} : tensor<1x4xi64>
  return %y : tensor<1x4xi64>
}

//--- errors.mlir
func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{'weir.clip' has no attribute 'axis'; it has }}
  weir.clip %x {axis = 1} : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{the result of 'weir.clip' is a 'tensor<4xf32>', but 'tensor<5xf32>' is written behind the '->'; make them equal, or leave it out}}
  %y = weir.clip %x : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @error(%x: tensor<4xi4>) {
  // expected-error@below {{'weir.clip' op operand 0 expects an element type of Weir (f32, f16, bf16, f64, i8, ui8, i16, i32, i64, i1, ui16, ui32, ui64), found i4}}
  weir.clip %x : tensor<4xi4>
  return
}

// -----

func.func @error(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@below {{'weir.clip' op expects at most 1 operands, found 2}}
  weir.clip %x, %y : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{attribute 'min' expects a float such as 0.5, found true}}
  weir.clip %x {min = true} : tensor<4xf32>
  return
}

// -----

func.func @error(%x: tensor<4xi64>) {
  // expected-error@below {{'weir.clip' op attribute 'max' is 9007199254740992, but from 2^53 on it does not hold every 'i64' exactly; use a weir.constant and the smaller of both}}
  weir.clip %x {max = 9007199254740993.0} : tensor<4xi64>
  return
}

// -----

func.func @error(%x: tensor<4xui64>) {
  // expected-error@below {{'weir.clip' op attribute 'min' is 18446744073709549568, but}}
  weir.clip %x {min = 18446744073709549568.0} : tensor<4xui64>
  return
}
