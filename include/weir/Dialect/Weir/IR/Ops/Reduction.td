//===- Reduction.td - Reductions over axes -*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPS_REDUCTION_TD
#define WEIR_DIALECT_WEIR_IR_OPS_REDUCTION_TD

include "weir/Dialect/Weir/IR/WeirBase.td"

/// Without `axes`, all dims are reduced. Negative axes count from the end.
class Weir_ReductionBase<string mnemonic> : Weir_Op<mnemonic, "[x]->[x/axes]"> {
  let inputs = (ins Weir_Tensor:$input);
  let attributes = (ins Weir_Ints:$axes, Weir_Bool<"true">:$keepdims);
}

class Weir_Reduction<string mnemonic, string combiner_, string algorithm>
    : Weir_ReductionBase<mnemonic> {
  let expression = "a";
  let combiner = combiner_;
  let kernels = [CPU<"reduction", ["f32", "bf16"],
                     ["algorithm=" # algorithm]>];
}

def ReduceLogSumExpOp : Weir_ReductionBase<"reduce_log_sum_exp"> {
  let otherNames = ["logsumexp"];
  let summary = "logarithm of the sum of exponentials, safe from overflow";
  let typeSpec = "F->F";
  let body = [{
    auto x = b.value(operands[0]);
    auto axes = b.reducedAxes(x);
    auto top = b.finite(b.maximum(x, axes));
    auto y = b.log(b.sum(b.exp(x - top), axes)) + top;
    return {b.reshapeLike(y, getOperation()->getResult(0))};
  }];
  let gradient = [{
    auto x = b.value(operands[0]);
    auto axes = b.reducedAxes(x);
    // The gradient is 0 if all elements are -inf.
    auto y = b.finite(b.keepReduced(results[0], x, axes));
    return {b.keepReduced(grads[0], x, axes) * b.exp(x - y)};
  }];
}

def ReduceMaxOp : Weir_Reduction<"reduce_max", "Maximum", "reduction_max"> {
  let otherNames = ["amax"];
  let summary = "largest element";
  let precision = "Follow";
}

def ReduceMeanOp : Weir_ReductionBase<"reduce_mean"> {
  let otherNames = ["mean"];
  let summary = "arithmetic mean";
  let layout = "Free";
  let typeSpec = "F->F";
  let kernels = [CPU<"reduction", ["f32", "bf16"],
                     ["algorithm=reduction_mean"]>];
  let body = [{
    auto y = b.mean(operands[0], b.reducedAxes(b.value(operands[0])));
    return {b.reshapeLike(y, getOperation()->getResult(0))};
  }];
}

def ReduceMinOp : Weir_Reduction<"reduce_min", "Minimum", "reduction_min"> {
  let otherNames = ["amin"];
  let summary = "smallest element";
  let precision = "Follow";
}

def ReduceProdOp : Weir_Reduction<"reduce_prod", "Product", "reduction_mul"> {
  let otherNames = ["prod", "product"];
  let summary = "product of the elements";
}

def ReduceSumOp : Weir_Reduction<"reduce_sum", "Sum", "reduction_sum"> {
  let otherNames = ["sum"];
  let summary = "sum of the elements";
  let layout = "Free";
}

#endif // WEIR_DIALECT_WEIR_IR_OPS_REDUCTION_TD
