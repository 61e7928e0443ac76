//===- Elementwise.cpp - ONNX ops that work element by element -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Support/TensorProto.h"

#include "llvm/ADT/StringRef.h"
#include <fmt/format.h>

#include <cmath>

using namespace weir;
using namespace weir::onnx;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Imports a node with any number of inputs, which are combined pair by pair.
template <typename OpTy> static Results importChain(NodeBuilder &node) {
  llvm::SmallVector<Tensor> inputs = node.allInputs();
  if (inputs.empty())
    return {node.in(0)};
  Tensor result = inputs.front();
  for (Tensor next : llvm::drop_begin(inputs))
    result = node.make<OpTy>({result, next});
  return {result};
}

/// The sum of all inputs, in f32 if they are in f16 or bf16.
static Tensor sumWide(NodeBuilder &node) {
  Tensor sum = node.widened(node.in(0));
  for (size_t i = 1; i < node.numInputs(); ++i)
    sum = sum + node.widened(node.in(i));
  return sum;
}

static Results importSum(NodeBuilder &node) {
  if (node.numInputs() < 3)
    return importChain<AddOp>(node);
  return {node.cast(sumWide(node), node.in(0).elementType())};
}

static Results importMean(NodeBuilder &node) {
  auto count = static_cast<double>(node.numInputs());
  return {node.cast(sumWide(node) / count, node.in(0).elementType())};
}

static Results importReciprocal(NodeBuilder &node) {
  Tensor x = node.in(0);
  return {node.scalar(1, x.elementType()) / x};
}

/// The second input. In opsets 1 to 6, it must have the shape of the first
/// input, unless the node asks to broadcast. With broadcasting, its dims may be
/// only some consecutive dims of the first input. These begin at `axis`, or end
/// at the last dim.
static Tensor secondInput(NodeBuilder &node) {
  Tensor x = node.in(0), y = node.in(1);
  if (node.opset() >= 7 || !node.isOk())
    return y;
  bool broadcasts = node.intAttr("broadcast", 0) != 0;
  int64_t axis = node.intAttr("axis", x.rank() - y.rank());
  axis += axis < 0 ? x.rank() : 0;
  if (x.shape() == y.shape())
    return y;
  if (broadcasts && y.numElements() == 1)
    return node.reshape(y, {});
  bool fits = broadcasts && axis >= 0 && axis + y.rank() <= x.rank();
  for (int64_t i = 0; fits && i < y.rank(); ++i)
    fits = y.dim(i) == x.dim(axis + i) || y.dim(i) == 1;
  if (!fits) {
    node.fail("expects {} of the shape of input 0, or with attribute "
              "'broadcast' of a part of it from attribute 'axis' on; found {} "
              "and {}",
              node.inputName(1), node.describeInput(0), node.describeInput(1));
    return {};
  }
  Ints shape(y.shape());
  shape.append(x.rank() - axis - y.rank(), 1);
  return node.reshape(y, shape);
}

template <typename OpTy> static Results importBinary(NodeBuilder &node) {
  Tensor y = secondInput(node);
  return {node.make<OpTy>({node.in(0), y})};
}

