// Products run in bf16, and so does what lies between them; sums, biases,
// inputs and outputs stay in f32.
// RUN: graph-opt %s -split-input-file --weir-lower-precision > %t
// RUN: FileCheck %s --input-file=%t
// There are no other casts than these, and no duplicates.
// RUN: FileCheck %s --input-file=%t --implicit-check-not=weir.cast \
// RUN:   --check-prefix=COUNT
// RUN: graph-opt %t -split-input-file --weir-lower-precision \
// RUN:   | FileCheck %s --implicit-check-not=weir.cast --check-prefix=COUNT
// COUNT-COUNT-44: weir.cast

// The input and each weight are cast once, biases not at all. What follows the
// last product is in f32.
// CHECK: weir.precision = {casts = 2 : i64, kept = {tail = "no later op is faster in bf16"}, ops = 4 : i64, type = "bf16"}
// CHECK-LABEL: func.func @between_products
// CHECK: %w2_bf16 = weir.cast %w2 {to = bf16} : tensor<64x64x3x3xf32>
// CHECK: %w1_bf16 = weir.cast %w1 {to = bf16} : tensor<64x4x3x3xf32>
// CHECK: %x_bf16 = weir.cast %x {to = bf16} : tensor<1x4x18x18xf32>
// CHECK: %c1 = weir.conv %x_bf16, %w1_bf16, %b1 : tensor<1x4x18x18xbf16>, tensor<64x4x3x3xbf16>, tensor<64xf32>
// CHECK: %r1 = weir.relu %c1 : tensor<1x64x16x16xbf16>
// CHECK: %p1 = weir.max_pool %r1 {{.*}} : tensor<1x64x16x16xbf16>
// CHECK: %c2 = weir.conv %p1, %w2_bf16 : tensor<1x64x8x8xbf16>, tensor<64x64x3x3xbf16>
// CHECK: %c2_f32 = weir.cast %c2 {to = f32} : tensor<1x64x6x6xbf16>
// CHECK: %tail = weir.relu %c2_f32 : tensor<1x64x6x6xf32>
// CHECK: %probs = weir.softmax %tail
// CHECK: return %probs : tensor<1x64x6x6xf32>
func.func @between_products(%x: tensor<1x4x18x18xf32>,
    %w1: tensor<64x4x3x3xf32> {weir.parameter = @w1},
    %b1: tensor<64xf32> {weir.parameter = @b1},
    %w2: tensor<64x64x3x3xf32> {weir.parameter = @w2}) -> tensor<1x64x6x6xf32> {
  %c1 = weir.conv %x, %w1, %b1 : tensor<1x4x18x18xf32>, tensor<64x4x3x3xf32>, tensor<64xf32>
  %r1 = weir.relu %c1 : tensor<1x64x16x16xf32>
  %p1 = weir.max_pool %r1 {kernel_shape = [2, 2], strides = [2, 2]} : tensor<1x64x16x16xf32>
  %c2 = weir.conv %p1, %w2 : tensor<1x64x8x8xf32>, tensor<64x64x3x3xf32>
  %tail = weir.relu %c2 : tensor<1x64x6x6xf32>
  %probs = weir.softmax %tail {axis = 1} : tensor<1x64x6x6xf32>
  return %probs : tensor<1x64x6x6xf32>
}

// -----

// A product of few operations is not worth a cast.
// CHECK: weir.precision = {casts = 0 : i64, kept = {y = "it is too small to be faster in bf16", z = "it is too small to be faster in bf16"}, ops = 0 : i64, type = "bf16"}
// CHECK-LABEL: func.func @small
func.func @small(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = weir.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32>
  %z = weir.matmul %y, %w : tensor<8x8xf32>, tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}

// -----

