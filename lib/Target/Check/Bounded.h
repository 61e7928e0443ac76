//===- Bounded.h - Numbers with bounds of their errors ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A scalar expression is evaluated in double, and beside each number stands how
// far a kernel that computes in another precision may be off. Numbers that are
// only moved or chosen have no error of their own. So what moves them must be
// exact.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CHECK_BOUNDED_H
#define WEIR_LIB_TARGET_CHECK_BOUNDED_H

#include "weir/Support/DType.h"
#include "weir/Support/ScalarExpr.h"

#include <cstdint>
#include <span>
#include <vector>

namespace weir::kernelcheck {

/// An element: of a float type by `value` and `error`, of another by `integer`
/// and, if a float decided it that was not sure enough, an `error` above 0.
struct Bounded {
  double value = 0;
  double error = 0;
  int64_t integer = 0;
};

/// How exact the arithmetic of kernels is.
struct Unit {
  /// The largest relative error of an addition or multiplication.
  double step = 0;
  /// The largest finite number.
  double largest = 0;
  /// The smallest normal number.
  double smallest = 0;

  /// The unit of kernels whose operands have the float type `type`.
  static Unit of(DType type);
  /// The error of storing `value` as an element of `type`, which is a float; it
  /// is infinite if the element may be. `isWide` says whether `value` may have
  /// more digits than an f32.
  static double ofStoring(DType type, double value, bool isWide);
};

/// A sum or another combination of many numbers, in any order.
class Combination {
public:
  enum class Kind { Sum, Product, Maximum, Minimum };
  Combination(Kind kind, const Unit &unit);

  void add(const Bounded &number);
  Bounded get() const;

private:
  Kind kind;
  Unit unit;
  Bounded total;
  /// The sum of the absolute values, or the product of those above 1.
  double sizes = 0;
  /// The product of the absolute values below 1.
  double fractions = 1;
  int64_t count = 0;
};

/// A scalar expression on floats with the values of its attributes.
class BoundedExpression {
public:
  BoundedExpression(const ScalarExpr &expression, const AttrMap &attrs,
                    const Unit &unit);

  /// `operands` has the indices behind those of the operands.
  Bounded evaluate(std::span<const Bounded> operands);

private:
  Bounded apply(const ScalarExpr::Node &node) const;
  Bounded apply(ScalarExpr::Op op, const Bounded &x) const;
  Bounded apply(ScalarExpr::Op op, const Bounded &x, const Bounded &y) const;
  Bounded exactly(double value) const;

  const ScalarExpr &expression;
  Unit unit;
  std::vector<double> attributes;
  std::vector<Bounded> steps;
};

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_BOUNDED_H
