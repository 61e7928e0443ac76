//===- Bounded.h - Numbers with bounds of their errors ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A scalar expression is evaluated in double. Each number has a bound: a kernel
// that computes in another precision must not be wrong by more. Ops that only
// move or choose numbers add no error, so kernels must do these exactly.
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

/// An element, and the bound of its error. An element of a float type uses
/// `value` and `error`. Other elements use `integer`. Their `error` is above 0
/// if they depend on a float that is not exact enough.
struct Bounded {
  double value = 0;
  double error = 0;
  int64_t integer = 0;
};

/// The precision of the arithmetic in kernels.
struct Unit {
  /// The largest relative error of an addition or multiplication.
  double step = 0;
  /// The largest finite number.
  double largest = 0;
  /// The smallest normal number.
  double smallest = 0;

  /// The unit of kernels whose operands have the float type `type`.
  static Unit of(DType type);
  /// The error of storing `value` as an element of the float type `type`. The
  /// error is infinite if the element may be infinite. `isWide` says whether
  /// `value` may have more digits than an f32.
  static double ofStoring(DType type, double value, bool isWide);
};

/// A sum of many numbers in any order, or another combination of them.
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
  /// The sum of the absolute values. For a product, the product of the absolute
  /// values above 1.
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

  /// `operands` has the values of the operands, followed by the indices.
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