// Softmax magnifies: the product in front of it writes f32. Its result is
// rounded for the product behind it.
// CHECK: weir.precision = {casts = 6 : i64, kept = {p = "it magnifies the rounding error of its operand", scaled = "its readers use f32"}, ops = 2 : i64, type = "bf16"}
// CHECK-LABEL: func.func @attention
// CHECK: %s = weir.matmul %q_bf16, %k_bf16
// CHECK: %s_f32 = weir.cast %s {to = f32} : tensor<4x64x64xbf16>
// CHECK: %scaled = weir.mul %s_f32, %eighth : tensor<4x64x64xf32>
// CHECK: %p = weir.softmax %scaled : tensor<4x64x64xf32>
// CHECK: %p_bf16 = weir.cast %p {to = bf16} : tensor<4x64x64xf32>
// CHECK: %y = weir.matmul %p_bf16, %v_bf16
// CHECK: %y_f32 = weir.cast %y
func.func @attention(%q: tensor<4x64x32xf32>, %k: tensor<4x32x64xf32>,
    %v: tensor<4x64x32xf32>) -> tensor<4x64x32xf32> {
  %eighth = weir.constant dense<0.125> : tensor<f32>
  %s = weir.matmul %q, %k : tensor<4x64x32xf32>, tensor<4x32x64xf32>
  %scaled = weir.mul %s, %eighth : tensor<4x64x64xf32>, tensor<f32>
  %p = weir.softmax %scaled : tensor<4x64x64xf32>
  %y = weir.matmul %p, %v : tensor<4x64x64xf32>, tensor<4x64x32xf32>
  return %y : tensor<4x64x32xf32>
}

// -----

// A residual that has two readers is stored once, in bf16; the norm behind the
// sum, its only reader, gets the sum in f32, with f32 scales.
// CHECK: casts = 4 : i64, {{.*}}ops = 4 : i64
// CHECK-LABEL: func.func @residual
// CHECK: %h = weir.linear %x_bf16, %w_bf16
// CHECK: %g = weir.linear %h, %w_bf16
// CHECK: %sum = weir.add %g, %h : tensor<32x64xbf16>, tensor<32x64xbf16>
// CHECK: %sum_f32 = weir.cast %sum {to = f32}
// CHECK: %n = weir.layer_norm %sum_f32, %scale : tensor<32x64xf32>, tensor<64xf32>
// CHECK: %n_bf16 = weir.cast %n {to = bf16}
// CHECK: %y = weir.linear %n_bf16, %w_bf16
func.func @residual(%x: tensor<32x64xf32>,
    %w: tensor<64x64xf32> {weir.parameter = @w},
    %scale: tensor<64xf32> {weir.parameter = @scale}) -> tensor<32x64xf32> {
  %h = weir.linear %x, %w : tensor<32x64xf32>, tensor<64x64xf32>
  %g = weir.linear %h, %w : tensor<32x64xf32>, tensor<64x64xf32>
  %sum = weir.add %g, %h : tensor<32x64xf32>, tensor<32x64xf32>
  %n = weir.layer_norm %sum, %scale : tensor<32x64xf32>, tensor<64xf32>
  %y = weir.linear %n, %w : tensor<32x64xf32>, tensor<64x64xf32>
  return %y : tensor<32x64xf32>
}

// -----

// The result of a norm is there in f32: a residual takes it so, and the product
// beside it in bf16.
// CHECK-LABEL: func.func @residual_of_norm
// CHECK: %n = weir.layer_norm %h_f32, %scale : tensor<32x64xf32>, tensor<64xf32>
// CHECK: %n_bf16 = weir.cast %n {to = bf16}
// CHECK: %g = weir.linear %n_bf16, %w_bf16
// CHECK: %g_f32 = weir.cast %g
// CHECK: %sum = weir.add %g_f32, %n : tensor<32x64xf32>, tensor<32x64xf32>
// CHECK: %m = weir.layer_norm %sum, %scale
func.func @residual_of_norm(%x: tensor<32x64xf32>,
    %w: tensor<64x64xf32> {weir.parameter = @w},
    %scale: tensor<64xf32> {weir.parameter = @scale}) -> tensor<32x64xf32> {
  %h = weir.linear %x, %w : tensor<32x64xf32>, tensor<64x64xf32>
  %n = weir.layer_norm %h, %scale : tensor<32x64xf32>, tensor<64xf32>
  %g = weir.linear %n, %w : tensor<32x64xf32>, tensor<64x64xf32>
  %sum = weir.add %g, %n : tensor<32x64xf32>, tensor<32x64xf32>
  %m = weir.layer_norm %sum, %scale : tensor<32x64xf32>, tensor<64xf32>
  %y = weir.linear %m, %w : tensor<32x64xf32>, tensor<64x64xf32>
  return %y : tensor<32x64xf32>
}

// -----

