//===- BoundedTest.cpp - Bounds of the errors of kernels ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Target/Check/Bounded.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string_view>

using namespace weir;
using namespace weir::kernelcheck;

namespace {

/// The bounded result of the expression `text` on `a` and `b` in f32.
Bounded evaluate(std::string_view text, const Bounded &a, const Bounded &b) {
  const ScalarExpr expression = *ScalarExpr::parse(text);
  const Bounded operands[] = {a, b};
  return BoundedExpression(expression, {}, Unit::of(DType::F32))
      .evaluate(operands);
}

/// The largest error of `function` if its operands are as wrong as they may be.
/// A function that is monotonic in both is farthest off at one of the corners.
template <typename Function>
double worst(const Bounded &a, const Bounded &b, Function function) {
  double most = 0;
  for (double x : {a.value - a.error, a.value + a.error})
    for (double y : {b.value - b.error, b.value + b.error})
      most =
          std::max(most, std::abs(function(x, y) - function(a.value, b.value)));
  return most;
}

/// Checks that the bound of `text` is `expected` and a few roundings.
/// `expected` itself is computed with rounding errors.
void expectBound(std::string_view text, const Bounded &a, const Bounded &b,
                 double expected) {
  const Bounded found = evaluate(text, a, b);
  EXPECT_GE(found.error, expected * (1 - 1e-12)) << text;
  EXPECT_LE(found.error, expected * 1.001 + 4 * Unit::of(DType::F32).step *
                                                std::abs(found.value))
      << text;
}

TEST(Bounded, IsWhatTheOperandsAllow) {
  const Bounded inexact{3, 1e-3}, other{-2, 5e-4}, exact{7, 0};
  for (const Bounded &a : {inexact, other, exact})
    for (const Bounded &b : {inexact, other, exact}) {
      expectBound("a + b", a, b,
                  worst(a, b, [](double x, double y) { return x + y; }));
      expectBound("a - b", a, b,
                  worst(a, b, [](double x, double y) { return x - y; }));
      expectBound("a * b", a, b,
                  worst(a, b, [](double x, double y) { return x * y; }));
      expectBound("a / b", a, b,
                  worst(a, b, [](double x, double y) { return x / y; }));
    }
}

TEST(Bounded, HasNoBoundWhereTheDivisorMayBeZero) {
  EXPECT_TRUE(std::isinf(evaluate("a / b", {3, 0}, {1e-4, 1e-3}).error));
  EXPECT_TRUE(std::isinf(evaluate("a / b", {3, 0}, {1e-3, 1e-3}).error));
  EXPECT_FALSE(std::isinf(evaluate("a / b", {3, 0}, {2e-3, 1e-3}).error));
}

} // namespace
