//===- Passes.td - Passes that reduce the number of ops ----*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// These passes change results by rounding only.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_PASSES_TD
#define WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_PASSES_TD

include "mlir/Pass/PassBase.td"

class Weir_RewritingPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::weir::WeirDialect"];
}

def FoldAffine : Weir_RewritingPass<"weir-fold-affine"> {
  let summary = "Folds scales and shifts by known values into weights";
  let description = [{
    Looks for ops that sum products with a known weight (convolution, linear,
    matrix product) followed by a chain of additions, subtractions,
    multiplications and divisions by values known at compile time. Each such
    value has one element or varies along one dim, and each result in the chain
    has one reader. The chain is folded into the weight and the bias. A
    composite whose body is such a chain, for instance a batch norm, counts as a
    chain. Only f32 and f64 are folded, since smaller types would round the
    weights again.

    ```
    %c = convolution of %x with %w
    %n = weir.batch_norm %c, %scale, %bias, %mean, %variance : ...
    // becomes, with %w_folded and %n_bias_folded computed from parameters alone
    %n = convolution of %x with %w_folded, plus %n_bias_folded
    ```

    If the op takes no bias, an `add` remains. A chain without such an op in
    front becomes one `mul` and one `add`. Ops with another device or stage
    annotation than the op before them are not folded.
  }];
}

def LowerPrecision : Weir_RewritingPass<"weir-lower-precision"> {
  let summary = "Computes in bf16 what is faster in bf16";
  let description = [{
    Ops whose records say so (convolutions, matrix products) read and write
    bf16. So do ops between them that lose no more than the rounding of their
    result. Sums, biases and scales stay in f32. Ops that magnify errors stay in
    f32, as do the entry's inputs and outputs and everything that is used only
    for these. Casts are inserted where a value changes its type. Casts of
    weights are computed at compile time; casts behind an op become a part of
    its kernel. The module lists the ops that were kept in f32 for --explain.

    ```
    %c = convolution of %x with %w : ... -> tensor<1x8x6x6xf32>
    // becomes
    %x_bf16 = %x cast to bf16
    %w_bf16 = %w cast to bf16
    %c = convolution of %x_bf16 with %w_bf16 : ... -> tensor<1x8x6x6xbf16>
    %c_f32 = %c cast to f32
    ```
  }];
}

def RecogniseForms : Weir_RewritingPass<"weir-recognise-forms"> {
  let summary = "Recognises activations that are written as arithmetic";
  let description = [{
    Exporters write gelu, hard swish, silu and mish as several ops. If the
    combined expression of such ops, including constants, is one of the known
    forms, and no other op reads the values in between, the named op replaces
    them. Squares and cubes become products.

    ```
    %s = weir.sigmoid %x : ...
    %y = weir.mul %x, %s : ...
    // becomes
    %y = weir.silu %x : ...
    ```
  }];
}

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_PASSES_TD
