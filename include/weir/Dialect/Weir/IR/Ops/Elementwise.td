//===- Elementwise.td - Pointwise ops -*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPS_ELEMENTWISE_TD
#define WEIR_DIALECT_WEIR_IR_OPS_ELEMENTWISE_TD

include "weir/Dialect/Weir/IR/WeirBase.td"

//===----------------------------------------------------------------------===//
// Shapes of records
//===----------------------------------------------------------------------===//

class Weir_Unary<string mnemonic, string expression, list<Trait> traits = []>
    : Weir_Pointwise<mnemonic, 1, expression, traits> {
  let inputs = (ins Weir_Tensor:$input);
}

/// A unary op on floats that the library's element-wise kernel supports.
/// `algorithm` is its name in the library, with alpha and beta if it has any.
class Weir_Eltwise<string mnemonic, string expression, list<string> algorithm>
    : Weir_Unary<mnemonic, expression> {
  let typeSpec = "F->F";
  let precision = "Follow";
  let kernels = [FusingCPU<"eltwise", ["f32", "bf16"], algorithm>];
}

/// A real function that the library does not have, does not have for some
/// floats, or computes inexactly near 0.
class Weir_Real<string mnemonic, string expression>
    : Weir_Unary<mnemonic, expression> {
  let typeSpec = "F->F";
}

class Weir_Binary<string mnemonic, string expression, list<Trait> traits = []>
    : Weir_Pointwise<mnemonic, 2, expression, traits> {
  let inputs = (ins Weir_Tensor:$lhs, Weir_Tensor:$rhs);
}

