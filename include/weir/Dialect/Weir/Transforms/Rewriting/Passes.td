//===- Passes.td - Passes that write graphs in fewer ops ---*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// What a graph computes stays the same but for rounding.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_PASSES_TD
#define WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_PASSES_TD

include "mlir/Pass/PassBase.td"

class Weir_RewritingPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::weir::WeirDialect"];
}

def FoldAffine : Weir_RewritingPass<"weir-fold-affine"> {
  let summary = "Moves scales and shifts by known values into weights";
  let description = [{
    Behind an op that sums products with a known weight (convolution, linear,
    matrix product), a chain of additions, subtractions, multiplications and
    divisions by values that are known at compile time, have one element or vary
    along one dim, and stand alone between them, goes into the weight and the
    bias. A composite whose body is such a chain, as that of a batch norm is, is
    one. Only for f32 and f64: weights of fewer digits would be rounded again.

    ```
    %c = convolution of %x with %w
    %n = weir.batch_norm %c, %scale, %bias, %mean, %variance : ...
    // becomes, with %w_folded and %n_bias_folded computed from parameters alone
    %n = convolution of %x with %w_folded, plus %n_bias_folded
    ```

    Where the op takes no bias, an `add` is left; a chain that stands by itself
    becomes one `mul` and one `add`. Ops that ask for another device or stage
    than the op before them stay out.
  }];
}

def LowerPrecision : Weir_RewritingPass<"weir-lower-precision"> {
  let summary = "Computes in bf16 what is faster in it";
  let description = [{
    Ops whose records say so (convolutions, matrix products) read and write
    bf16, and so do ops between them that lose no more by it than the rounding
    of their result. Sums stay in f32, biases and scales too. What magnifies
    errors stays in f32, as do the entry's inputs, outputs and all that only
    leads to these. Casts stand where a value changes its type: those of weights
    are computed at compile time, those behind an op become a part of its
    kernel. The module lists what was kept in f32 for --explain.

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
  let summary = "Finds activations that were written out as arithmetic";
  let description = [{
    Exporters write gelu, hard swish, silu and mish as several ops. Where their
    expressions, taken together, are one of the known forms, constants included,
    and nobody else reads what is between them, the op itself takes their place.
    Squares and cubes become products.

    ```
    %s = weir.sigmoid %x : ...
    %y = weir.mul %x, %s : ...
    // becomes
    %y = weir.silu %x : ...
    ```
  }];
}

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_PASSES_TD
