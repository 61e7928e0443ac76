//===- Gradient.td - Derivatives and ops with records of their own --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPS_GRADIENT_TD
#define WEIR_DIALECT_WEIR_IR_OPS_GRADIENT_TD

include "weir/Dialect/Weir/IR/WeirBase.td"

def GradientOp : Weir_PlainOp<"gradient", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "derivatives of a scalar";
  let description = [{
    Result i is the derivative of the scalar `loss` with respect to every
    element of operand i of `of`. It has the type of that operand. The loss has
    one element. The pass `weir-differentiate` builds the ops that compute the
    results. They may themselves be differentiated by another `gradient`.

    ```
    %dw, %db = weir.gradient %loss of %w, %b
        : tensor<f32> of tensor<10x20xf32>, tensor<10xf32>
    ```

    The loss must depend on each operand of `of`, and every op between them must
    have a gradient.
  }];
  let arguments = (ins Weir_Tensor:$loss, Variadic<Weir_Tensor>:$of);
  let results = (outs Variadic<Weir_Tensor>:$gradients);
  let assemblyFormat = [{
    $loss `of` $of attr-dict `:` type($loss) `of` type($of)
  }];
  let hasVerifier = 1;
}

def LeafOp : Weir_Op<"leaf", ""> {
  let summary = "a scalar expression over an iteration space";
  let description = [{
    An op whose attributes are its record: an index spec
    (weir/Support/IndexSpec.h), a scalar expression of at most four operands
    (weir/Support/ScalarExpr.h) without attributes, and a combiner (`none`,
    `sum`, `product`, `maximum`, `minimum`). `type` is the element type of the
    result. Code is generated for it.

    ```
    %y = weir.leaf %x, %s {expression = "a * b / (1 + abs(a))",
        spec = "...,...->...", type = f32} : tensor<2x8xf32>, tensor<8xf32>
    %z = weir.leaf %x, %w {combiner = "sum", expression = "a * b",
        spec = "m=2, n=3, k=8: [m, k], [n, k] -> [m, n]", type = f32}
        : tensor<2x8xf32>, tensor<3x8xf32>
    ```
  }];
  let typeSpec = "A,B,C,D->@type";
  let inputs = (ins Variadic<Weir_Tensor>:$inputs);
  let attributes = (ins StrAttr:$spec, StrAttr:$expression,
      DefaultValuedStrAttr<StrAttr, "none">:$combiner, TypeAttr:$type);
  let hasOwnRecord = 1;
}

def StopGradientOp : Weir_Pointwise<"stop_gradient", 1, "a"> {
  let otherNames = ["detach"];
  let summary = "the input, through which no gradient flows";
  let description = [{
    For derivatives the result counts as a constant. The op costs nothing: it is
    removed when gradients have been built.
  }];
  let inputs = (ins Weir_Tensor:$input);
  let precision = "Follow";
  let kernels = [CPUReorder<>];
  let gradient = "return {{}};";
}

#endif // WEIR_DIALECT_WEIR_IR_OPS_GRADIENT_TD