class Weir_Arithmetic<string mnemonic, string expression, string algorithm,
                      list<Trait> traits = []>
    : Weir_Binary<mnemonic, expression, traits> {
  let precision = "Follow";
  let kernels = [FusingCPU<"binary", ["f32", "bf16"],
                           ["algorithm=" # algorithm]>];
}

/// The gradient of an op that passes the gradient of its result on or replaces
/// it by 0. `y` decides which.
class Weir_Gate<string mnemonic, string expression, list<string> algorithm>
    : Weir_Pointwise<mnemonic, 2, expression> {
  let typeSpec = "F,F->F";
  let precision = "Follow";
  let inputs = (ins Weir_Tensor:$gradient, Weir_Tensor:$y);
  let kernels = [FusingCPU<"binary", ["f32", "bf16"], algorithm>];
}

class Weir_Bitwise<string mnemonic, string expression, list<Trait> traits = []>
    : Weir_Binary<mnemonic, expression, traits> {
  let typeSpec = "L,L->L";
}

class Weir_Comparison<string mnemonic, string expression, string algorithm,
                      list<Trait> traits = []>
    : Weir_Binary<mnemonic, expression, traits> {
  let typeSpec = "T,T->i1";
  let kernels = [CPU<"binary", ["f32", "bf16"], ["algorithm=" # algorithm]>];
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

def AbsOp : Weir_Unary<"abs", "abs(a)"> {
  let summary = "absolute value";
  let precision = "Follow";
  let kernels = [FusingCPU<"eltwise", ["f32", "bf16"],
                           ["algorithm=eltwise_abs"]>];
}

def AcosOp : Weir_Real<"acos", "acos(a)"> {
  let summary = "arc cosine";
}

def AcoshOp : Weir_Real<"acosh", "acosh(a)"> {
  let summary = "inverse hyperbolic cosine";
}

def AddOp : Weir_Arithmetic<"add", "a + b", "binary_add", [Commutative]> {
  let otherNames = ["plus"];
  let summary = "sum of two tensors";
}

def AsinOp : Weir_Real<"asin", "asin(a)"> {
  let summary = "arc sine";
}

def AsinhOp : Weir_Real<"asinh", "asinh(a)"> {
  let summary = "inverse hyperbolic sine";
}

def AtanOp : Weir_Real<"atan", "atan(a)"> {
  let summary = "arc tangent";
}

def AtanhOp : Weir_Real<"atanh", "atanh(a)"> {
  let summary = "inverse hyperbolic tangent";
}

def BitwiseAndOp : Weir_Bitwise<"bitwise_and", "bit_and(a, b)", [Commutative]> {
  let summary = "bits that are set in both; for i1, logical and";
}

def BitwiseNotOp : Weir_Unary<"bitwise_not", "-a - 1"> {
  let summary = "every bit inverted";
  let description = [{
    For i1 use `logical_not`.
  }];
  let typeSpec = "I->I";
}

def BitwiseOrOp : Weir_Bitwise<"bitwise_or", "bit_or(a, b)", [Commutative]> {
  let summary = "bits that are set in either; for i1, logical or";
}

def BitwiseXorOp : Weir_Bitwise<"bitwise_xor", "bit_xor(a, b)", [Commutative]> {
  let summary = "bits that differ; for i1, exclusive or";
}

def CastOp : Weir_Unary<"cast", "a"> {
  let otherNames = ["convert", "astype"];
  let summary = "conversion to another element type";
  let description = [{
    A float is truncated to an integer and clamped to the type's range; NaN
    becomes 0. Any number except 0 becomes true.
  }];
  let typeSpec = "S->@to";
  let attributes = (ins TypeAttr:$to);
  let kernels = [CPUReorder<>];
}

def CeilOp : Weir_Real<"ceil", "ceil(a)"> {
  let summary = "the smallest integer that is not smaller than the element";
}

def ClipOp : Weir_Unary<"clip", "min(max(a, min), max)", [
    DeclareOpInterfaceMethods<WeirOpInterface, ["getDoubt"]>]> {
  let otherNames = ["clamp"];
  let summary = "values limited to [min, max]";
  let description = [{
    For integers, limits of 2^53 or more are given by the ops `min` and `max`:
    the attributes do not hold all of them exactly.
  }];
  let precision = "Follow";
  let attributes = (ins
      Weir_Float<"-std::numeric_limits<double>::infinity()">:$min,
      Weir_Float<"std::numeric_limits<double>::infinity()">:$max);
  let hasVerifier = 1;
  let kernels = [FusingCPU<"eltwise", ["f32", "bf16"],
      ["algorithm=eltwise_clip", "alpha=min", "beta=max"]>];
  // The result shows where the gradient passes, so the input need not be kept.
  // That does not work for a limit that the type rounds.
  let gradient = [{
    bool isExact = isExactIn(getMin(), getResult()) &&
                   isExactIn(getMax(), getResult());
    mlir::Value y = isExact ? results[0] : operands[0];
    return {pooling::passGate(b, grads[0], y, [&](auto gradient, auto of) {
      return b.make<ClipGradientOp>({gradient, of},
                                    {b.real("min", b.attr("min")),
                                     b.real("max", b.attr("max"))});
    })};
  }];
}

def ClipGradientOp : Weir_Gate<"clip_gradient",
    "select(b > min, select(b < max, a, 0), 0)",
    ["algorithm=binary_clip_gradient", "alpha=min", "beta=max"]> {
  let summary = "gradient of clip: 0 where `y` is not within the limits";
  let description = [{
    `gradient` is that of the result of `clip`; `y` is its input or its result.
    At a limit the gradient is 0.
  }];
  let attributes = (ins
      Weir_Float<"-std::numeric_limits<double>::infinity()">:$min,
      Weir_Float<"std::numeric_limits<double>::infinity()">:$max);
}

def CosOp : Weir_Real<"cos", "cos(a)"> {
  let summary = "cosine";
}

def CoshOp : Weir_Real<"cosh", "cosh(a)"> {
  let summary = "hyperbolic cosine";
}

def DivOp : Weir_Arithmetic<"div", "a / b", "binary_div"> {
  let otherNames = ["divide", "true_divide"];
  let summary = "quotient of two tensors; truncated for integers";
  let description = [{
    An integer divided by zero gives 0. The least integer divided by -1 gives
    itself.
  }];
}

def EluOp : Weir_Real<"elu", "select(0 < a, a, alpha * expm1(a))"> {
  let summary = "exponential linear unit";
  let precision = "Follow";
  let attributes = (ins Weir_Float<"1.0">:$alpha);
}

def EqualOp : Weir_Comparison<"equal", "a == b", "binary_eq", [Commutative]> {
  let otherNames = ["eq"];
  let summary = "whether two elements are equal";
}

def ErfOp : Weir_Unary<"erf", "erf(a)"> {
  let summary = "Gauss error function";
  let typeSpec = "F->F";
}

def ExpOp : Weir_Eltwise<"exp", "exp(a)", ["algorithm=eltwise_exp"]> {
  let summary = "natural exponential";
  let precision = "Wide";
}

def FloorOp : Weir_Real<"floor", "floor(a)"> {
  let summary = "the largest integer that is not larger than the element";
}

def FmodOp : Weir_Binary<"fmod", "fmod(a, b)"> {
  let summary = "remainder with the sign of the first element";
  let description = [{
    Like fmod and % in C. For integers, the remainder of a division by zero is
    0.
  }];
}

def GreaterOp : Weir_Comparison<"greater", "a > b", "binary_gt"> {
  let otherNames = ["gt"];
  let summary = "whether the first element is larger";
}

def GreaterEqualOp : Weir_Comparison<"greater_equal", "a >= b", "binary_ge"> {
  let otherNames = ["ge"];
  let summary = "whether the first element is larger or equal";
  let description = [{
    False if either element is NaN.
  }];
}

def HardSigmoidOp : Weir_Eltwise<"hard_sigmoid",
    "min(max(alpha * a + beta, 0), 1)",
    ["algorithm=eltwise_hardsigmoid", "alpha=alpha", "beta=beta"]> {
  let summary = "alpha * x + beta, limited to [0, 1]";
  let attributes = (ins Weir_Float<"0.2">:$alpha, Weir_Float<"0.5">:$beta);
}

def HardSwishOp : Weir_Eltwise<"hard_swish",
    "a * min(max(a / 6 + 0.5, 0), 1)",
    ["algorithm=eltwise_hardswish", "alpha=0.16666666666666666", "beta=0.5"]> {
  let summary = "x * hard_sigmoid(x) with alpha = 1/6";
}

def IsInfOp : Weir_Unary<"is_inf", "abs(a) == inf"> {
  let summary = "whether an element is infinite, of either sign";
  let typeSpec = "F->i1";
}

def IsNanOp : Weir_Unary<"is_nan", "a != a"> {
  let summary = "whether an element is NaN";
  let typeSpec = "F->i1";
}

def LeakyReluOp : Weir_Eltwise<"leaky_relu", "select(a < 0, alpha * a, a)",
    ["algorithm=eltwise_relu", "alpha=alpha"]> {
  let summary = "rectified linear unit with a slope below zero";
  let attributes = (ins Weir_Float<"0.01">:$alpha);
}

def LessOp : Weir_Comparison<"less", "a < b", "binary_lt"> {
  let otherNames = ["lt"];
  let summary = "whether the first element is smaller";
}

def LessEqualOp : Weir_Comparison<"less_equal", "a <= b", "binary_le"> {
  let otherNames = ["le"];
  let summary = "whether the first element is smaller or equal";
  let description = [{
    False if either element is NaN.
  }];
}

def LogOp : Weir_Eltwise<"log", "log(a)", ["algorithm=eltwise_log"]> {
  let otherNames = ["ln"];
  let summary = "natural logarithm";
  let precision = "Wide";
}

def LogicalNotOp : Weir_Unary<"logical_not", "a == 0"> {
  let otherNames = ["not"];
  let summary = "negation of a boolean";
  let typeSpec = "i1->i1";
}

def MaxOp : Weir_Arithmetic<"max", "max(a, b)", "binary_max", [Commutative]> {
  let otherNames = ["maximum"];
  let summary = "the larger element; NaN if either is";
}

def MinOp : Weir_Arithmetic<"min", "min(a, b)", "binary_min", [Commutative]> {
  let otherNames = ["minimum"];
  let summary = "the smaller element; NaN if either is";
}

def ModOp : Weir_Binary<"mod", "mod(a, b)"> {
  let otherNames = ["remainder"];
  let summary = "remainder with the sign of the second element";
  let description = [{
    x - floor(x / y) * y, like mod in numpy and % in Python. For integers, the
    remainder of a division by zero is 0.
  }];
}

def MulOp : Weir_Arithmetic<"mul", "a * b", "binary_mul", [Commutative]> {
  let otherNames = ["multiply", "times"];
  let summary = "product of two tensors";
}

def NegOp : Weir_Unary<"neg", "-a"> {
  let otherNames = ["negative", "negate"];
  let summary = "negation";
  let precision = "Follow";
  let kernels = [FusingCPU<"eltwise", ["f32", "bf16"],
      ["algorithm=eltwise_linear", "alpha=-1", "beta=0"]>];
}

def NotEqualOp : Weir_Comparison<"not_equal", "a != b", "binary_ne",
                                 [Commutative]> {
  let otherNames = ["ne"];
  let summary = "whether two elements differ; NaN differs from everything";
}

def PowOp : Weir_Binary<"pow", "pow(a, b)"> {
  let summary = "the first element to the power of the second";
}

def PreluOp : Weir_Binary<"prelu", "select(a < 0, b * a, a)"> {
  let summary = "rectified linear unit whose slope below zero is an operand";
  let precision = "Follow";
  let typeSpec = "F,F->F";
}

def ReluOp : Weir_Eltwise<"relu", "max(a, 0)",
    ["algorithm=eltwise_relu", "alpha=0"]> {
  let summary = "rectified linear unit";
  let description = [{
    NaN stays NaN, except where a library kernel applies the op to its result:
    some of them give 0 for it.
  }];
  // The result shows where the gradient passes, so the input need not be kept.
  let gradient = [{
    return {pooling::passGate(b, grads[0], results[0], [&](auto gradient,
                                                           auto of) {
      return b.make<ReluGradientOp>({gradient, of});
    })};
  }];
}

def ReluGradientOp : Weir_Gate<"relu_gradient", "select(b > 0, a, 0)",
    ["algorithm=binary_relu_gradient"]> {
  let summary = "gradient of relu: 0 where `y` is not above 0";
  let description = [{
    `gradient` is that of the result of `relu`; `y` is its input or its result.
  }];
}

def RoundOp : Weir_Real<"round", "round(a)"> {
  let summary = "the nearest integer, ties to even";
  let kernels = [FusingCPU<"eltwise", ["f32"], ["algorithm=eltwise_round"]>];
}

def RsqrtOp : Weir_Eltwise<"rsqrt", "rsqrt(a)",
    ["algorithm=eltwise_pow", "alpha=1", "beta=-0.5"]> {
  let summary = "reciprocal square root";
  let precision = "Wide";
}

def ShiftLeftOp : Weir_Bitwise<"shift_left", "shift_left(a, b)"> {
  let summary = "bits shifted left by the number in the second operand";
  let description = [{
    A shift by less than 0 places, or by all places or more, gives 0.
  }];
  let typeSpec = "I,I->I";
}

def ShiftRightOp : Weir_Bitwise<"shift_right", "shift_right(a, b)"> {
  let summary = "bits shifted right by the number in the second operand";
  let description = [{
    The sign is shifted in, or 0 for unsigned elements. A shift by less than 0
    places, or by all places or more, gives only these bits.
  }];
  let typeSpec = "I,I->I";
}

def SigmoidOp : Weir_Eltwise<"sigmoid", "1 / (1 + exp(-a))",
    ["algorithm=eltwise_logistic"]> {
  let otherNames = ["logistic"];
  let summary = "logistic function";
  // The derivative of the expression itself would overflow far below zero.
  let gradient = [{
    return {b.pointwise("a * b * (1 - b)", {grads[0], results[0]})};
  }];
}

def SignOp : Weir_Unary<"sign", "select(0 < a, 1, select(a < 0, -1, a))"> {
  let summary =
      "1, -1 or 0 for positive, negative and zero elements; NaN for NaN";
  let precision = "Follow";
}

def SinOp : Weir_Real<"sin", "sin(a)"> {
  let summary = "sine";
}

def SinhOp : Weir_Real<"sinh", "sinh(a)"> {
  let summary = "hyperbolic sine";
}

def SoftplusOp : Weir_Real<"softplus", "max(a, 0) + log1p(exp(-abs(a)))"> {
  let summary = "log(1 + exp(x)), in a form that does not overflow";
  // The kinks of the parts at 0 cancel each other, so the derivative is smooth.
  let gradient = [{
    return {b.pointwise("a / (1 + exp(-b))", {grads[0], operands[0]})};
  }];
}

def SqrtOp : Weir_Eltwise<"sqrt", "sqrt(a)", ["algorithm=eltwise_sqrt"]> {
  let summary = "square root";
  let precision = "Wide";
}

def SubOp : Weir_Arithmetic<"sub", "a - b", "binary_sub"> {
  let otherNames = ["subtract", "minus"];
  let summary = "difference of two tensors";
}

def TanOp : Weir_Real<"tan", "tan(a)"> {
  let summary = "tangent";
}

def TanhOp : Weir_Eltwise<"tanh", "tanh(a)", ["algorithm=eltwise_tanh"]> {
  let summary = "hyperbolic tangent";
}

def WhereOp : Weir_Pointwise<"where", 3, "select(a, b, c)"> {
  let otherNames = ["select"];
  let summary =
      "elements of the second or third operand, chosen by a condition";
  let precision = "Follow";
  let typeSpec = "i1,T,T->T";
  let inputs = (ins Weir_Tensor:$condition, Weir_Tensor:$onTrue,
      Weir_Tensor:$onFalse);
}

//===----------------------------------------------------------------------===//
// Composite activations
//===----------------------------------------------------------------------===//

def GeluOp : Weir_Pointwise<"gelu", 1, ""> {
  let summary = "Gaussian error linear unit";
  let precision = "Follow";
  let description = [{
    x * Phi(x) with the exact error function (Hendrycks and Gimpel, 2016).
  }];
  let typeSpec = "F->F";
  let inputs = (ins Weir_Tensor:$input);
  let kernels = [FusingCPU<"eltwise", ["f32", "bf16"],
                           ["algorithm=eltwise_gelu_erf"]>];
  let body = [{
    auto x = b.value(operands[0]);
    return {x * (b.erf(x * 0.70710678118654752440) + 1.0) * 0.5};
  }];
}

def MishOp : Weir_Pointwise<"mish", 1, ""> {
  let summary = "x * tanh(softplus(x))";
  let precision = "Follow";
  let description = [{
    Misra, 2019: Mish: a self regularized non-monotonic activation function.
  }];
  let typeSpec = "F->F";
  let inputs = (ins Weir_Tensor:$input);
  let body = [{
    auto x = b.value(operands[0]);
    return {x * b.make<TanhOp>({b.make<SoftplusOp>({x})})};
  }];
}

def SiluOp : Weir_Pointwise<"silu", 1, ""> {
  let otherNames = ["swish"];
  let summary = "sigmoid linear unit, x * sigmoid(x)";
  let precision = "Follow";
  let typeSpec = "F->F";
  let inputs = (ins Weir_Tensor:$input);
  let kernels = [FusingCPU<"eltwise", ["f32", "bf16"],
                           ["algorithm=eltwise_swish", "alpha=1"]>];
  let body = [{
    auto x = b.value(operands[0]);
    return {x * b.sigmoid(x)};
  }];
}

#endif // WEIR_DIALECT_WEIR_IR_OPS_ELEMENTWISE_TD
