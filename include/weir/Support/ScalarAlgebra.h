//===- ScalarAlgebra.h - Derivatives of scalar expressions ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Scalar expressions as formulas: how they are written, when two are the same,
// and what their derivatives are. Derivatives are exact away from kinks. At a
// kink the result is one of the one-sided derivatives: that of the second
// argument of `max` and `min` if both are equal, 0 for `abs`.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_SCALARALGEBRA_H
#define WEIR_SUPPORT_SCALARALGEBRA_H

#include "weir/Support/ScalarExpr.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace weir {

/// Expressions over common operands. Equal terms are one term, and each new
/// term is simplified: 0 + x is x, select(c, x, x) is x. A term is identified
/// by a number.
class ScalarAlgebra {
public:
  using Op = ScalarExpr::Op;

  int literal(double value);
  int operand(int position);
  /// The position along the loop that `place` names.
  int index(std::string_view place);
  /// The term `op` of the arguments. Arguments that `op` does not take are
  /// ignored.
  int make(Op op, int first, int second = -1, int third = -1, int fourth = -1);

  /// A function that returns the name of a place in another index spec.
  using RenameFn = std::function<std::string(std::string_view)>;
  /// Adds `expr` as a term. Its operand i is the term `operands[i]`, its
  /// attributes are replaced by the numbers in `attrs`, and the places of its
  /// indices are renamed by `rename`.
  int include(const ScalarExpr &expr, std::span<const int> operands,
              const AttrMap &attrs, const RenameFn &rename = {});

  /// The derivative of `term` for operand `position`, times `seed`.
  int differentiate(int term, int position, int seed);

  /// `term` with every `from` inside of it replaced by `to`.
  int replace(int term, int from, int to);

  /// `term` with operand i renamed to operand `positions[i]`.
  int renumber(int term, std::span<const int> positions);

  bool isLiteral(int term, double value) const;
  /// The positions of the operands that `term` reads, in ascending order.
  std::vector<int> operandsOf(int term) const;
  /// The number of operations in the text of the term, in which terms that are
  /// used more than once are repeated. The number is exact up to a million.
  int64_t countSteps(int term) const;
  /// The term as text that `ScalarExpr::parse` reads.
  std::string toText(int term) const;

private:
  using Key = std::tuple<Op, ScalarExpr::Args, int, double, std::string>;

  int add(ScalarExpr::Node node);
  std::optional<int> simplify(Op op, int first, int second, int third);
  std::optional<double> evaluateStep(Op op, std::span<const int> args) const;
  std::optional<int> simplifySum(Op op, int first, int second);
  std::optional<int> simplifyProduct(Op op, int first, int second);
  std::optional<int> simplifyPower(int base, int exponent);
  std::optional<int> simplifySelect(int condition, int first, int second);
  int deriveAbsolute(int x, int inner);
  int deriveUnary(int term, int inner);
  int deriveBinary(int term, int left, int right);
  int deriveStep(int term, const std::vector<int> &derivatives);
  template <typename Fn> int rewrite(int term, const Fn &find);
  std::vector<int> termsOf(int term) const;
  std::optional<double> literalOf(int term) const;
  std::string print(int term, int precedence) const;
  std::string printStep(Op op, std::span<const int> args, int precedence) const;

  std::vector<ScalarExpr::Node> nodes;
  std::map<Key, int> numbers;
};

/// Whether the two are the same formula, up to the order of the arguments of
/// commutative operations. Attributes are replaced by the numbers in the maps.
bool isSameFormula(const ScalarExpr &left, const AttrMap &leftAttrs,
                   const ScalarExpr &right, const AttrMap &rightAttrs);
/// Whether `expr` is the formula `text`, which parses and has no attributes.
bool isFormula(const ScalarExpr &expr, std::string_view text);

} // namespace weir

#endif // WEIR_SUPPORT_SCALARALGEBRA_H