/// Pow: the result has the type of the base, whatever type the exponent has.
static Results importPow(NodeBuilder &node) {
  Tensor base = node.in(0), exponent = secondInput(node);
  if (!base || base.elementType() == exponent.elementType())
    return {node.make<PowOp>({base, exponent})};
  if (base.isFloat())
    return {node.make<PowOp>({base, node.cast(exponent, base.elementType())})};
  mlir::Type wide = node.getBuilder().getF64Type();
  Tensor power =
      node.make<PowOp>({node.cast(base, wide), node.cast(exponent, wide)});
  return {node.cast(power, base.elementType())};
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static Tensor clip(NodeBuilder &node, Tensor x, double least, double most) {
  return node.make<ClipOp>({x},
                           {node.attr("min", least), node.attr("max", most)});
}

static Results importRelu(NodeBuilder &node) {
  Tensor x = node.in(0);
  if (x.isFloat())
    return {node.make<ReluOp>({x})};
  return {node.make<MaxOp>({x, node.scalar(0, x.elementType())})};
}

template <typename OpTy>
static Tensor makeWithAlpha(NodeBuilder &node, Tensor x, double alpha) {
  return node.make<OpTy>({x}, {node.attr("alpha", alpha)});
}

static Results importLeakyRelu(NodeBuilder &node) {
  double alpha = node.floatAttr("alpha", 0.01);
  return {makeWithAlpha<LeakyReluOp>(node, node.in(0), alpha)};
}

static Results importElu(NodeBuilder &node) {
  double alpha = node.floatAttr("alpha", 1.0);
  return {makeWithAlpha<EluOp>(node, node.in(0), alpha)};
}

static Results importSelu(NodeBuilder &node) {
  double alpha = node.floatAttr("alpha", 1.67326319217681884765625);
  double gamma = node.floatAttr("gamma", 1.05070102214813232421875);
  Tensor x = node.in(0);
  Tensor y = makeWithAlpha<EluOp>(node, node.widened(x), alpha) * gamma;
  return {node.cast(y, x.elementType())};
}

/// Celu: max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).
static Results importCelu(NodeBuilder &node) {
  double alpha = node.floatAttr("alpha", 1.0);
  Tensor x = node.in(0), wide = node.widened(x);
  Tensor y = makeWithAlpha<EluOp>(node, wide / alpha, 1.0) * alpha;
  return {node.cast(y, x.elementType())};
}

static Results importThresholdedRelu(NodeBuilder &node) {
  Tensor x = node.in(0);
  mlir::Type type = x.elementType();
  Tensor alpha = node.scalar(node.floatAttr("alpha", 1.0), type);
  Tensor isAbove = node.make<GreaterOp>({x, alpha});
  return {node.make<WhereOp>({isAbove, x, node.scalar(0, type)})};
}

static Results importShrink(NodeBuilder &node) {
  Tensor x = node.in(0);
  mlir::Type type = x.elementType();
  double bias = node.floatAttr("bias", 0.0);
  double lambda = node.floatAttr("lambd", 0.5);
  // For integers, the bounds are rounded to integers.
  double least = x.isFloat() ? -lambda : std::ceil(-lambda);
  double most = x.isFloat() ? lambda : std::floor(lambda);
  Tensor isBelow = node.make<LessOp>({x, node.scalar(least, type)});
  Tensor isAbove = node.make<GreaterOp>({x, node.scalar(most, type)});
  Tensor above = node.make<WhereOp>({isAbove, x - bias, node.scalar(0, type)});
  return {node.make<WhereOp>({isBelow, x + bias, above})};
}

static Results importSoftsign(NodeBuilder &node) {
  Tensor given = node.in(0), x = node.widened(given);
  return {node.cast(x / (node.make<AbsOp>({x}) + 1.0), given.elementType())};
}

static Results importGelu(NodeBuilder &node) {
  Tensor x = node.in(0);
  std::string_view form = node.textAttr("approximate", "none");
  if (form == "none")
    return {node.make<GeluOp>({x})};
  if (form != "tanh")
    node.fail("attribute 'approximate' is '{}', expected none or tanh", form);
  constexpr double rootOfTwoOverPi = 0.79788456080286535588;
  Tensor wide = node.widened(x);
  Tensor inner = (wide + wide * wide * wide * 0.044715) * rootOfTwoOverPi;
  Tensor y = wide * 0.5 * (node.make<TanhOp>({inner}) + 1.0);
  return {node.cast(y, x.elementType())};
}

/// Swish: x * sigmoid(alpha * x).
static Tensor swish(NodeBuilder &node) {
  Tensor x = node.in(0);
  double alpha = node.floatAttr("alpha", 1);
  if (alpha == 1)
    return node.make<SiluOp>({x});
  return x * node.make<SigmoidOp>({x * alpha});
}

static Results importSwish(NodeBuilder &node) { return {swish(node)}; }

static Results importSwiGLU(NodeBuilder &node) {
  Tensor gate = node.in(0), linear = node.in(1);
  if (gate.shape() != linear.shape())
    node.fail("expects a gate and a value of one shape, found {} and {}",
              node.describeInput(0), node.describeInput(1));
  return {swish(node) * linear};
}

static Results importHardSigmoid(NodeBuilder &node) {
  double alpha = node.floatAttr("alpha", 0.2);
  double beta = node.floatAttr("beta", 0.5);
  return {node.make<HardSigmoidOp>(
      {node.in(0)}, {node.attr("alpha", alpha), node.attr("beta", beta)})};
}

/// PRelu: in opsets 1 to 6, there is one slope for all channels, or one for
/// each.
static Results importPRelu(NodeBuilder &node) {
  Tensor x = node.in(0), slope = node.in(1);
  if (node.opset() < 7 && slope.numElements() == 1)
    slope = node.reshape(slope, {});
  else if (node.opset() < 7)
    slope = node.alongChannels(slope, x.rank());
  if (x.isFloat())
    return {node.make<PreluOp>({x, slope})};
  Tensor isBelow = node.make<LessOp>({x, node.scalar(0, x.elementType())});
  return {node.make<WhereOp>({isBelow, x * slope, x})};
}

/// Clip before opset 11, with bounds as attributes.
static Results importClip6(NodeBuilder &node) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double least = node.floatAttr("min", -infinity);
  double most = node.floatAttr("max", infinity);
  return {clip(node, node.in(0), least, most)};
}

