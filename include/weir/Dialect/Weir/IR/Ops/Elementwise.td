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

/// A unary op on floats that the library's element-wise kernel serves.
/// `algorithm` is the library's name, with alpha and beta where it has any.
class Weir_Eltwise<string mnemonic, string expression, list<string> algorithm>
    : Weir_Unary<mnemonic, expression> {
  let typeSpec = "F->F";
  let kernels = [FusingCPU<"eltwise", ["f32", "bf16"], algorithm>];
}

class Weir_Binary<string mnemonic, string expression, list<Trait> traits = []>
    : Weir_Pointwise<mnemonic, 2, expression, traits> {
  let inputs = (ins Weir_Tensor:$lhs, Weir_Tensor:$rhs);
}

class Weir_Arithmetic<string mnemonic, string expression, string algorithm,
                      list<Trait> traits = []>
    : Weir_Binary<mnemonic, expression, traits> {
  let kernels = [FusingCPU<"binary", ["f32", "bf16"],
                           ["algorithm=" # algorithm]>];
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
  let kernels = [FusingCPU<"eltwise", ["f32", "bf16"],
                           ["algorithm=eltwise_abs"]>];
}

def AddOp : Weir_Arithmetic<"add", "a + b", "binary_add", [Commutative]> {
  let summary = "sum of two tensors";
}

def CastOp : Weir_Unary<"cast", "a"> {
  let summary = "conversion to another element type";
  let description = [{
    A float becomes an integer by truncation, clamped to the type's range; NaN
    becomes 0. Anything but 0 becomes true.
  }];
  let typeSpec = "S->@to";
  let attributes = (ins TypeAttr:$to);
  let kernels = [CPUReorder<>];
}

def ClipOp : Weir_Unary<"clip", "min(max(a, min), max)"> {
  let summary = "values limited to [min, max]";
  let attributes = (ins
      Weir_Float<"-std::numeric_limits<double>::infinity()">:$min,
      Weir_Float<"std::numeric_limits<double>::infinity()">:$max);
  let kernels = [FusingCPU<"eltwise", ["f32", "bf16"],
      ["algorithm=eltwise_clip", "alpha=min", "beta=max"]>];
}

def DivOp : Weir_Arithmetic<"div", "a / b", "binary_div"> {
  let summary = "quotient of two tensors; of integers, truncated";
}

def EluOp : Weir_Eltwise<"elu", "select(0 < a, a, alpha * (exp(a) - 1))",
    ["algorithm=eltwise_elu", "alpha=alpha"]> {
  let summary = "exponential linear unit";
  let attributes = (ins Weir_Float<"1.0">:$alpha);
}

def EqualOp : Weir_Comparison<"equal", "a == b", "binary_eq", [Commutative]> {
  let summary = "whether two elements are equal";
}

def ErfOp : Weir_Unary<"erf", "erf(a)"> {
  let summary = "Gauss error function";
  let typeSpec = "F->F";
}

def ExpOp : Weir_Eltwise<"exp", "exp(a)", ["algorithm=eltwise_exp"]> {
  let summary = "natural exponential";
}

def GreaterOp : Weir_Comparison<"greater", "a > b", "binary_gt"> {
  let summary = "whether the first element is the larger one";
}

def LeakyReluOp : Weir_Eltwise<"leaky_relu", "select(a < 0, alpha * a, a)",
    ["algorithm=eltwise_relu", "alpha=alpha"]> {
  let summary = "rectified linear unit with a slope below zero";
  let attributes = (ins Weir_Float<"0.01">:$alpha);
}

def LessOp : Weir_Comparison<"less", "a < b", "binary_lt"> {
  let summary = "whether the first element is the smaller one";
}

def LogOp : Weir_Eltwise<"log", "log(a)", ["algorithm=eltwise_log"]> {
  let summary = "natural logarithm";
}

def MaxOp : Weir_Arithmetic<"max", "max(a, b)", "binary_max", [Commutative]> {
  let summary = "the larger element; NaN if either is";
}

def MinOp : Weir_Arithmetic<"min", "min(a, b)", "binary_min", [Commutative]> {
  let summary = "the smaller element; NaN if either is";
}

def MulOp : Weir_Arithmetic<"mul", "a * b", "binary_mul", [Commutative]> {
  let summary = "product of two tensors";
}

def NegOp : Weir_Unary<"neg", "-a"> {
  let summary = "negation";
  let kernels = [FusingCPU<"eltwise", ["f32", "bf16"],
      ["algorithm=eltwise_linear", "alpha=-1", "beta=0"]>];
}

def PowOp : Weir_Binary<"pow", "pow(a, b)"> {
  let summary = "the first element to the power of the second";
}

def ReluOp : Weir_Eltwise<"relu", "max(a, 0)",
    ["algorithm=eltwise_relu", "alpha=0"]> {
  let summary = "rectified linear unit";
}

def RsqrtOp : Weir_Eltwise<"rsqrt", "rsqrt(a)",
    ["algorithm=eltwise_pow", "alpha=1", "beta=-0.5"]> {
  let summary = "reciprocal square root";
}

def SigmoidOp : Weir_Eltwise<"sigmoid", "1 / (1 + exp(-a))",
    ["algorithm=eltwise_logistic"]> {
  let summary = "logistic function";
}

def SoftplusOp : Weir_Eltwise<"softplus",
    "max(a, 0) + log(1 + exp(-abs(a)))",
    ["algorithm=eltwise_soft_relu", "alpha=1"]> {
  let summary = "log(1 + exp(x)), in a form that does not overflow";
}

def SqrtOp : Weir_Eltwise<"sqrt", "sqrt(a)", ["algorithm=eltwise_sqrt"]> {
  let summary = "square root";
}

def SubOp : Weir_Arithmetic<"sub", "a - b", "binary_sub"> {
  let summary = "difference of two tensors";
}

def TanhOp : Weir_Eltwise<"tanh", "tanh(a)", ["algorithm=eltwise_tanh"]> {
  let summary = "hyperbolic tangent";
}

def WhereOp : Weir_Pointwise<"where", 3, "select(a, b, c)"> {
  let summary = "elements of the second or third operand by a condition";
  let typeSpec = "i1,T,T->T";
  let inputs = (ins Weir_Tensor:$condition, Weir_Tensor:$onTrue,
      Weir_Tensor:$onFalse);
}

//===----------------------------------------------------------------------===//
// Composite activations
//===----------------------------------------------------------------------===//

def GeluOp : Weir_Pointwise<"gelu", 1, ""> {
  let summary = "Gaussian error linear unit";
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
  let description = [{
    Misra, 2019: Mish: a self regularized non-monotonic activation function.
  }];
  let typeSpec = "F->F";
  let inputs = (ins Weir_Tensor:$input);
  let kernels = [FusingCPU<"eltwise", ["f32", "bf16"],
                           ["algorithm=eltwise_mish"]>];
  let body = [{
    auto x = b.value(operands[0]);
    return {x * b.make<TanhOp>({b.make<SoftplusOp>({x})})};
  }];
}

def SiluOp : Weir_Pointwise<"silu", 1, ""> {
  let summary = "sigmoid linear unit, x * sigmoid(x)";
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
