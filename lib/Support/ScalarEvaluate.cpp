//===- ScalarEvaluate.cpp - The values of scalar expressions ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ScalarExpr.h"

#include "weir/Support/Arithmetic.h"
#include "weir/Support/Philox.h"
#include "weir/Support/ScalarStep.h"

#include <cmath>
#include <type_traits>

using namespace weir;
using Op = ScalarExpr::Op;
using Node = ScalarExpr::Node;

namespace {
/// `left / right`. The quotient of integers is truncated. If C++ does not
/// define the result, it is zero or wraps.
template <typename T> T divide(T left, T right) {
  if constexpr (std::is_integral_v<T>) {
    if (right == 0)
      return 0;
    if (std::is_signed_v<T> && right == static_cast<T>(-1))
      return wrappingSub<T>(0, left);
  }
  return left / right;
}

template <typename T> T power(T base, T exponent) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(base, exponent);
  } else {
    if constexpr (std::is_signed_v<T>)
      if (exponent < 0)
        return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    uint64_t result = 1, factor = static_cast<uint64_t>(base);
    for (; exponent; exponent >>= 1, factor *= factor)
      if (exponent & 1)
        result *= factor;
    return static_cast<T>(result);
  }
}

/// The remainder of a division. The quotient is rounded down if `floors`, and
/// otherwise truncated. The remainder of an integer by zero is zero.
template <typename T> T remainder(T left, T right, bool floors) {
  T rest;
  if constexpr (std::is_floating_point_v<T>)
    rest = std::fmod(left, right);
  else
    rest = right == 0 || (std::is_signed_v<T> && right == static_cast<T>(-1))
               ? 0
               : left % right;
  bool isOtherSide =
      std::is_signed_v<T> && rest != 0 && (rest < 0) != (right < 0);
  return floors && isOtherSide ? rest + right : rest;
}

/// Functions of bits. A double must be converted to an integer first.
template <typename T> T applyBits(Op op, T x, T y) {
  bool isFar = y < 0 || y > 63;
  switch (op) {
  case Op::BitAnd:
    return x & y;
  case Op::BitOr:
    return x | y;
  case Op::BitXor:
    return x ^ y;
  case Op::ShiftLeft:
    return isFar ? 0 : static_cast<T>(static_cast<uint64_t>(x) << y);
  default:
    if (isFar && std::is_unsigned_v<T>)
      return 0;
    return x >> (isFar ? 63 : y);
  }
}

/// Functions of real numbers.
double applyReal(Op op, double x) {
  switch (op) {
  case Op::Exp:
    return std::exp(x);
  case Op::Expm1:
    return std::expm1(x);
  case Op::Log:
    return std::log(x);
  case Op::Log1p:
    return std::log1p(x);
  case Op::Sqrt:
    return std::sqrt(x);
  case Op::Rsqrt:
    return 1.0 / std::sqrt(x);
  case Op::Erf:
    return std::erf(x);
  case Op::Sin:
    return std::sin(x);
  case Op::Cos:
    return std::cos(x);
  case Op::Tan:
    return std::tan(x);
  case Op::Asin:
    return std::asin(x);
  case Op::Acos:
    return std::acos(x);
  case Op::Atan:
    return std::atan(x);
  case Op::Sinh:
    return std::sinh(x);
  case Op::Cosh:
    return std::cosh(x);
  case Op::Tanh:
    return std::tanh(x);
  case Op::Asinh:
    return std::asinh(x);
  case Op::Acosh:
    return std::acosh(x);
  case Op::Atanh:
    return std::atanh(x);
  case Op::Ceil:
    return std::ceil(x);
  case Op::Floor:
    return std::floor(x);
  default:
    return std::nearbyint(x);
  }
}

template <typename T> T applyUnary(Op op, T x) {
  switch (op) {
  case Op::Neg:
    return static_cast<T>(-static_cast<Wrapping<T>>(x));
  case Op::Abs:
    if constexpr (std::is_floating_point_v<T>)
      return std::abs(x);
    else
      return x < 0 ? applyUnary(Op::Neg, x) : x;
  default:
    return fromDouble<T>(applyReal(op, static_cast<double>(x)));
  }
}

template <typename T> T applyBinary(Op op, T x, T y) {
  switch (op) {
  case Op::Add:
    return wrappingAdd(x, y);
  case Op::Sub:
    return wrappingSub(x, y);
  case Op::Mul:
    return wrappingMul(x, y);
  case Op::Div:
    return divide(x, y);
  case Op::Max:
    return larger(x, y);
  case Op::Min:
    return smaller(x, y);
  case Op::Pow:
    return power(x, y);
  case Op::Mod:
  case Op::Fmod:
    return remainder(x, y, op == Op::Mod);
  case Op::BitAnd:
  case Op::BitOr:
  case Op::BitXor:
  case Op::ShiftLeft:
  case Op::ShiftRight:
    if constexpr (std::is_integral_v<T>)
      return applyBits(op, x, y);
    else
      return static_cast<T>(applyBits<int64_t>(op, fromDouble<int64_t>(x),
                                               fromDouble<int64_t>(y)));
  case Op::Equal:
    return x == y;
  case Op::NotEqual:
    return x != y;
  case Op::Less:
    return x < y;
  default:
    return x <= y;
  }
}
} // namespace

double weir::evaluateStep(Op op, double x, double y) {
  return numArgs(op) == 1 ? applyUnary(op, x) : applyBinary(op, x, y);
}

/// `value` as a signed integer. An unsigned integer keeps its bits.
template <typename T> static int64_t toBits(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return fromDouble<int64_t>(value);
  else
    return static_cast<int64_t>(value);
}

template <typename T>
T weir::evaluate(const ScalarExpr &expr, std::span<const T> operands,
                 std::span<const double> attributes, std::span<T> scratch) {
  const std::vector<Node> &nodes = expr.nodes();
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node &node = nodes[i];
    auto arg = [&](int position) { return scratch[node.args[position]]; };
    switch (node.op) {
    case Op::Operand:
    case Op::Index:
      scratch[i] = operands[node.operand];
      break;
    case Op::Attribute:
      scratch[i] = fromDouble<T>(attributes[i]);
      break;
    case Op::Literal:
      scratch[i] = fromDouble<T>(node.literal);
      break;
    case Op::Select:
      scratch[i] = arg(0) != 0 ? arg(1) : arg(2);
      break;
    case Op::Random:
      scratch[i] = static_cast<T>(drawBits(toBits(arg(0)), toBits(arg(1)),
                                           toBits(arg(2)), toBits(arg(3))));
      break;
    default:
      scratch[i] = numArgs(node.op) == 1 ? applyUnary(node.op, arg(0))
                                         : applyBinary(node.op, arg(0), arg(1));
    }
  }
  return scratch[nodes.size() - 1];
}

template double weir::evaluate<double>(const ScalarExpr &,
                                       std::span<const double>,
                                       std::span<const double>,
                                       std::span<double>);
template int64_t weir::evaluate<int64_t>(const ScalarExpr &,
                                         std::span<const int64_t>,
                                         std::span<const double>,
                                         std::span<int64_t>);

template uint64_t weir::evaluate<uint64_t>(const ScalarExpr &,
                                           std::span<const uint64_t>,
                                           std::span<const double>,
                                           std::span<uint64_t>);

std::vector<double> weir::bindAttributes(const ScalarExpr &expr,
                                         const AttrMap &attrs) {
  std::vector<double> values;
  for (const Node &node : expr.nodes())
    values.push_back(node.op == Op::Attribute ? attrs.floatOr(node.name, 0)
                                              : 0);
  return values;
}