/// Clip since opset 11, with bounds as inputs, which may be left out.
static Results importClip11(NodeBuilder &node) {
  Tensor x = node.in(0), least = node.optional(1), most = node.optional(2);
  auto isKnown = [&](Tensor bound) {
    return !bound || mlir::Value(bound).getDefiningOp<ConstantOp>();
  };
  if (x.isFloat() && isKnown(least) && isKnown(most) &&
      least.numElements() == 1 && most.numElements() == 1) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {clip(node, x, least ? node.knownFloats(1)[0] : -infinity,
                 most ? node.knownFloats(2)[0] : infinity)};
  }
  if (least)
    x = node.make<MaxOp>({x, least});
  if (most)
    x = node.make<MinOp>({x, most});
  return {x};
}

//===----------------------------------------------------------------------===//
// Comparisons and truth values
//===----------------------------------------------------------------------===//

/// The remainder of floats with the sign of the divisor. A remainder of 0 has
/// that sign, too. The divisor may be infinite.
static Tensor floorMod(NodeBuilder &node, Tensor x, Tensor y) {
  mlir::Type type = x.elementType();
  Tensor zero = node.scalar(0, type);
  Tensor rest = node.make<FmodOp>({x, y});
  Tensor isBelow = node.make<LessOp>({y, zero});
  Tensor differs =
      node.make<NotEqualOp>({node.make<LessOp>({rest, zero}), isBelow});
  Tensor signedZero =
      node.make<WhereOp>({isBelow, node.scalar(-0.0, type), zero});
  Tensor moved = node.make<WhereOp>({differs, rest + y, rest});
  return node.make<WhereOp>(
      {node.make<EqualOp>({rest, zero}), signedZero, moved});
}

static Results importMod(NodeBuilder &node) {
  Tensor x = node.in(0), y = node.in(1);
  if (node.intAttr("fmod", 0) != 0)
    return {node.make<FmodOp>({x, y})};
  if (!x.isFloat())
    return {node.make<ModOp>({x, y})};
  if (node.opset() < 28)
    node.fail("expects integers, or attribute 'fmod', before opset 28");
  return {floorMod(node, x, y)};
}

static Results importBitShift(NodeBuilder &node) {
  Tensor x = node.in(0), places = node.in(1);
  std::string_view direction = node.textAttr("direction", "");
  if (direction == "LEFT")
    return {node.make<ShiftLeftOp>({x, places})};
  if (direction != "RIGHT")
    node.fail("attribute 'direction' is '{}', expected LEFT or RIGHT",
              direction);
  return {node.make<ShiftRightOp>({x, places})};
}

static Results importIsInf(NodeBuilder &node) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Tensor x = node.in(0);
  bool isPositive = node.intAttr("detect_positive", 1);
  bool isNegative = node.intAttr("detect_negative", 1);
  if (isPositive && isNegative)
    x = node.make<AbsOp>({x});
  Tensor limit =
      node.scalar(isPositive ? infinity : -infinity, x.elementType());
  if (isPositive || isNegative)
    return {node.make<EqualOp>({x, limit})};
  return {node.full(x.shape(), 0, node.i1())};
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// Accepts attributes that only apply to floats of eight bits or fewer.
static void ignoreSmallFloats(NodeBuilder &node) {
  node.ignoreAttr("saturate");
  node.ignoreAttr("round_mode");
}

/// Lists the element types to which a node may cast. Since opset 6, each has
/// its number in ONNX and its name. Before, each has only its name.
static std::string listTypes(const NodeBuilder &node) {
  std::string list;
  for (int64_t type = 0; onnxTypeName(type) != "unknown"; ++type)
    if (fromONNXType(type)) {
      const std::string name(onnxTypeName(type));
      list += list.empty() ? "" : ", ";
      list += node.opset() < 6 ? llvm::StringRef(name).upper()
                               : fmt::format("{} ({})", type, name);
    }
  return list;
}

/// Checks that the node has the attribute 'to', the type to which it casts.
static bool checkTo(NodeBuilder &node) {
  if (!node.hasAttr("to"))
    node.fail("it lacks attribute 'to', the element type of the result; give "
              "it one of {}",
              listTypes(node));
  return node.isOk();
}

static Results importCast(NodeBuilder &node) {
  ignoreSmallFloats(node);
  if (!checkTo(node))
    return {};
  Tensor x = node.in(0);
  mlir::Type type = node.elementType(node.intAttr("to", 0));
  return {node.cast(x, type)};
}

/// Cast before opset 6, which names the type.
static Results importCast1(NodeBuilder &node) {
  if (!checkTo(node))
    return {};
  const std::string_view word = node.textAttr("to", "");
  std::string name = llvm::StringRef(word).lower();
  int64_t type = 1;
  while (onnxTypeName(type) != name && onnxTypeName(type) != "unknown")
    ++type;
  if (onnxTypeName(type) == "unknown")
    node.fail("attribute 'to' is '{}', expected one of {}", word,
              listTypes(node));
  if (!node.isOk())
    return {};
  return {node.cast(node.in(0), node.elementType(type))};
}

