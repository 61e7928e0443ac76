//===- ScalarAlgebraTest.cpp - Derivatives of scalar expressions ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ScalarAlgebra.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace weir;

namespace {
double evaluateText(const std::string &text, std::vector<double> operands) {
  auto expr = ScalarExpr::parse(text);
  EXPECT_TRUE(expr.isOk()) << text << ": " << expr.status().message();
  if (!expr)
    return NAN;
  operands.resize(static_cast<size_t>(
      std::max<int>(expr->numOperands(), static_cast<int>(operands.size()))));
  std::vector<double> scratch(expr->nodes().size()), attributes(scratch);
  return evaluate<double>(*expr, operands, attributes, scratch);
}

/// `text` with operands a to c, differentiated for operand `position`; the seed
/// is d.
std::string differentiate(std::string_view text, int position,
                          const AttrMap &attrs = {}) {
  ScalarAlgebra algebra;
  std::vector<int> operands;
  for (int i = 0; i < 4; ++i)
    operands.push_back(algebra.operand(i));
  int term = algebra.include(*ScalarExpr::parse(text), operands, attrs);
  return algebra.toText(algebra.differentiate(term, position, operands[3]));
}

bool isSame(std::string_view left, std::string_view right) {
  return isSameFormula(*ScalarExpr::parse(left), {}, *ScalarExpr::parse(right),
                       {});
}

std::string simplify(std::string_view text) {
  ScalarAlgebra algebra;
  std::vector<int> operands;
  for (int i = 0; i < 4; ++i)
    operands.push_back(algebra.operand(i));
  return algebra.toText(
      algebra.include(*ScalarExpr::parse(text), operands, {}));
}
} // namespace

// What is printed is parsed as the same formula, with the same value.
TEST(ScalarAlgebraTest, printsWhatIsParsed) {
  for (const char *text :
       {"a + b * c", "(a + b) * c", "a - (b - c)", "a / (b * c)", "-a * -b",
        "a - -b", "-(a + b)", "select(a < b, a, -inf)",
        "max(a, b) <= min(b, c)", "(a < b) == (b < c)", "exp(-a * a) / 2.5e-7",
        "a * (b * c)", "pow(a, 3) + mod(a, b)", "index(n) - index(x1) <= a",
        "-(-a) + 0.1 * erf(a)", "a - (b + -0.5)"}) {
    std::string printed = simplify(text);
    EXPECT_TRUE(isSame(text, printed)) << text << " became " << printed;
    if (std::string_view(text).find("index") == std::string_view::npos) {
      EXPECT_DOUBLE_EQ(evaluateText(text, {1.25, -0.75, 2}),
                       evaluateText(printed, {1.25, -0.75, 2}))
          << text << " became " << printed;
    }
  }
}

TEST(ScalarAlgebraTest, knowsTheSameFormula) {
  EXPECT_TRUE(isSame("a * b", "b * a"));
  EXPECT_TRUE(isSame("max(a, b) + 1", "1 + max(b, a)"));
  EXPECT_TRUE(isSame("a == b", "b == a"));
  EXPECT_FALSE(isSame("a - b", "b - a"));
  EXPECT_FALSE(isSame("a < b", "b < a"));
  EXPECT_FALSE(isSame("a * b", "a * c"));
  AttrMap tenth, half;
  tenth.set("alpha", std::vector<double>{0.1});
  half.set("alpha", std::vector<double>{0.5});
  auto scaled = ScalarExpr::parse("alpha * a");
  EXPECT_TRUE(isSameFormula(*scaled, half, *ScalarExpr::parse("a * 0.5"), {}));
  EXPECT_FALSE(isSameFormula(*scaled, half, *scaled, tenth));
}

TEST(ScalarAlgebraTest, simplifies) {
  EXPECT_EQ(simplify("a + 0"), "a");
  EXPECT_EQ(simplify("0 - a"), "-a");
  EXPECT_EQ(simplify("1 * a / 1"), "a");
  EXPECT_EQ(simplify("a * 0 + b"), "b");
  EXPECT_EQ(simplify("a + -b"), "a - b");
  EXPECT_EQ(simplify("-a * b"), "-(a * b)");
  EXPECT_EQ(simplify("a + a"), "2 * a");
  EXPECT_EQ(simplify("pow(a, 2)"), "a * a");
  EXPECT_EQ(simplify("pow(a, -0.5)"), "rsqrt(a)");
  EXPECT_EQ(simplify("select(a < b, c, c)"), "c");
  EXPECT_EQ(simplify("a * (3 - 1)"), "a * 2");
  EXPECT_EQ(simplify("exp(0) * a"), "a");
  // A number that is none stays a formula.
  EXPECT_EQ(simplify("log(0 - 1) + a"), "log(-1) + a");
}

