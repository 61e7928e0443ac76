//===- Loss.td - What training minimises -*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A loss op gives a value for each element or row. `reduce_mean` or
// `reduce_sum` makes the scalar that is differentiated. An accuracy only
// measures a network and has no gradient. A loss per element may broadcast
// predictions or targets, but not both. It warns if it broadcasts more than a
// single number.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPS_LOSS_TD
#define WEIR_DIALECT_WEIR_IR_OPS_LOSS_TD

include "weir/Dialect/Weir/IR/WeirBase.td"

def ClassIndexOp : Weir_Pointwise<"class_index", 1,
    "select(a == ignored, 0, a)", [
    DeclareOpInterfaceMethods<WeirOpInterface, ["getIndexOperands"]>]> {
  let summary = "the class of each label, 0 for the label `ignored`";
  let description = [{
    Any other label must be in [0, `classes`), or the run fails.
  }];
  let typeSpec = "I->i64";
  let inputs = (ins Weir_Tensor:$labels);
  let attributes = (ins
      ConfinedAttr<I64Attr, [IntNonNegative]>:$classes, I64Attr:$ignored);
  let isInternal = 1;
}

class Weir_ElementLoss<string mnemonic, string expression>
    : Weir_Pointwise<mnemonic, 2, expression, [
          DeclareOpInterfaceMethods<WeirOpInterface, ["getDoubt"]>]> {
  let typeSpec = "F,F->F";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$target);
  let hasVerifier = 1;
}

def AbsoluteErrorOp : Weir_ElementLoss<"absolute_error", "abs(a - b)"> {
  let otherNames = ["mae", "l1_loss"];
  let summary = "distance of each element from its target (L1)";
}

def AccuracyOp : Weir_Op<"accuracy", "", [
    DeclareOpInterfaceMethods<WeirOpInterface, ["getIndexOperands"]>]> {
  let summary = "the share of rows whose label has one of the largest scores";
  let description = [{
    `labels` has the index of a class, from 0 on, for each row of the input. A
    row counts as right if its label is among the `k` classes with the largest
    numbers; of equal numbers, those of lower classes count as larger. So `k` 5
    gives the top-5 accuracy. NaN counts as larger than all numbers, and is
    never right itself. Rows with the label `ignored` are left out; without any
    row, the result is 0. Any other label must be a class, or the run fails.
  }];
  let typeSpec = "F,I->f32";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$labels);
  let attributes = (ins Weir_Int<"1">:$k, Weir_Int<"-100">:$ignored);
  let hasVerifier = 1;
  let shapes = "return inferAccuracy(operands);";
  let body = [{ return {countRight(b, *this, operands[0], operands[1])}; }];
}

def BinaryCrossEntropyOp : Weir_ElementLoss<"binary_cross_entropy",
    "-(b * max(log(a), -100) + (1 - b) * max(log1p(-a), -100))"> {
  let otherNames = ["bce"];
  let summary = "cross entropy of probabilities and targets in [0, 1]";
  let description = [{
    -(target * log(input) + (1 - target) * log(1 - input)). A logarithm is at
    least -100, as in PyTorch. `sigmoid_cross_entropy` takes what comes before
    the sigmoid, which is more exact.
  }];
}

def HingeOp : Weir_ElementLoss<"hinge", "max(1 - a * b, 0)"> {
  let summary = "max(1 - input * target, 0) for targets 1 and -1";
}

def HuberOp : Weir_ElementLoss<"huber",
    "select(abs(a - b) <= delta, 0.5 * (a - b) * (a - b), "
    "delta * (abs(a - b) - 0.5 * delta))"> {
  let otherNames = ["smooth_l1_loss"];
  let summary = "half the squared error, from `delta` on the absolute error";
  let description = [{
    Huber, 1964: Robust estimation of a location parameter.
  }];
  let attributes = (ins Weir_Float<"1.0">:$delta);
}

// Both forms are equal at 0 and smooth there.
def SigmoidCrossEntropyOp : Weir_ElementLoss<"sigmoid_cross_entropy",
    "select(0 < a, a + log1p(exp(-a)), log1p(exp(a))) - a * b"> {
  let otherNames = ["bce_with_logits"];
  let summary = "binary cross entropy of sigmoid(input), without overflow";
  let applies = "sigmoid";
}

