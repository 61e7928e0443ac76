//===- ScalarAlgebra.cpp - Derivatives of scalar expressions ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ScalarAlgebra.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace weir;
using Op = ScalarExpr::Op;
using Node = ScalarExpr::Node;

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

static bool isCommutative(Op op) {
  return op == Op::Add || op == Op::Mul || op == Op::Max || op == Op::Min ||
         op == Op::Equal || op == Op::NotEqual || op == Op::BitAnd ||
         op == Op::BitOr || op == Op::BitXor;
}

int ScalarAlgebra::add(Node node) {
  ScalarExpr::Args args = node.args;
  if (isCommutative(node.op) && args[1] < args[0])
    std::swap(args[0], args[1]);
  Key key = {node.op, args, node.operand, node.literal, node.name};
  auto [it, isNew] = numbers.try_emplace(key, static_cast<int>(nodes.size()));
  if (isNew)
    nodes.push_back(std::move(node));
  return it->second;
}

int ScalarAlgebra::literal(double value) {
  Node node;
  node.op = Op::Literal;
  // 0 and -0 are equal as keys, so -0 becomes 0.
  node.literal = value == 0 ? 0 : value;
  return add(std::move(node));
}

int ScalarAlgebra::operand(int position) {
  Node node;
  node.op = Op::Operand;
  node.operand = position;
  return add(std::move(node));
}

int ScalarAlgebra::index(std::string_view place) {
  Node node;
  node.op = Op::Index;
  node.name = place;
  return add(std::move(node));
}

int ScalarAlgebra::make(Op op, int first, int second, int third, int fourth) {
  ScalarExpr::Args args = {first, second, third, fourth};
  std::fill(args.begin() + numArgs(op), args.end(), -1);
  if (std::optional<double> value =
          evaluateStep(op, std::span(args).first(numArgs(op))))
    return literal(*value);
  if (std::optional<int> simple = simplify(op, args[0], args[1], args[2]))
    return *simple;
  Node node;
  node.op = op;
  node.args = args;
  return add(std::move(node));
}

int ScalarAlgebra::include(const ScalarExpr &expr,
                           std::span<const int> operands, const AttrMap &attrs,
                           const RenameFn &rename) {
  std::vector<double> attributes = bindAttributes(expr, attrs);
  std::vector<int> terms;
  for (size_t i = 0; i < expr.nodes().size(); ++i) {
    const Node &node = expr.nodes()[i];
    auto arg = [&](int which) {
      return node.args[which] < 0 ? -1 : terms[node.args[which]];
    };
    switch (node.op) {
    case Op::Operand:
      terms.push_back(operands[node.operand]);
      break;
    case Op::Index:
      terms.push_back(index(rename ? rename(node.name) : node.name));
      break;
    case Op::Attribute:
      terms.push_back(literal(attributes[i]));
      break;
    case Op::Literal:
      terms.push_back(literal(node.literal));
      break;
    default:
      terms.push_back(make(node.op, arg(0), arg(1), arg(2), arg(3)));
    }
  }
  return terms.back();
}

std::optional<double> ScalarAlgebra::literalOf(int term) const {
  if (nodes[term].op == Op::Literal)
    return nodes[term].literal;
  return std::nullopt;
}

bool ScalarAlgebra::isLiteral(int term, double value) const {
  return literalOf(term) == value;
}

//===----------------------------------------------------------------------===//
// Simplification
//===----------------------------------------------------------------------===//

/// The value of `op` for the arguments `args`. Nothing if an argument is not a
/// literal, or if the value is NaN.
std::optional<double>
ScalarAlgebra::evaluateStep(Op op, std::span<const int> args) const {
  if (!std::all_of(args.begin(), args.end(),
                   [&](int arg) { return literalOf(arg).has_value(); }))
    return std::nullopt;
  auto expr = ScalarExpr::parse(printStep(op, args, 0));
  std::vector<double> scratch(expr->nodes().size());
  const std::vector<double> noAttributes(expr->nodes().size());
  double value = evaluate<double>(*expr, {}, noAttributes, scratch);
  if (std::isnan(value))
    return std::nullopt;
  return value;
}

