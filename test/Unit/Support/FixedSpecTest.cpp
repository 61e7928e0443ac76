//===- FixedSpecTest.cpp - Index specs with all sizes written out ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/IndexSpec.h"

#include <gtest/gtest.h>

#include <random>

using namespace weir;

namespace {
using Shapes = std::vector<std::vector<int64_t>>;

BoundSpec bindText(std::string_view text, const Shapes &shapes) {
  auto spec = IndexSpec::parse(text);
  EXPECT_TRUE(spec.isOk()) << spec.status().message();
  auto bound = spec->bind(shapes, {});
  EXPECT_TRUE(bound.isOk()) << bound.status().message();
  return *bound;
}

std::string errorOf(std::string_view text, const Shapes &shapes = {}) {
  auto spec = IndexSpec::parse(text);
  if (!spec)
    return std::string(spec.status().message());
  auto bound = spec->bind(shapes, {});
  return bound ? "no error" : std::string(bound.status().message());
}

int64_t countReductions(const BoundSpec &spec) {
  return std::count_if(spec.loops.begin(), spec.loops.end(),
                       [](const Loop &loop) { return loop.isReduction; });
}
} // namespace

TEST(FixedSpecTest, bindsProducts) {
  BoundSpec spec =
      bindText("m=2, n=3, k=4: [m, k], [k, n] -> [m, n]", {{2, 4}, {4, 3}});
  EXPECT_EQ(spec.resultDims, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(spec.numPoints(), 24);
  EXPECT_EQ(countReductions(spec), 1);
  EXPECT_TRUE(spec.loops[2].isReduction);
}

TEST(FixedSpecTest, bindsWindowsOfTheResult) {
  BoundSpec spec =
      bindText("x=5, k=3: [x], [k] -> [2*x + k - 1:10]", {{5}, {3}});
  EXPECT_EQ(spec.resultDims, (std::vector<int64_t>{10}));
  EXPECT_TRUE(spec.result[0].mayLeave);
  EXPECT_EQ(spec.result[0].offset, -1);
  // Points of both loops may meet in one element.
  EXPECT_EQ(countReductions(spec), 2);
}

TEST(FixedSpecTest, knowsProductsOfLoops) {
  BoundSpec spec = bindText("g=2, c=3: [3*g + c] -> [3*g + c]", {{6}});
  EXPECT_EQ(countReductions(spec), 0);
  EXPECT_EQ(spec.resultDims, (std::vector<int64_t>{6}));
  EXPECT_FALSE(IndexSpec::parse("g=2, c=3: [3*g + c] -> [g, c]")->hasWindows());
  EXPECT_TRUE(IndexSpec::parse("x=2, k=3: [x + k] -> [x]")->hasWindows());
}

TEST(FixedSpecTest, notesWhatLeaves) {
  EXPECT_FALSE(bindText("x=4: [x] -> [x]", {{4}}).operands[0][0].mayLeave);
  EXPECT_FALSE(bindText("x=4: [x] -> [x]", {{5}}).operands[0][0].mayLeave);
  EXPECT_TRUE(bindText("x=4: [x] -> [x]", {{3}}).operands[0][0].mayLeave);
  EXPECT_TRUE(bindText("x=4: [x - 1] -> [x]", {{4}}).operands[0][0].mayLeave);
  EXPECT_FALSE(bindText("x=4: [3 - x] -> [x]", {{4}}).operands[0][0].mayLeave);
  EXPECT_TRUE(
      bindText("x=4: [x] -> [x]", {{unknownDim}}).operands[0][0].mayLeave);
  EXPECT_FALSE(bindText("x=0: [x - 1] -> [x]", {{4}}).operands[0][0].mayLeave);
}

TEST(FixedSpecTest, readsIndicesAndMarks) {
  BoundSpec spec =
      bindText("j=3, w=2: [{b}, w], [j], +[w] -> [w]", {{5, 2}, {3}, {2}});
  EXPECT_EQ(spec.operands[0][0].indirect, 1);
  EXPECT_EQ(spec.initOperand, 2);
  EXPECT_TRUE(IndexSpec::parse("j=3: [{b}], [j] -> [j]")->hasIndirectDims());
  BoundSpec running = bindText("m=2, x=4>>: [m, x] -> [m, x]", {{2, 4}});
  EXPECT_EQ(running.runningLoop, 1);
  EXPECT_TRUE(running.isExclusive);
  EXPECT_EQ(
      findLoop(bindText("x0=2, x1=3: [x0, x1] -> [x1]", {{2, 3}}), "x1", {}),
      1);
}

// The text of a bound spec is the spec.
TEST(FixedSpecTest, printsWhatIsParsed) {
  for (const char *text :
       {"m=2, n=3, k=4: [m, k], [k, n] -> [m, n]",
        "c=8, x=5, k=3: [c, x], [k] -> [c, 2*x + k - 1:9]",
        "x=4: [-x + 3] -> [x]", ": [] -> []", "x=4: [x] -> [0]",
        "j=3, w=2: [{b}, w], [j], +[w] -> [w]", "x=4>: [x] -> [x]",
        "x=4>>: [x] -> [x]", "x=4: [x + 2] -> [x:7]"}) {
    auto spec = IndexSpec::parse(text);
    ASSERT_TRUE(spec.isOk()) << spec.status().message();
    EXPECT_EQ(toText(*spec->getFixed()), text);
  }
}

TEST(FixedSpecTest, explainsErrors) {
  EXPECT_EQ(errorOf("x=4, x=2: [x] -> [x]"),
            "expected the name of another loop at column 7 of index spec "
            "'x=4, x=2: [x] -> [x]'");
  EXPECT_EQ(errorOf("x=4: [y] -> [x]"),
            "expected a loop or a number at column 7 of index spec 'x=4: [y] "
            "-> [x]'");
  EXPECT_EQ(errorOf("x=4: [x + x] -> [x]"),
            "expected each loop once in an index at column 12 of index spec "
            "'x=4: [x + x] -> [x]'");
  EXPECT_EQ(errorOf("x=4: [x] -> [x] y"),
            "expected the end at column 17 of index spec 'x=4: [x] -> [x] y'");
  EXPECT_EQ(errorOf("x=4: [{c}] -> [x]"),
            "index spec 'x=4: [{c}] -> [x]' takes an index from an operand "
            "that there is not");
  EXPECT_EQ(errorOf("x=4>, y=2>: [x, y] -> [x, y]"),
            "expected at most one running loop at column 11 of index spec "
            "'x=4>, y=2>: [x, y] -> [x, y]'");
  EXPECT_EQ(errorOf("x=4: [x] -> [x]", {{4}, {4}}),
            "expects 1 operands, found 2");
  EXPECT_EQ(errorOf("x=4: [x] -> [x]", {{4, 1}}),
            "operand 0 (4x1) has 2 dims, expected 1");
  for (const char *init : {"k", "x + 1", "3 - x", "0"})
    EXPECT_EQ(errorOf("x=4, k=2: [x, k], +[" + std::string(init) + "] -> [x]",
                      {{4, 2}, {2}}),
              "dim 0 of operand 1 with initial values is no dim of the result, "
              "expected one of its indices and its size");
  EXPECT_EQ(errorOf("x=4: [x], +[x] -> [x]", {{4}, {2}}),
            "dim 0 of operand 1 with initial values is no dim of the result, "
            "expected one of its indices and its size");
  EXPECT_EQ(errorOf("j=3: [{b}], [{c}], [j] -> [j]", {{4}, {4}, {3}}),
            "operand 1 holds indices, expected one that is read at sums of "
            "loops and has no initial values");
  EXPECT_EQ(errorOf("x=4>, m=2: [m, x] -> [m]", {{2, 4}}),
            "values run along 'x', expected an index of the result that is "
            "this loop and stays inside");
  EXPECT_EQ(errorOf("x=4: [0*x] -> [x]"),
            "expected a coefficient other than 0 at column 9 of index spec "
            "'x=4: [0*x] -> [x]'");
  EXPECT_NE(errorOf("x=4: [281474976710656*x] -> [x]", {{4}})
                .find("an index of dim 0 of operand 0 (4) is too large"),
            std::string::npos);
  EXPECT_NE(errorOf("x12345678=4: [x] -> [x]").find("expected '='"),
            std::string::npos);
  EXPECT_EQ(errorOf("j=3: [{b}], [j] -> [j]", {{0}, {3}}),
            "dim 0 of operand 0 (0) has no element to pick, expected 1 or "
            "more");
  EXPECT_NE(errorOf("x=999999999999999999: [x] -> [x]").find("a number up to"),
            std::string::npos);
  EXPECT_NE(errorOf("x=281474976710656, y=281474976710656: [x, y] -> [x, y]")
                .find("too large"),
            std::string::npos);
}

TEST(FixedSpecTest, runsToEachElement) {
  for (const char *result :
       {"x:5", "2*x:7", "x + 1:5", "3 - x:5", "x, x", "x, m + k:4", "x, 2*m:2"})
    EXPECT_EQ(errorOf("x=4>, m=2, k=2: [m, x] -> [" + std::string(result) + "]",
                      {{2, 4}}),
              "values run along 'x' and do not reach every element of the "
              "result, expected indices that count each of its dims from 0 to "
              "the end");
  for (const char *result : {"x", "3 - x", "x, m", "x, 1 - m", "2*k + m, x"})
    EXPECT_EQ(errorOf("x=4>, m=2, k=2: [m, x] -> [" + std::string(result) + "]",
                      {{2, 4}}),
              "no error");
}

// No text is trusted: artifacts hold such texts.
TEST(FixedSpecTest, survivesDamage) {
  const std::string text =
      "c=8, x=5>, k=3: [c, 2*x + k - 1], [{a}], +[c] -> [c, 2*x + k - 1:10]";
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 20000; ++trial) {
    std::string damaged = text;
    for (size_t i = 0; i <= random() % 3; ++i)
      damaged[random() % damaged.size()] = text[random() % text.size()];
    if (random() % 4 == 0)
      damaged.resize(random() % damaged.size());
    if (auto spec = IndexSpec::parse(damaged))
      (void)spec->bind(Shapes{{8, 10}, {1}, {8}}, {});
  }
}
