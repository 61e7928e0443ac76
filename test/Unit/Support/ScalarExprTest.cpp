//===- ScalarExprTest.cpp - Scalar expressions ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ScalarExpr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace weir;

namespace {
template <typename T>
T evaluateText(std::string_view text, std::vector<T> operands = {},
               const AttrMap &attrs = {}) {
  auto expr = ScalarExpr::parse(text);
  EXPECT_TRUE(expr.isOk()) << expr.status().message();
  if (!expr)
    return 0;
  std::vector<T> scratch(expr->nodes().size());
  std::vector<double> attributes = bindAttributes(*expr, attrs);
  return evaluate<T>(*expr, operands, attributes, scratch);
}

std::string errorOf(std::string_view text) {
  auto expr = ScalarExpr::parse(text);
  return expr ? "no error" : std::string(expr.status().message());
}

constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
constexpr int64_t highest = std::numeric_limits<int64_t>::max();
} // namespace

// Precedence and associativity are those of C.
TEST(ScalarExprTest, bindsAsInC) {
  EXPECT_EQ(evaluateText<double>("1 + 2 * 3"), 7);
  EXPECT_EQ(evaluateText<double>("(1 + 2) * 3"), 9);
  EXPECT_EQ(evaluateText<double>("8 - 4 - 2"), 2);
  EXPECT_EQ(evaluateText<double>("8 / 4 / 2"), 1);
  EXPECT_EQ(evaluateText<double>("-2 * --3"), -6);
  EXPECT_EQ(evaluateText<double>("1 + 1 < 3"), 1);
  EXPECT_EQ(evaluateText<double>("3 >= 4"), 0);
  EXPECT_EQ(evaluateText<double>("4 > 3"), 1);
  EXPECT_EQ(evaluateText<double>("1.5e2"), 150);
}

// Operands go by position, all other names are attributes.
TEST(ScalarExprTest, readsOperandsAndAttributes) {
  AttrMap attrs;
  attrs.set("alpha", std::vector<double>{0.5});
  attrs.set("e", std::vector<int64_t>{3});
  EXPECT_EQ(evaluateText<double>("a - b + alpha * e", {5, 2}, attrs), 4.5);
  EXPECT_EQ(evaluateText<double>("select(a, b, c)", {0, 1, 2}), 2);
  EXPECT_EQ(ScalarExpr::parse("c * 2")->numOperands(), 3);
  EXPECT_EQ(ScalarExpr::parse("2")->numOperands(), 0);
}

// Every arithmetic step counts once, a bare operand is free.
TEST(ScalarExprTest, countsFlops) {
  EXPECT_EQ(ScalarExpr::parse("a")->flops(), 0);
  EXPECT_EQ(ScalarExpr::parse("a * b")->flops(), 1);
  EXPECT_EQ(ScalarExpr::parse("1 / (1 + exp(-a))")->flops(), 4);
  EXPECT_EQ(ScalarExpr::parse("random(a, b, 0, index(x)) + 1")->flops(), 61);
}

// Only a comparison at the root makes the result a boolean.
TEST(ScalarExprTest, knowsPredicates) {
  EXPECT_TRUE(ScalarExpr::parse("a > 0")->isPredicate());
  EXPECT_TRUE(ScalarExpr::parse("(a == b)")->isPredicate());
  EXPECT_FALSE(ScalarExpr::parse("select(a < 0, a, b)")->isPredicate());
}