// A half is exact in bf16, a tenth is not; parameters are not known.
// CHECK: kept = {early = "its readers use f32", shifted = "the ops before it are in f32", tenth = "a constant operand is not exact in bf16"}
// CHECK-LABEL: func.func @known_operands
// CHECK: %half_bf16 = weir.cast %half {to = bf16}
// CHECK: %h_f32 = weir.cast %h {to = f32}
// CHECK: %early = weir.mul %h_f32, %half : tensor<32x64xf32>, tensor<f32>
// CHECK: %tenth = weir.mul %early, %c : tensor<32x64xf32>, tensor<f32>
// CHECK: %shifted = weir.relu %tenth : tensor<32x64xf32>
// CHECK: %shifted_bf16 = weir.cast %shifted
// CHECK: %g = weir.linear %shifted_bf16
// CHECK: %late = weir.mul %g, %half_bf16 : tensor<32x64xbf16>, tensor<bf16>
// CHECK: %y = weir.linear %late
func.func @known_operands(%x: tensor<32x64xf32>,
    %w: tensor<64x64xf32> {weir.parameter = @w}) -> tensor<32x64xf32> {
  %half = weir.constant dense<0.5> : tensor<f32>
  %c = weir.constant dense<0.1> : tensor<f32>
  %h = weir.linear %x, %w : tensor<32x64xf32>, tensor<64x64xf32>
  %early = weir.mul %h, %half : tensor<32x64xf32>, tensor<f32>
  %tenth = weir.mul %early, %c : tensor<32x64xf32>, tensor<f32>
  %shifted = weir.relu %tenth : tensor<32x64xf32>
  %g = weir.linear %shifted, %w : tensor<32x64xf32>, tensor<64x64xf32>
  %late = weir.mul %g, %half : tensor<32x64xf32>, tensor<f32>
  %y = weir.linear %late, %w : tensor<32x64xf32>, tensor<64x64xf32>
  return %y : tensor<32x64xf32>
}

// -----

// Indices and conditions keep their types; a table that is looked up in f32 and
// multiplied in bf16 is there in both. What only looks at a tensor takes it as
// it is.
// CHECK-LABEL: func.func @indices
// CHECK: %rows = weir.gather %table, %i : tensor<64x64xf32>, tensor<32xi64>
// CHECK: %rows_bf16 = weir.cast %rows
// CHECK: %h = weir.linear %rows_bf16, %table_bf16
// CHECK: weir.keep %h : tensor<32x64xbf16>
// CHECK: %m = weir.where %c, %h, %rows_bf16 : tensor<32x64xi1>, tensor<32x64xbf16>, tensor<32x64xbf16>
// CHECK: %y = weir.linear %m, %table_bf16
func.func @indices(%i: tensor<32xi64>, %c: tensor<32x64xi1>,
    %table: tensor<64x64xf32> {weir.parameter = @table}) -> tensor<32x64xf32> {
  %rows = weir.gather %table, %i : tensor<64x64xf32>, tensor<32xi64>
  %h = weir.linear %rows, %table : tensor<32x64xf32>, tensor<64x64xf32>
  weir.keep %h : tensor<32x64xf32>
  %m = weir.where %c, %h, %rows : tensor<32x64xi1>, tensor<32x64xf32>, tensor<32x64xf32>
  %y = weir.linear %m, %table : tensor<32x64xf32>, tensor<64x64xf32>
  return %y : tensor<32x64xf32>
}

// -----

// The gradient of a convolution for its weight is a product.
// CHECK: weir.precision = {casts = 3 : i64, kept = {}, ops = 1 : i64, type = "bf16"}
// CHECK-LABEL: func.func @weight_gradient
// CHECK: %w = weir.conv_weight_gradient %x_bf16, %g_bf16 {{.*}} : tensor<4x8x18x18xbf16>, tensor<4x16x16x16xbf16>
// CHECK: %w_f32 = weir.cast %w {to = f32} : tensor<16x8x3x3xbf16>
func.func @weight_gradient(%x: tensor<4x8x18x18xf32>,
    %g: tensor<4x16x16x16xf32>) -> tensor<16x8x3x3xf32> {
  %w = weir.conv_weight_gradient %x, %g {kernel_shape = [3, 3]} : tensor<4x8x18x18xf32>, tensor<4x16x16x16xf32>
  return %w : tensor<16x8x3x3xf32>
}

