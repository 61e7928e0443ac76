//===- IndexSpecTest.cpp - Parsing of index specs -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/IndexSpec.h"

#include <gtest/gtest.h>

#include <random>

using namespace weir;
using Dim = IndexSpec::Dim;

namespace {
std::string errorOf(std::string_view text) {
  auto spec = IndexSpec::parse(text);
  return spec ? "no error" : std::string(spec.status().message());
}
} // namespace

// The parts of a term are kept as written.
TEST(IndexSpecTest, parsesTerms) {
  auto spec = IndexSpec::parse(
      "n(gc)[x*strides+k*dilations-pads],+...,<v->n[x]|g=groups,...=shape");
  ASSERT_TRUE(spec.isOk()) << spec.status().message();
  ASSERT_EQ(spec->operandTerms().size(), 3u);
  const std::vector<Dim> &dims = spec->operandTerms()[0].dims;
  ASSERT_EQ(dims.size(), 3u);
  EXPECT_EQ(dims[0], (Dim{Dim::Kind::Letters, "n", "", "", "", false}));
  EXPECT_EQ(dims[1], (Dim{Dim::Kind::Letters, "gc", "", "", "", false}));
  EXPECT_EQ(dims[2], (Dim{Dim::Kind::Window, "xk", "strides", "dilations",
                          "pads", true}));
  EXPECT_TRUE(spec->operandTerms()[1].isInit);
  EXPECT_TRUE(spec->operandTerms()[2].isBroadcastOnly);
  ASSERT_EQ(spec->whereClauses().size(), 2u);
  EXPECT_EQ(spec->whereClauses()[0].letter, 'g');
  EXPECT_EQ(spec->whereClauses()[1].letter, '.');
  EXPECT_EQ(spec->whereClauses()[1].attribute, "shape");
}

// The forms that stand only in a result or a selection.
TEST(IndexSpecTest, parsesRepeatedForms) {
  auto permuted = IndexSpec::parse("[x]->[x@perm]");
  ASSERT_TRUE(permuted.isOk());
  EXPECT_EQ(permuted->resultTerm().dims[0],
            (Dim{Dim::Kind::Permuted, "x", "", "", "perm", false}));
  auto dropped = IndexSpec::parse("[x]->[x/axes]");
  ASSERT_TRUE(dropped.isOk());
  EXPECT_EQ(dropped->resultTerm().dims[0].kind, Dim::Kind::Dropped);
  auto slice = IndexSpec::parse("[x*steps+starts]->[x]|x=sizes");
  ASSERT_TRUE(slice.isOk());
  EXPECT_EQ(slice->operandTerms()[0].dims[0],
            (Dim{Dim::Kind::Window, "x", "steps", "", "starts", false}));
}

// One of the repeated dims is read by index, or is another letter's.
TEST(IndexSpecTest, parsesIndirectDims) {
  auto take = IndexSpec::parse("[x{b}axis],j->[x(j)axis]");
  ASSERT_TRUE(take.isOk()) << take.status().message();
  EXPECT_EQ(take->operandTerms()[0].dims[0],
            (Dim{Dim::Kind::Indirect, "x", "", "", "axis", false, 1}));
  EXPECT_EQ(take->resultTerm().dims[0],
            (Dim{Dim::Kind::Replaced, "x", "", "", "axis", false, -1, 'j'}));
  EXPECT_TRUE(take->hasIndirectDims());
  EXPECT_FALSE(IndexSpec::parse("[x]->[x(p)axis]|p=size")->hasIndirectDims());
  EXPECT_TRUE(IndexSpec::parse("[x]->[x(p)axis]|p=size")->repeatsOperands());
  EXPECT_FALSE(take->repeatsOperands());
}

// Errors of the grammar point at the column.
TEST(IndexSpecTest, grammarErrorsPointAtTheColumn) {
  auto expectError = [](std::string_view text, std::string_view expected,
                        int column) {
    EXPECT_EQ(errorOf(text), "expected " + std::string(expected) +
                                 " at column " + std::to_string(column) +
                                 " of index spec '" + std::string(text) + "'");
  };
  expectError("mk,kn", "'->'", 6);
  expectError("mk-kn", "'->'", 3);
  expectError("m->m,m", "the end", 5);
  expectError("m->m|", "a letter or '...'", 6);
  expectError("m->m|m", "'='", 7);
  expectError("m->m|m=", "an attribute", 8);
  expectError("(m)->m", "two letters or more", 3);
  expectError("()->", "two letters or more", 2);
  expectError("(mn->m", "')'", 4);
  expectError("[]->", "a letter", 2);
  expectError("[x*]->[x]", "an attribute", 4);
  expectError("[x+]->[x]", "an attribute", 4);
  expectError("[x@]->[x]", "an attribute", 4);
  expectError("[x+k+l]->[x]", "one tap letter", 7);
  expectError("[x-p-q]->[x]", "']'", 5);
  expectError("[x->x", "an attribute", 4);
  expectError("M->M", "'->'", 1);
  expectError("[x{}axis]->x", "an operand", 4);
  expectError("[x{bc}axis]->x", "'}'", 5);
  expectError("[x{b}]->[x]", "an attribute", 6);
  expectError("[x],j->[x(]", "a letter", 11);
  expectError("[x],j->[x(j]", "')'", 12);
  expectError("[x],j->[x(j)]", "an attribute", 13);
}