// The texts are short, because each becomes code.
TEST(ScalarAlgebraTest, givesShortDerivatives) {
  EXPECT_EQ(differentiate("a * b", 0), "d * b");
  EXPECT_EQ(differentiate("a * b", 1), "d * a");
  EXPECT_EQ(differentiate("a + b", 1), "d");
  EXPECT_EQ(differentiate("a - b", 1), "-d");
  EXPECT_EQ(differentiate("max(a, 0)", 0), "select(0 < max(a, 0), d, 0)");
  EXPECT_EQ(differentiate("exp(a)", 0), "d * exp(a)");
  EXPECT_EQ(differentiate("tanh(a)", 0), "d * (1 - tanh(a) * tanh(a))");
  EXPECT_EQ(differentiate("select(a, b, c)", 1), "select(a, d, 0)");
  EXPECT_EQ(differentiate("select(a, b, c)", 0), "0");
  EXPECT_EQ(differentiate("floor(a) * 2 + ceil(b)", 0), "0");
  EXPECT_EQ(differentiate("a < b", 0), "0");
  EXPECT_EQ(differentiate("pow(a, 3)", 0), "d * (3 * (a * a))");
}

// Each square doubles what the text repeats.
TEST(ScalarAlgebraTest, countsWhatTheTextRepeats) {
  ScalarAlgebra algebra;
  using Op = ScalarExpr::Op;
  int term = algebra.make(Op::Exp, algebra.operand(0));
  EXPECT_EQ(algebra.countSteps(algebra.operand(0)), 0);
  EXPECT_EQ(algebra.countSteps(term), 1);
  for (int i = 0; i < 100; ++i)
    term = algebra.make(Op::Atan, algebra.make(Op::Mul, term, term));
  EXPECT_EQ(algebra.countSteps(term), 1000001);
}

// Against central differences, at random places.
TEST(ScalarAlgebraTest, differentiatesAllFunctions) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0.15, 0.85);
  for (const char *text : {"a / b",
                           "b / a",
                           "pow(a, b)",
                           "pow(b, a)",
                           "mod(a, b)",
                           "fmod(a, b)",
                           "mod(5 * a, b)",
                           "abs(a - b)",
                           "exp(a)",
                           "expm1(a)",
                           "log(a)",
                           "log1p(a)",
                           "sqrt(a)",
                           "rsqrt(a)",
                           "erf(a)",
                           "sin(a)",
                           "cos(a)",
                           "tan(a)",
                           "asin(a)",
                           "acos(a)",
                           "atan(a)",
                           "sinh(a)",
                           "cosh(a)",
                           "tanh(a)",
                           "asinh(a)",
                           "acosh(1 + a)",
                           "atanh(a)",
                           "max(a, b) * min(a, c)",
                           "select(a < b, a * a, b / a)",
                           "round(a) * a",
                           "1 / (1 + exp(-a))",
                           "max(a, 0) + log(1 + exp(-abs(a)))",
                           "a * min(max(a / 6 + 0.5, 0), 1)",
                           "pow(a, 0) + pow(a, 1) + pow(a, 2) + pow(a, 2.5)",
                           "a * a * a - -a",
                           "exp(sin(a) * b) / (c + a * a)"})
    for (int position = 0; position < 3; ++position)
      for (int trial = 0; trial < 20; ++trial) {
        std::vector<double> at = {uniform(random), uniform(random),
                                  uniform(random), 1.75};
        constexpr double h = 1e-6;
        std::vector<double> above = at, below = at;
        above[position] += h;
        below[position] -= h;
        double expected =
            at[3] * (evaluateText(text, above) - evaluateText(text, below)) /
            (2 * h);
        std::string derivative = differentiate(text, position);
        EXPECT_NEAR(evaluateText(derivative, at), expected,
                    1e-5 * std::max(1.0, std::abs(expected)))
            << text << " for operand " << position << ": " << derivative;
      }
}

// A power of zero has a derivative, although its logarithm is infinite.
TEST(ScalarAlgebraTest, differentiatesPowersOfZero) {
  EXPECT_EQ(evaluateText(differentiate("pow(a, b)", 0), {0, 0, 0, 1}), 0);
  EXPECT_EQ(evaluateText(differentiate("pow(a, b)", 1), {0, 2, 0, 1}), 0);
  EXPECT_EQ(evaluateText(differentiate("pow(a, 2)", 0), {0, 0, 0, 1}), 0);
}

// Attributes are numbers before anything is differentiated.
TEST(ScalarAlgebraTest, bindsAttributes) {
  AttrMap attrs;
  attrs.set("alpha", std::vector<double>{0.25});
  EXPECT_EQ(differentiate("select(a < 0, alpha * a, a)", 0, attrs),
            "select(a < 0, d * 0.25, d)");
}