// -----

// A norm in training follows its neighbours. Its statistics, and the gradients
// of its scale and bias, stay in f32.
// CHECK-LABEL: func.func @training
// CHECK: %n, %n_0, %n_1 = weir.batch_norm_training %c, %s, %s : tensor<4x16x16x16xbf16>, tensor<16xf32>, tensor<16xf32>
// CHECK: %r = weir.relu %n : tensor<4x16x16x16xbf16>
// CHECK: %d = weir.conv %r, %k2_bf16
// CHECK: %d_f32 = weir.cast %d {to = f32}
// CHECK: %h = weir.relu_gradient %g, %r : tensor<4x16x16x16xbf16>, tensor<4x16x16x16xbf16>
// CHECK: %b, %b_2, %b_3 = weir.batch_norm_gradient %h, %c, %s, %n_0, %n_1 : tensor<4x16x16x16xbf16>, tensor<4x16x16x16xbf16>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
// CHECK: %w = weir.conv_weight_gradient %x_bf16, %b
// CHECK: %w_f32 = weir.cast %w {to = f32}
// CHECK: %v = weir.mul %n_1, %b_2 : tensor<16xf32>, tensor<16xf32>
// CHECK: return %d_f32, %w_f32, %v, %b_3
func.func @training(%x: tensor<4x8x18x18xf32>, %k: tensor<16x8x3x3xf32>, %s: tensor<16xf32>,
    %k2: tensor<16x16x3x3xf32>, %u: tensor<4x16x14x14xf32>)
    -> (tensor<4x16x14x14xf32>, tensor<16x8x3x3xf32>, tensor<16xf32>, tensor<16xf32>) {
  %c = weir.conv %x, %k : tensor<4x8x18x18xf32>, tensor<16x8x3x3xf32>
  %n:3 = weir.batch_norm_training %c, %s, %s : tensor<4x16x16x16xf32>, tensor<16xf32>, tensor<16xf32>
  %r = weir.relu %n#0 : tensor<4x16x16x16xf32>
  %d = weir.conv %r, %k2 : tensor<4x16x16x16xf32>, tensor<16x16x3x3xf32>
  %g = weir.conv_transpose %u, %k2 : tensor<4x16x14x14xf32>, tensor<16x16x3x3xf32>
  %h = weir.relu_gradient %g, %r : tensor<4x16x16x16xf32>, tensor<4x16x16x16xf32>
  %b:3 = weir.batch_norm_gradient %h, %c, %s, %n#1, %n#2 : tensor<4x16x16x16xf32>, tensor<4x16x16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  %w = weir.conv_weight_gradient %x, %b#0 {kernel_shape = [3, 3]} : tensor<4x8x18x18xf32>, tensor<4x16x16x16xf32>
  %v = weir.mul %n#2, %b#1 : tensor<16xf32>, tensor<16xf32>
  return %d, %w, %v, %b#2 : tensor<4x16x14x14xf32>, tensor<16x8x3x3xf32>, tensor<16xf32>, tensor<16xf32>
}

// -----

// So does a pool that notes its taps. The taps are integers in any case.
// CHECK-LABEL: func.func @noted_pool
// CHECK: %p, %p_0 = weir.max_pool_training %c {{.*}} : tensor<4x16x16x16xbf16>
// CHECK: %d = weir.conv %p, %k2_bf16
// CHECK: return %{{.*}}, %p_0 : tensor<4x16x6x6xf32>, tensor<4x16x8x8xui8>
func.func @noted_pool(%x: tensor<4x8x18x18xf32>, %k: tensor<16x8x3x3xf32>,
    %k2: tensor<16x16x3x3xf32>) -> (tensor<4x16x6x6xf32>, tensor<4x16x8x8xui8>) {
  %c = weir.conv %x, %k : tensor<4x8x18x18xf32>, tensor<16x8x3x3xf32>
  %p:2 = weir.max_pool_training %c {kernel_shape = [2, 2], strides = [2, 2]} : tensor<4x16x16x16xf32>
  %d = weir.conv %p#0, %k2 : tensor<4x16x8x8xf32>, tensor<16x16x3x3xf32>
  return %d, %p#1 : tensor<4x16x6x6xf32>, tensor<4x16x8x8xui8>
}