std::optional<int> ScalarAlgebra::simplifySum(Op op, int first, int second) {
  auto negated = [&](int term) {
    return nodes[term].op == Op::Neg ? nodes[term].args[0] : -1;
  };
  if (isLiteral(second, 0))
    return first;
  if (isLiteral(first, 0))
    return op == Op::Add ? second : make(Op::Neg, second);
  if (negated(second) >= 0)
    return make(op == Op::Add ? Op::Sub : Op::Add, first, negated(second));
  if (op == Op::Add && negated(first) >= 0)
    return make(Op::Sub, second, negated(first));
  if (op == Op::Add && first == second)
    return make(Op::Mul, literal(2), first);
  return std::nullopt;
}

std::optional<int> ScalarAlgebra::simplifyProduct(Op op, int first,
                                                  int second) {
  // The product of 0 and an infinite factor is 0 here, because a derivative of
  // 0 has no effect.
  if (isLiteral(first, 0) || (op == Op::Mul && isLiteral(second, 0)))
    return literal(0);
  if (isLiteral(second, 1))
    return first;
  if (op == Op::Mul && isLiteral(first, 1))
    return second;
  for (int term : {first, second})
    if (nodes[term].op == Op::Neg) {
      int inner = nodes[term].args[0];
      return make(Op::Neg, term == first ? make(op, inner, second)
                                         : make(op, first, inner));
    }
  if (isLiteral(second, -1))
    return make(Op::Neg, first);
  if (op == Op::Mul && isLiteral(first, -1))
    return make(Op::Neg, second);
  return std::nullopt;
}

std::optional<int> ScalarAlgebra::simplifyPower(int base, int exponent) {
  std::optional<double> number = literalOf(exponent);
  if (!number)
    return std::nullopt;
  if (*number == 0)
    return literal(1);
  if (*number == 1)
    return base;
  if (*number == 2)
    return make(Op::Mul, base, base);
  if (*number == 0.5)
    return make(Op::Sqrt, base);
  if (*number == -0.5)
    return make(Op::Rsqrt, base);
  if (*number == -1)
    return make(Op::Div, literal(1), base);
  return std::nullopt;
}

std::optional<int> ScalarAlgebra::simplifySelect(int condition, int first,
                                                 int second) {
  if (first == second)
    return first;
  if (std::optional<double> number = literalOf(condition))
    return *number != 0 ? first : second;
  return std::nullopt;
}