// No integer input is undefined: wrap, truncate, or give zero.
TEST(ScalarExprTest, integersAreTotal) {
  EXPECT_EQ(evaluateText<int64_t>("a + 1", {highest}), lowest);
  EXPECT_EQ(evaluateText<int64_t>("a - 1", {lowest}), highest);
  EXPECT_EQ(evaluateText<int64_t>("a * 2", {highest}), -2);
  EXPECT_EQ(evaluateText<int64_t>("-a", {lowest}), lowest);
  EXPECT_EQ(evaluateText<int64_t>("abs(a)", {lowest}), lowest);
  EXPECT_EQ(evaluateText<int64_t>("a / 0", {5}), 0);
  EXPECT_EQ(evaluateText<int64_t>("a / -1", {lowest}), lowest);
  EXPECT_EQ(evaluateText<int64_t>("a / 2", {-7}), -3);
  EXPECT_EQ(evaluateText<int64_t>("pow(a, 3)", {-2}), -8);
  EXPECT_EQ(evaluateText<int64_t>("pow(a, -1)", {2}), 0);
  EXPECT_EQ(evaluateText<int64_t>("pow(a, -3)", {-1}), -1);
  EXPECT_EQ(evaluateText<int64_t>("exp(a)", {1000}), highest);
  EXPECT_EQ(evaluateText<int64_t>("log(a)", {0}), lowest);
  EXPECT_EQ(evaluateText<int64_t>("sqrt(a)", {-1}), 0);
}

// Remainders take the side of the divisor or of the dividend.
TEST(ScalarExprTest, remainders) {
  for (double x : {-7.5, -6.0, 0.0, 5.25})
    for (double y : {-2.0, 3.0}) {
      EXPECT_EQ(evaluateText<double>("mod(a, b)", {x, y}),
                x - std::floor(x / y) * y);
      EXPECT_EQ(evaluateText<double>("fmod(a, b)", {x, y}), std::fmod(x, y));
    }
  EXPECT_EQ(evaluateText<int64_t>("mod(a, 3)", {-7}), 2);
  EXPECT_EQ(evaluateText<int64_t>("mod(a, -3)", {7}), -2);
  EXPECT_EQ(evaluateText<int64_t>("fmod(a, 3)", {-7}), -1);
  EXPECT_EQ(evaluateText<int64_t>("mod(a, 0)", {7}), 0);
  EXPECT_EQ(evaluateText<int64_t>("mod(a, -1)", {lowest}), 0);
}

// Bits are those of integers; no shift is undefined.
TEST(ScalarExprTest, bits) {
  EXPECT_EQ(evaluateText<int64_t>("bit_and(a, b)", {12, 10}), 8);
  EXPECT_EQ(evaluateText<int64_t>("bit_or(a, b)", {12, 10}), 14);
  EXPECT_EQ(evaluateText<int64_t>("bit_xor(a, b)", {12, 10}), 6);
  EXPECT_EQ(evaluateText<double>("bit_xor(a, b)", {12, 10}), 6);
  EXPECT_EQ(evaluateText<int64_t>("shift_left(a, 3)", {-5}), -40);
  EXPECT_EQ(evaluateText<int64_t>("shift_left(a, 64)", {1}), 0);
  EXPECT_EQ(evaluateText<int64_t>("shift_left(a, -1)", {1}), 0);
  EXPECT_EQ(evaluateText<int64_t>("shift_right(a, 1)", {-5}), -3);
  EXPECT_EQ(evaluateText<int64_t>("shift_right(a, 64)", {-5}), -1);
  EXPECT_EQ(evaluateText<int64_t>("shift_right(a, -1)", {5}), 0);
}

// Halves go to the even side; infinity has a name.
TEST(ScalarExprTest, rounding) {
  EXPECT_EQ(evaluateText<double>("round(a)", {2.5}), 2);
  EXPECT_EQ(evaluateText<double>("round(a)", {-3.5}), -4);
  EXPECT_EQ(evaluateText<double>("floor(a)", {-0.5}), -1);
  EXPECT_EQ(evaluateText<double>("ceil(a)", {0.5}), 1);
  EXPECT_EQ(evaluateText<double>("abs(a) == inf", {-HUGE_VAL}), 1);
  EXPECT_EQ(evaluateText<int64_t>("inf"), highest);
}

// Indices are operands after the other operands, one per place.
TEST(ScalarExprTest, indices) {
  auto expr = ScalarExpr::parse("index(n) + index(x@axis)");
  ASSERT_TRUE(expr.isOk()) << expr.status().message();
  EXPECT_EQ(expr->nodes()[0].name, "n");
  EXPECT_EQ(expr->nodes()[1].name, "x@axis");
  EXPECT_EQ(expr->numOperands(), ScalarExpr::maxOperands + 2);
  EXPECT_EQ(expr->flops(), 1);
  EXPECT_EQ(evaluateText<int64_t>("index(n) - index(m)", {0, 0, 0, 0, 7, 5}),
            2);
  EXPECT_NE(errorOf("index(2)"), "no error");
  EXPECT_NE(errorOf("index(n"), "no error");
  EXPECT_NE(errorOf("index(x@)"), "no error");
  EXPECT_NE(errorOf("index(xy)"), "no error");
}

