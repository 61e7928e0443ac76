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

def RecogniseForms : Weir_RewritingPass<"weir-recognise-forms"> {
  let summary = "Finds activations that were written out as arithmetic";
  let description = [{
    Exporters write gelu, silu and mish as several ops. Where their expressions,
    taken together, are one of the known forms, constants included, and nobody
    else reads what is between them, the op itself takes their place.

    ```
    %s = weir.sigmoid %x : ...
    %y = weir.mul %x, %s : ...
    // becomes
    %y = weir.silu %x : ...
    ```
  }];
}

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_PASSES_TD