std::optional<int> ScalarAlgebra::simplify(Op op, int first, int second,
                                           int third) {
  switch (op) {
  case Op::Add:
  case Op::Sub:
    return simplifySum(op, first, second);
  case Op::Mul:
  case Op::Div:
    return simplifyProduct(op, first, second);
  case Op::Pow:
    return simplifyPower(first, second);
  case Op::Select:
    return simplifySelect(first, second, third);
  case Op::Neg:
    if (std::optional<double> number = literalOf(first))
      return literal(-*number);
    if (nodes[first].op == Op::Neg)
      return nodes[first].args[0];
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

/// The derivative of abs: `inner` with the sign of `x`, and 0 at 0.
int ScalarAlgebra::deriveAbsolute(int x, int inner) {
  const int zero = literal(0);
  return make(Op::Select, make(Op::Less, x, zero), make(Op::Neg, inner),
              make(Op::Select, make(Op::Less, zero, x), inner, zero));
}

/// The derivative of a function of one argument, times `inner`. `inner` is the
/// derivative of the argument.
int ScalarAlgebra::deriveUnary(int term, int inner) {
  const Op op = nodes[term].op;
  const int x = nodes[term].args[0];
  auto times = [&](int factor) { return make(Op::Mul, inner, factor); };
  auto over = [&](int divisor) { return make(Op::Div, inner, divisor); };
  // 1 + value^2 or 1 - value^2
  auto onePlusSquare = [&](Op sign, int value) {
    return make(sign, literal(1), make(Op::Mul, value, value));
  };
  auto squarePlus = [&](double offset) {
    return make(Op::Add, make(Op::Mul, x, x), literal(offset));
  };
  switch (op) {
  case Op::Neg:
    return make(Op::Neg, inner);
  case Op::Abs:
    return deriveAbsolute(x, inner);
  case Op::Exp:
  case Op::Expm1:
    return times(make(Op::Exp, x));
  case Op::Log:
    return over(x);
  case Op::Log1p:
    return over(make(Op::Add, literal(1), x));
  case Op::Sqrt:
    return over(make(Op::Mul, literal(2), term));
  case Op::Rsqrt:
    return times(make(Op::Mul, literal(-0.5),
                      make(Op::Mul, term, make(Op::Mul, term, term))));
  case Op::Erf:
    return times(make(Op::Mul, literal(2 * std::numbers::inv_sqrtpi),
                      make(Op::Exp, make(Op::Neg, make(Op::Mul, x, x)))));
  case Op::Sin:
    return times(make(Op::Cos, x));
  case Op::Cos:
    return times(make(Op::Neg, make(Op::Sin, x)));
  case Op::Tan:
    return times(onePlusSquare(Op::Add, term));
  case Op::Asin:
    return times(make(Op::Rsqrt, onePlusSquare(Op::Sub, x)));
  case Op::Acos:
    return make(Op::Neg, times(make(Op::Rsqrt, onePlusSquare(Op::Sub, x))));
  case Op::Atan:
    return over(onePlusSquare(Op::Add, x));
  case Op::Sinh:
    return times(make(Op::Cosh, x));
  case Op::Cosh:
    return times(make(Op::Sinh, x));
  case Op::Tanh:
    return times(onePlusSquare(Op::Sub, term));
  case Op::Asinh:
  case Op::Acosh:
    return times(make(Op::Rsqrt, squarePlus(op == Op::Asinh ? 1 : -1)));
  case Op::Atanh:
    return over(onePlusSquare(Op::Sub, x));
  default:
    // ceil, floor and round are step functions.
    return literal(0);
  }
}

/// The derivative of a function of two arguments. `left` and `right` are the
/// derivatives of the arguments.
int ScalarAlgebra::deriveBinary(int term, int left, int right) {
  const auto [op, x, y] =
      std::tuple(nodes[term].op, nodes[term].args[0], nodes[term].args[1]);
  auto mul = [&](int a, int b) { return make(Op::Mul, a, b); };
  switch (op) {
  case Op::Add:
  case Op::Sub:
    return make(op, left, right);
  case Op::Mul:
    return make(Op::Add, mul(left, y), mul(right, x));
  case Op::Div:
    return make(Op::Sub, make(Op::Div, left, y),
                make(Op::Div, mul(right, term), y));
  // The comparison of y with the result shows which argument was chosen, so x
  // is not needed.
  case Op::Max:
    return make(Op::Select, make(Op::Less, y, term), left, right);
  case Op::Min:
    return make(Op::Select, make(Op::Less, term, y), left, right);
  case Op::Pow: {
    int byBase = literal(0), byExponent = literal(0);
    if (!isLiteral(left, 0)) {
      int lower = make(Op::Pow, x, make(Op::Sub, y, literal(1)));
      if (std::optional<double> number = literalOf(y))
        lower = make(Op::Pow, x, literal(*number - 1));
      byBase = mul(left, mul(y, lower));
      // If y is 0, x^(y - 1) may be infinite, and y times infinity would be
      // NaN.
      if (!literalOf(y))
        byBase = make(Op::Select, make(Op::Equal, y, literal(0)), literal(0),
                      byBase);
    }
    if (!isLiteral(right, 0))
      byExponent = make(Op::Select, make(Op::Equal, x, literal(0)), literal(0),
                        mul(right, mul(term, make(Op::Log, x))));
    return make(Op::Add, byBase, byExponent);
  }
  // The remainder is x - y * s with a step function s. The value of s is (x -
  // remainder) / y.
  case Op::Mod:
  case Op::Fmod:
    return make(Op::Sub, left,
                mul(right, make(Op::Div, make(Op::Sub, x, term), y)));
  default:
    // Comparisons and functions of bits have the derivative 0.
    return literal(0);
  }
}

int ScalarAlgebra::deriveStep(int term, const std::vector<int> &derivatives) {
  const Node node = nodes[term];
  if (node.op == Op::Select)
    return make(Op::Select, node.args[0], derivatives[node.args[1]],
                derivatives[node.args[2]]);
  if (numArgs(node.op) == 2)
    return isLiteral(derivatives[node.args[0]], 0) &&
                   isLiteral(derivatives[node.args[1]], 0)
               ? literal(0)
               : deriveBinary(term, derivatives[node.args[0]],
                              derivatives[node.args[1]]);
  if (numArgs(node.op) == 1 && !isLiteral(derivatives[node.args[0]], 0))
    return deriveUnary(term, derivatives[node.args[0]]);
  return literal(0);
}

/// The terms inside of `term`, and `term` itself. Arguments come before the
/// terms that contain them.
std::vector<int> ScalarAlgebra::termsOf(int term) const {
  std::vector<bool> isInside(nodes.size(), false);
  isInside[term] = true;
  // An argument has a smaller number than the term that contains it.
  for (int i = term; i >= 0; --i)
    if (isInside[i])
      for (int arg : nodes[i].args)
        if (arg >= 0)
          isInside[arg] = true;
  std::vector<int> terms;
  for (int i = 0; i <= term; ++i)
    if (isInside[i])
      terms.push_back(i);
  return terms;
}

int ScalarAlgebra::differentiate(int term, int position, int seed) {
  std::vector<int> derivatives(static_cast<size_t>(term) + 1, -1);
  for (int inside : termsOf(term)) {
    bool isSought =
        nodes[inside].op == Op::Operand && nodes[inside].operand == position;
    derivatives[inside] = isSought ? seed : deriveStep(inside, derivatives);
  }
  return derivatives[term];
}

/// Calls `find` for each term inside of `term`. If it returns a term, that term
/// replaces the one inside.
template <typename Fn> int ScalarAlgebra::rewrite(int term, const Fn &find) {
  std::vector<int> rewritten(static_cast<size_t>(term) + 1, -1);
  for (int inside : termsOf(term)) {
    const Node node = nodes[inside];
    auto arg = [&](int which) {
      return node.args[which] < 0 ? -1 : rewritten[node.args[which]];
    };
    if (std::optional<int> other = find(inside))
      rewritten[inside] = *other;
    else if (numArgs(node.op) == 0)
      rewritten[inside] = inside;
    else
      rewritten[inside] = make(node.op, arg(0), arg(1), arg(2), arg(3));
  }
  return rewritten[term];
}

int ScalarAlgebra::replace(int term, int from, int to) {
  return rewrite(term, [&](int inside) {
    return inside == from ? std::optional<int>(to) : std::nullopt;
  });
}

int ScalarAlgebra::renumber(int term, std::span<const int> positions) {
  return rewrite(term, [&](int inside) {
    const Node &node = nodes[inside];
    return node.op == Op::Operand
               ? std::optional<int>(operand(positions[node.operand]))
               : std::nullopt;
  });
}

std::vector<int> ScalarAlgebra::operandsOf(int term) const {
  std::vector<int> positions;
  for (int inside : termsOf(term))
    if (nodes[inside].op == Op::Operand)
      positions.push_back(nodes[inside].operand);
  std::sort(positions.begin(), positions.end());
  return positions;
}

int64_t ScalarAlgebra::countSteps(int term) const {
  constexpr int64_t most = 1000000;
  std::vector<int64_t> counts(static_cast<size_t>(term) + 1, 0);
  // Arguments have smaller numbers than the terms that read them.
  for (int i = 0; i <= term; ++i) {
    const Node &node = nodes[i];
    const int count = numArgs(node.op);
    counts[i] = count != 0;
    for (int arg : std::span(node.args).first(count))
      counts[i] = std::min(counts[i] + counts[arg], most + 1);
  }
  return counts[term];
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

bool weir::isSameFormula(const ScalarExpr &left, const AttrMap &leftAttrs,
                         const ScalarExpr &right, const AttrMap &rightAttrs) {
  ScalarAlgebra algebra;
  std::vector<int> operands;
  for (int i = 0; i < ScalarExpr::maxOperands; ++i)
    operands.push_back(algebra.operand(i));
  return algebra.include(left, operands, leftAttrs) ==
         algebra.include(right, operands, rightAttrs);
}

bool weir::isFormula(const ScalarExpr &expr, std::string_view text) {
  return isSameFormula(expr, {}, *ScalarExpr::parse(text), {});
}