// An attribute beyond the integers clamps: clip's default bounds are infinite.
TEST(ScalarExprTest, attributesClamp) {
  AttrMap attrs;
  attrs.set("low", std::vector<double>{-HUGE_VAL});
  attrs.set("high", std::vector<double>{1e300});
  EXPECT_EQ(evaluateText<int64_t>("min(max(a, low), high)", {42}, attrs), 42);
  EXPECT_EQ(evaluateText<int64_t>("high", {}, attrs), highest);
}

// NaN wins in max and min from either side.
TEST(ScalarExprTest, extremesPropagateNaN) {
  double none = std::nan("");
  for (std::string_view text : {"max(a, b)", "min(a, b)"}) {
    EXPECT_TRUE(std::isnan(evaluateText<double>(text, {none, 1})));
    EXPECT_TRUE(std::isnan(evaluateText<double>(text, {1, none})));
  }
}

// Errors name what was expected and the column.
TEST(ScalarExprTest, errorsPointAtTheColumn) {
  EXPECT_EQ(errorOf("a +"), "expected an operand, a number or '(' at column 4 "
                            "of scalar expression 'a +'");
  EXPECT_EQ(errorOf("a b"), "expected an operator or the end at column 3 of "
                            "scalar expression 'a b'");
  EXPECT_EQ(errorOf("(a"),
            "expected ')' at column 3 of scalar expression '(a'");
  EXPECT_EQ(errorOf("max(a)"),
            "expected ',' at column 6 of scalar expression 'max(a)'");
  EXPECT_EQ(errorOf("abs(a, b)"),
            "expected ')' at column 6 of scalar expression 'abs(a, b)'");
  EXPECT_EQ(errorOf("sinc(a)"),
            "expected a known function instead of 'sinc' at column 5 of scalar "
            "expression 'sinc(a)'");
  EXPECT_EQ(errorOf("1e999"), "expected a number that a double holds at column "
                              "1 of scalar expression '1e999'");
  EXPECT_EQ(errorOf("a < b < c"), "expected an operator or the end at column 7 "
                                  "of scalar expression 'a < b < c'");
  EXPECT_NE(errorOf(std::string_view("a\0b", 3)), "no error");
  EXPECT_NE(errorOf(std::string(1000000, '(')).find("less nesting"),
            std::string::npos);
  EXPECT_NE(errorOf(std::string(1000000, '-')).find("less nesting"),
            std::string::npos);
  std::string sum = "a";
  for (int i = 1; i < 100000; ++i)
    sum += "+a";
  EXPECT_EQ(errorOf(sum),
            "a scalar expression has 199999 operands and operations, at most "
            "16384 are allowed; compute parts of it by ops of their own");
}

// Whatever the text, the parser answers, and what it accepts can be evaluated.
TEST(ScalarExprTest, survivesOddTexts) {
  const std::vector<std::string> pieces = {
      "a",       "b",    "c",  "d",           "(",       ")",
      ",",       "+",    "-",  "*",           "/",       "<",
      "<=",      "==",   ">=", "exp(",        "max(",    "pow(",
      "select(", "1",    "7",  "2",           " ",       "x",
      "\xff",    "mod(", "!=", "shift_left(", "bit_or(", "round("};
  std::mt19937 random(11);
  int numAccepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (unsigned n = random() % 8; n-- > 0;)
      text += pieces[random() % pieces.size()];
    auto expr = ScalarExpr::parse(text);
    if (!expr)
      continue;
    ++numAccepted;
    evaluateText<int64_t>(text, {lowest, highest, 0, -1});
    evaluateText<double>(text, {0, -HUGE_VAL, 1e300, -1});
  }
  EXPECT_GT(numAccepted, 500);
}