def SoftmaxCrossEntropyOp : Weir_Op<"softmax_cross_entropy",
    "...c,...c->..."> {
  let otherNames = ["categorical_crossentropy"];
  let summary = "cross entropy of softmax(input) and a target distribution";
  let inference = "inferRows<SoftmaxCrossEntropyOp>";
  let applies = "softmax";
  let description = [{
    -(sum over the last dim of target * log(softmax(input))), for each row.
  }];
  let typeSpec = "F,F->F";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$target);
  let hasVerifier = 1;
  let body = [{
    auto x = b.value(operands[0]);
    auto axes = b.oneAxis(x, -1);
    auto logits = b.make<LogSoftmaxOp>({x}, b.number("axis", -1));
    auto sum = b.sum(logits * b.value(operands[1]), axes);
    return {b.reshapeLike(b.make<NegOp>({sum}), getOperation()->getResult(0))};
  }];
  // The gradients are softmax(x) * sum(target) - target, and -log(softmax(x)).
  let gradient = [{
    auto x = b.value(operands[0]), target = b.value(operands[1]);
    auto axes = b.oneAxis(x, -1);
    auto dy = b.keepReduced(grads[0], x, axes);
    auto logits = b.make<LogSoftmaxOp>({x}, b.number("axis", -1));
    auto dx = b.exp(logits) * b.sum(target, axes) - target;
    return {dx * dy, b.pointwise("-(a * b)", {logits, dy})};
  }];
}

def SparseSoftmaxCrossEntropyOp : Weir_Op<"sparse_softmax_cross_entropy",
    "...c,...->...", [
    DeclareOpInterfaceMethods<WeirOpInterface, ["getIndexOperands"]>]> {
  let otherNames = ["cross_entropy", "sparse_categorical_crossentropy"];
  let summary = "cross entropy of softmax(input) and the label of each row";
  let inference = "inferRows<SparseSoftmaxCrossEntropyOp>";
  let applies = "softmax";
  let description = [{
    `labels` has the index of a class, from 0 on, for each row of the input. A
    row with the label `ignored` has the loss and the gradient 0. Any other
    label must be a class: constants are checked by the compiler, others by the
    run, which fails. This holds for the gradient as well.

    The mean of PyTorch is the sum of the losses divided by the number of labels
    that are not ignored.
  }];
  let typeSpec = "F,I->F";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$labels);
  let attributes = (ins Weir_Int<"-100">:$ignored);
  let hasVerifier = 1;
  let body = [{
    auto labels = b.cast(operands[1], b.indexType());
    auto classes = findClasses(b, operands[0], operands[1], getIgnored());
    auto rows = b.make<LogSoftmaxOp>({operands[0]}, b.number("axis", -1));
    auto picked = pickOfRows(b, rows, b.reshape(classes, b.keepRows(rows)));
    return {unlessIgnored(b, "-a", b.reshapeLike(picked, labels), labels,
                          getIgnored())};
  }];
  // The gradient is softmax(x), minus 1 at the label.
  let gradient = [{
    auto x = b.value(operands[0]);
    auto labels = b.cast(operands[1], b.indexType());
    auto share = unlessIgnored(b, "a", grads[0], labels, getIgnored());
    auto classes = findClasses(b, x, operands[1], getIgnored());
    auto isLabel = b.make<OneHotOp>(
        {classes}, {b.number("depth", x.getType().getShape().back())});
    auto logits = b.make<LogSoftmaxOp>({x}, b.number("axis", -1));
    return {b.pointwise("a * (exp(b) - c)",
                        {b.reshape(share, b.keepRows(x)), logits, isLabel}),
            {}};
  }];
}

def SquaredErrorOp : Weir_ElementLoss<"squared_error", "(a - b) * (a - b)"> {
  let otherNames = ["mse", "mse_loss"];
  let summary = "squared distance of each element from its target";
}

#endif // WEIR_DIALECT_WEIR_IR_OPS_LOSS_TD