// What the grammar leaves open is refused by name.
TEST(IndexSpecTest, meaninglessSpecsAreRefused) {
  auto expectError = [](std::string_view text, std::string_view problem) {
    EXPECT_EQ(errorOf(text),
              "index spec '" + std::string(text) + "' " + std::string(problem));
  };
  expectError("m->n", "has 'n' in the result only");
  expectError("m->m|k=sizes", "gives a size to 'k', which no term has");
  expectError("x[x]->x", "has 'x' inside and outside of '[]'");
  expectError("(xx)->x", "has 'x' twice in one dim");
  expectError("[x+x]->[x]", "has 'x' twice in one dim");
  expectError("......->...", "has more than one '...' or '[]' in one term");
  expectError("...[x]->[x]", "has more than one '...' or '[]' in one term");
  expectError("[x],[k]->[x][k]", "has more than one '...' or '[]' in one term");
  expectError(
      "[x@perm]->[x]",
      "has '@', '/', '()' or '>' in an operand, expected in the result");
  expectError(
      "[x(j)axis],j->[x]",
      "has '@', '/', '()' or '>' in an operand, expected in the result");
  expectError("[x],[x]->[x{b}axis]",
              "has '{}' in the result, expected in an operand");
  expectError("[x{c}axis],j->[x(j)axis]",
              "takes an index from an operand that there is not");
  expectError("[x{b}axis],[j]->[x(j)axis]",
              "has 'j' inside and outside of '[]'");
  expectError("[x{b}axis],j->[x(p)axis]", "has 'p' in the result only");
  expectError("m,+m,+m->m", "has two terms marked '+', expected at most one");
  expectError("[x],+[x-pads]->[x]", "has a window in a term marked '+'");
  expectError("m->+m", "has a marked result");
  expectError("[x]->[x+starts]",
              "adds an attribute in the result, expected '-'");
}

// Shapes in messages.
TEST(IndexSpecTest, printsShapes) {
  EXPECT_EQ(shapeToString(std::vector<int64_t>{}), "scalar");
  EXPECT_EQ(shapeToString(std::vector<int64_t>{1, unknownDim, 8}), "1x?x8");
}

/// Pieces of specs, whole specs, and numbers for dims and attributes.
static const std::vector<std::string> pieces = {"a",
                                                "b",
                                                "n",
                                                "x",
                                                "k",
                                                "(ab)",
                                                "[x]",
                                                "[x-p]",
                                                "[x*s+k*d-pads]",
                                                "...",
                                                ",",
                                                "<",
                                                "+",
                                                "->",
                                                "[x@perm]",
                                                "[x/axes]",
                                                "|k=sizes",
                                                "|...=sizes",
                                                "[x*s+starts]",
                                                "[x{b}b]",
                                                "[x(a)p]",
                                                "[k]",
                                                "(",
                                                ")",
                                                "[",
                                                "]",
                                                "=",
                                                "\xff"};
static const std::vector<std::string> wholes = {
    "...mk,...kn->...mn",
    "n(ab)[x*s+k*d-pads],(bo)a[k],+(bo)->n(bo)[x]|b=b",
    "n(ab)[x],(ab)o[k],+(bo)->n(bo)[x*s+k*d-pads]|b=b",
    "n[x*s+k*d-pads]->n[x]|k=sizes",
    "[x*s+starts]->[x]|x=sizes",
    "[x-pads]->[x]",
    "[x{b}s],n->[x(n)s]",
    "[x{b}s],[x]->[x]",
    "[x]->[x(k)p]|k=sizes",
    "...,<...->...|...=sizes"};
static const std::vector<int64_t> numbers = {
    0,         1,         2,         3,         4,
    6,         -1,        -2,        INT64_MAX, INT64_MIN,
    1LL << 48, 1LL << 47, 1LL << 31, 1LL << 62, -(1LL << 48)};

// Whatever the text, shapes and attributes, parse and bind answer.
TEST(IndexSpecTest, survivesOddTextsAndHugeSizes) {
  std::mt19937 random(5);
  auto pick = [&](size_t limit) {
    // Mostly small numbers, so that some specs bind.
    bool isSmall = random() % 4 != 0;
    return numbers[random() % (isSmall ? 6 : numbers.size()) % limit];
  };
  int numBound = 0;
  for (int i = 0; i < 60000; ++i) {
    std::string text;
    for (unsigned n = random() % 9; n-- > 0;)
      text += pieces[random() % pieces.size()];
    if (i % 4 == 0)
      text = wholes[random() % wholes.size()];
    else if (random() % 2)
      text += "->" + pieces[random() % pieces.size()];
    auto spec = IndexSpec::parse(text);
    if (!spec)
      continue;
    AttrMap attrs;
    for (const char *name : {"p", "s", "d", "pads", "perm", "axes", "sizes",
                             "starts", "b", "output_padding", "ceil_mode"}) {
      std::vector<int64_t> list(random() % 3);
      for (int64_t &value : list)
        value = pick(numbers.size());
      if (random() % 3 == 0)
        attrs.set(name, list);
    }
    std::vector<std::vector<int64_t>> shapes(spec->operandTerms().size());
    for (std::vector<int64_t> &shape : shapes) {
      shape.resize(random() % 4);
      for (int64_t &dim : shape)
        dim = pick(numbers.size());
    }
    auto bound = spec->bind(shapes, attrs);
    if (!bound)
      continue;
    ++numBound;
    EXPECT_GE(bound->numPoints(), unknownDim) << text;
    for (int64_t dim : bound->resultDims)
      EXPECT_GE(dim, unknownDim) << text;
  }
  EXPECT_GT(numBound, 500);
}