static Results importCastLike(NodeBuilder &node) {
  ignoreSmallFloats(node);
  Tensor x = node.in(0), like = node.in(1);
  return {like ? node.cast(x, like.elementType()) : x};
}

static Results importIdentity(NodeBuilder &node) {
  // Identity takes sequences since opset 14.
  if (node.opset() >= 14 && node.hasSequence(0))
    return {node.makeSequence(node.sequence(0))};
  return {node.in(0)};
}

static const HandlerRow rows[] = {
    {"Abs", 1, importAs<AbsOp>},
    {"Acos", 7, importAs<AcosOp>},
    {"Acosh", 9, importAs<AcoshOp>},
    {"Add", 1, importBinary<AddOp>},
    {"And", 1, importBinary<BitwiseAndOp>},
    {"Asin", 7, importAs<AsinOp>},
    {"Asinh", 9, importAs<AsinhOp>},
    {"Atan", 7, importAs<AtanOp>},
    {"Atanh", 9, importAs<AtanhOp>},
    {"BitShift", 11, importBitShift},
    {"BitwiseAnd", 18, importAs<BitwiseAndOp>},
    {"BitwiseNot", 18, importAs<BitwiseNotOp>},
    {"BitwiseOr", 18, importAs<BitwiseOrOp>},
    {"BitwiseXor", 18, importAs<BitwiseXorOp>},
    {"Cast", 1, importCast1, 5},
    {"Cast", 6, importCast},
    {"CastLike", 15, importCastLike},
    {"Ceil", 1, importAs<CeilOp>},
    {"Celu", 12, importCelu},
    {"Clip", 1, importClip6, 10},
    {"Clip", 11, importClip11},
    {"Cos", 7, importAs<CosOp>},
    {"Cosh", 9, importAs<CoshOp>},
    {"Div", 1, importBinary<DivOp>},
    {"Elu", 1, importElu},
    {"Equal", 1, importBinary<EqualOp>},
    {"Erf", 9, importAs<ErfOp>},
    {"Exp", 1, importAs<ExpOp>},
    {"Floor", 1, importAs<FloorOp>},
    {"Gelu", 20, importGelu},
    {"Greater", 1, importBinary<GreaterOp>},
    {"GreaterOrEqual", 12, importAs<GreaterEqualOp>},
    {"HardSigmoid", 1, importHardSigmoid},
    {"HardSwish", 14, importAs<HardSwishOp>},
    {"Identity", 1, importIdentity},
    {"IsInf", 10, importIsInf},
    {"IsNaN", 9, importAs<IsNanOp>},
    {"LeakyRelu", 1, importLeakyRelu},
    {"Less", 1, importBinary<LessOp>},
    {"LessOrEqual", 12, importAs<LessEqualOp>},
    {"Log", 1, importAs<LogOp>},
    {"Max", 1, importChain<MaxOp>},
    {"Mean", 1, importMean},
    {"Min", 1, importChain<MinOp>},
    {"Mish", 18, importAs<MishOp>},
    {"Mod", 10, importMod},
    {"Mul", 1, importBinary<MulOp>},
    {"Neg", 1, importAs<NegOp>},
    {"Not", 1, importAs<LogicalNotOp>},
    {"Or", 1, importBinary<BitwiseOrOp>},
    {"PRelu", 1, importPRelu},
    {"Pow", 1, importPow},
    {"Reciprocal", 1, importReciprocal},
    {"Relu", 1, importRelu},
    {"Round", 11, importAs<RoundOp>},
    {"Selu", 1, importSelu},
    {"Shrink", 9, importShrink},
    {"Sigmoid", 1, importAs<SigmoidOp>},
    {"Sign", 9, importAs<SignOp>},
    {"Sin", 7, importAs<SinOp>},
    {"Sinh", 9, importAs<SinhOp>},
    {"Softplus", 1, importAs<SoftplusOp>},
    {"Softsign", 1, importSoftsign},
    {"Sqrt", 1, importAs<SqrtOp>},
    {"Sub", 1, importBinary<SubOp>},
    {"Sum", 1, importSum},
    {"SwiGLU", 28, importSwiGLU},
    {"Swish", 24, importSwish},
    {"Tan", 7, importAs<TanOp>},
    {"Tanh", 1, importAs<TanhOp>},
    {"ThresholdedRelu", 10, importThresholdedRelu},
    {"Where", 9, importAs<WhereOp>},
    {"Xor", 1, importBinary<BitwiseXorOp>},
};

HandlerRows onnx::elementwiseRows() { return rows; }
