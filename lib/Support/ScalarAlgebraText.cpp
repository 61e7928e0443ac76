//===- ScalarAlgebraText.cpp - Scalar expressions as text -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ScalarAlgebra.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace weir;
using Op = ScalarExpr::Op;
using Node = ScalarExpr::Node;

namespace {
/// How an operator is written. A larger precedence binds more tightly.
struct Operator {
  Op op;
  std::string_view spelling;
  int precedence;
};
constexpr Operator operators[] = {
    {Op::Equal, " == ", 1},     {Op::NotEqual, " != ", 1}, {Op::Less, " < ", 1},
    {Op::LessEqual, " <= ", 1}, {Op::Add, " + ", 2},       {Op::Sub, " - ", 2},
    {Op::Mul, " * ", 3},        {Op::Div, " / ", 3},
};
constexpr int unaryPrecedence = 4;
} // namespace

static std::string printNumber(double value) {
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  return fmt::format("{}", value);
}

static std::string enclose(std::string text, bool isEnclosed) {
  return isEnclosed ? fmt::format("({})", text) : text;
}

/// The text of `op` with `args`. Where the text is put, operators must bind at
/// least as tightly as `precedence`.
std::string ScalarAlgebra::printStep(Op op, std::span<const int> args,
                                     int precedence) const {
  if (op == Op::Neg)
    return enclose(fmt::format("-{}", print(args[0], unaryPrecedence)),
                   unaryPrecedence < precedence);
  for (const Operator &known : operators)
    if (known.op == op) {
      // A comparison must not be an argument of a comparison. All other
      // operators are left-associative.
      int left = known.precedence + (known.precedence == 1);
      return enclose(fmt::format("{}{}{}", print(args[0], left), known.spelling,
                                 print(args[1], known.precedence + 1)),
                     known.precedence < precedence);
    }
  std::string text(getFunctionName(op));
  for (size_t i = 0; i < args.size(); ++i)
    text += (i == 0 ? "(" : ", ") + print(args[i], 0);
  text += ")";
  return text;
}

std::string ScalarAlgebra::print(int term, int precedence) const {
  const Node &node = nodes[term];
  switch (node.op) {
  case Op::Operand:
    return std::string(1, static_cast<char>('a' + node.operand));
  case Op::Index:
    return fmt::format("index({})", node.name);
  case Op::Attribute:
    return node.name;
  case Op::Literal:
    return enclose(printNumber(node.literal),
                   std::signbit(node.literal) && unaryPrecedence < precedence);
  default:
    return printStep(node.op, std::span(node.args).first(numArgs(node.op)),
                     precedence);
  }
}

std::string ScalarAlgebra::toText(int term) const { return print(term, 0); }
