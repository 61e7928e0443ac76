//===- IndexSpecBindingTest.cpp - Index specs for operands ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/IndexSpec.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace weir;

namespace {

using Dims = std::vector<int64_t>;

constexpr const char *matmul = "...mk,...kn->...mn";
constexpr const char *conv = "n(gc)[x*strides+k*dilations-pads],(go)c[k],+(go)"
                             "->n(go)[x]|g=groups";
constexpr const char *convTranspose =
    "n(gc)[x],(gc)o[k],+(go)->n(go)[x*strides+k*dilations-pads]|g=groups";
constexpr const char *pool =
    "nc[x*strides+k*dilations-pads]->nc[x]|k=kernel_shape";
constexpr const char *reduce = "[x]->[x/axes]";
constexpr const char *transpose = "[x]->[x@perm]";
constexpr const char *slice = "[x*steps+starts]->[x]|x=sizes";
constexpr const char *pad = "[x-pads]->[x]";
constexpr const char *expand = "...->...|...=shape";
constexpr const char *take = "[x{b}axis],j->[x(j)axis]";
constexpr const char *takeAlong = "[x{b}axis],[x]->[x]";
constexpr const char *clip = "...,<...,<...->...";

AttrMap attrsOf(std::initializer_list<std::pair<const char *, Dims>> list) {
  AttrMap attrs;
  for (const auto &[name, values] : list)
    attrs.set(name, values);
  return attrs;
}

StatusOr<BoundSpec> bindText(const char *text, const std::vector<Dims> &shapes,
                             const AttrMap &attrs = {}) {
  auto spec = IndexSpec::parse(text);
  EXPECT_TRUE(spec.isOk()) << spec.status().message();
  return spec->bind(shapes, attrs);
}

/// The shape of the result, or the error.
std::string shapeOf(const char *text, const std::vector<Dims> &shapes,
                    const AttrMap &attrs = {}) {
  auto bound = bindText(text, shapes, attrs);
  return bound ? shapeToString(bound->resultDims)
               : std::string(bound.status().message());
}

std::string reductionsOf(const BoundSpec &bound) {
  std::string names;
  for (const Loop &loop : bound.loops)
    if (loop.isReduction)
      names += loop.name + " ";
  return names;
}

} // namespace

// Contractions, batched and broadcast as numpy.matmul does.
TEST(IndexSpecBindingTest, matmul) {
  EXPECT_EQ(shapeOf(matmul, {{2, 3}, {3, 4}}), "2x4");
  EXPECT_EQ(shapeOf(matmul, {{5, 2, 3}, {5, 3, 4}}), "5x2x4");
  EXPECT_EQ(shapeOf(matmul, {{7, 1, 2, 3}, {5, 3, 4}}), "7x5x2x4");
  EXPECT_EQ(shapeOf(matmul, {{-1, 3}, {-1, 4}}), "?x4");
  EXPECT_EQ(shapeOf(matmul, {{0, 3}, {3, 4}}), "0x4");
  auto bound = bindText(matmul, {{5, 2, 3}, {1, 3, 4}});
  EXPECT_EQ(reductionsOf(*bound), "k ");
  EXPECT_EQ(bound->numPoints(), 5 * 2 * 3 * 4);
  EXPECT_TRUE(bound->operands[1][0].terms.empty());
  EXPECT_EQ(shapeOf(matmul, {{2, 3}, {4, 5}}),
            "dim 'k' is 3 by operand 0 (2x3) but 4 by operand 1 (4x5)");
  EXPECT_EQ(shapeOf(matmul, {{2, 2, 3}, {3, 3, 4}}),
            "dim 0 of operand 1 (3x3x4) is 3, expected 1 or 2");
  EXPECT_EQ(shapeOf(matmul, {{3}, {3, 4}}),
            "operand 0 (3): expects rank at least 2, found rank 1");
  EXPECT_EQ(shapeOf(matmul, {{2, 3}}), "expects at least 2 operands, found 1");
  EXPECT_EQ(shapeOf(matmul, {{2, 3}, {3, 4}, {4}}),
            "expects at most 2 operands, found 3");
}

// Convolution shapes are those of ONNX's formula.
TEST(IndexSpecBindingTest, convolution) {
  EXPECT_EQ(shapeOf(conv, {{1, 3, 9}, {8, 3, 3}}), "1x8x7");
  EXPECT_EQ(shapeOf(conv, {{1, 3, 9, 8}, {8, 3, 3, 2}, {8}},
                    attrsOf({{"strides", {2, 1}},
                             {"dilations", {1, 3}},
                             {"pads", {0, 1, 1, 2}}})),
            "1x8x4x8");
  EXPECT_EQ(shapeOf(conv, {{2, 4, 5, 5, 5}, {6, 2, 3, 3, 3}},
                    attrsOf({{"groups", {2}}})),
            "2x6x3x3x3");
  EXPECT_EQ(shapeOf(conv, {{-1, 3, -1, 8}, {8, 3, 3, 3}}), "?x8x?x6");
  auto bound = bindText(conv, {{1, 3, 9}, {8, 3, 3}, {8}});
  EXPECT_EQ(bound->initOperand, 2);
  EXPECT_EQ(reductionsOf(*bound), "c k0 ");
}

// A window counts as leaving only where it does.
TEST(IndexSpecBindingTest, leavingIsExact) {
  auto leaves = [](const AttrMap &attrs, int64_t size) {
    auto bound = bindText(conv, {{1, 1, size}, {1, 1, 3}}, attrs);
    return bound->operands[0][2].mayLeave;
  };
  EXPECT_FALSE(leaves({}, 8));
  EXPECT_FALSE(leaves(attrsOf({{"pads", {0, 0}}}), 8));
  EXPECT_TRUE(leaves(attrsOf({{"pads", {0, 1}}}), 8));
  EXPECT_FALSE(leaves(attrsOf({{"pads", {0, 1}}, {"strides", {2}}}), 8 + 1));
  EXPECT_FALSE(leaves(attrsOf({{"pads", {-1, -1}}}), 8));
  EXPECT_TRUE(leaves({}, unknownDim));
}

// Every contradiction of a convolution has its own message.
TEST(IndexSpecBindingTest, convolutionErrors) {
  EXPECT_EQ(shapeOf(conv, {{1, 4, 9}, {8, 3, 3}}),
            "dim 1 of operand 0 (1x4x9) is 4, expected 3, because 'c' is 3 by "
            "operand 1 (8x3x3)");
  EXPECT_EQ(shapeOf(conv, {{1, 4, 9}, {7, 2, 3}}, attrsOf({{"groups", {2}}})),
            "dim 0 of operand 1 (7x2x3) is 7, expected a multiple of 2, "
            "because 'g' is 2 by an attribute");
  EXPECT_EQ(shapeOf(conv, {{1, 4, 9}, {8, 2, 3}}, attrsOf({{"groups", {0}}})),
            "attribute 'groups' expects values from 1 to 281474976710656, "
            "found 0");
  EXPECT_EQ(shapeOf(conv, {{1, 3, 9}, {8, 3, 3, 3}}),
            "operand 1 (8x3x3x3) has 2 spatial dims where operand 0 (1x3x9) "
            "has 1");
  EXPECT_EQ(shapeOf(conv, {{1, 3, 2}, {8, 3, 3}}),
            "a window of 3 does not fit into spatial dim 0 of operand 0 "
            "(1x3x2), which is 2 with padding");
  EXPECT_EQ(
      shapeOf(conv, {{1, 3, 9}, {8, 3, 3}}, attrsOf({{"strides", {1, 2}}})),
      "attribute 'strides' expects 1 value, one per spatial dim, found 2");
  EXPECT_EQ(shapeOf(conv, {{1, 3, 9}, {8, 3, 3}}, attrsOf({{"pads", {1}}})),
            "attribute 'pads' expects 2 values, the begins then the ends of "
            "the spatial dims, found 1");
  EXPECT_EQ(shapeOf(conv, {{1, 3, 9}, {8, 3, 3}}, attrsOf({{"strides", {0}}})),
            "attribute 'strides' expects values from 1 to 281474976710656, "
            "found 0");
  EXPECT_EQ(shapeOf(conv, {{1, 3, 9}, {8, 3, 3}, {7}}),
            "dim 0 of operand 2 (7) is 7, expected 8, because 'o' is 8 by "
            "operand 1 (8x3x3)");
  AttrMap floats;
  floats.set("strides", std::vector<double>{1.5});
  EXPECT_EQ(shapeOf(conv, {{1, 3, 9}, {8, 3, 3}}, floats),
            "attribute 'strides' expects integers");
}

// ONNX: stride * (in - 1) + output_padding + (k - 1) * dilation + 1 - pads.
TEST(IndexSpecBindingTest, transposedConvolution) {
  AttrMap attrs = attrsOf({{"groups", {2}},
                           {"strides", {2}},
                           {"dilations", {3}},
                           {"pads", {1, 2}},
                           {"output_padding", {1}}});
  EXPECT_EQ(shapeOf(convTranspose, {{1, 4, 5}, {4, 3, 3}, {6}}, attrs),
            "1x6x13");
  auto bound = bindText(convTranspose, {{1, 4, 5}, {4, 3, 3}}, attrs);
  EXPECT_EQ(reductionsOf(*bound), "x0 k0 c ");
  EXPECT_TRUE(bound->result[2].mayLeave);
  EXPECT_EQ(shapeOf(convTranspose, {{1, 1, 1}, {1, 1, 1}},
                    attrsOf({{"pads", {1, 1}}})),
            "spatial dim 0 of the result has -1 elements after padding, "
            "expected 0 to 281474976710656");
}

// Pooling follows ONNX's rule: a partial window counts if it begins before the
// end padding.
TEST(IndexSpecBindingTest, pooling) {
  auto poolShape = [](int64_t size, Dims pads, int64_t ceil, int64_t kernel,
                      int64_t stride) {
    return shapeOf(pool, {{1, 2, size}},
                   attrsOf({{"kernel_shape", {kernel}},
                            {"strides", {stride}},
                            {"pads", std::move(pads)},
                            {"ceil_mode", {ceil}}}));
  };
  EXPECT_EQ(poolShape(6, {0, 0}, 0, 3, 2), "1x2x2");
  EXPECT_EQ(poolShape(6, {0, 0}, 1, 3, 2), "1x2x3");
  EXPECT_EQ(poolShape(5, {0, 0}, 1, 3, 2), "1x2x2");
  EXPECT_EQ(poolShape(4, {0, 1}, 1, 1, 3), "1x2x2");
  EXPECT_EQ(poolShape(2, {0, 1}, 1, 2, 2), "1x2x1");
  EXPECT_EQ(shapeOf(pool, {{1, 2, 4, 4}}, attrsOf({{"kernel_shape", {2}}})),
            "attribute 'kernel_shape' expects 2 values, one per spatial dim, "
            "found 1");
}

// Reductions count axes from either end and keep dims unless told not to.
TEST(IndexSpecBindingTest, reduction) {
  EXPECT_EQ(shapeOf(reduce, {{2, 3, 4}}, attrsOf({{"axes", {-1, 0}}})),
            "1x3x1");
  EXPECT_EQ(shapeOf(reduce, {{2, 3, -1}},
                    attrsOf({{"axes", {1}}, {"keepdims", {0}}})),
            "2x?");
  EXPECT_EQ(shapeOf(reduce, {{2, 3}}, attrsOf({{"keepdims", {0}}})), "scalar");
  EXPECT_EQ(shapeOf(reduce, {{}}), "scalar");
  EXPECT_EQ(shapeOf(reduce, {{2, 3}}, attrsOf({{"axes", {2}}})),
            "attribute 'axes' expects values from -2 to 1, found 2");
  EXPECT_EQ(shapeOf(reduce, {{2, 3}}, attrsOf({{"axes", {1, -1}}})),
            "attribute 'axes' expects every axis once, found 1 twice");
  EXPECT_EQ(shapeOf(reduce, {{}}, attrsOf({{"axes", {0}}})),
            "attribute 'axes' expects no axes for a scalar, found 0");
}

TEST(IndexSpecBindingTest, transposition) {
  EXPECT_EQ(shapeOf(transpose, {{2, -1, 4}}, attrsOf({{"perm", {2, 0, 1}}})),
            "4x2x?");
  EXPECT_EQ(shapeOf(transpose, {{}}), "scalar");
  EXPECT_EQ(shapeOf(transpose, {{2, 3}}, attrsOf({{"perm", {0, 0}}})),
            "attribute 'perm' expects each of 0 to 1 once, found 0 twice");
  EXPECT_EQ(shapeOf(transpose, {{2, 3}}, attrsOf({{"perm", {0, 2}}})),
            "attribute 'perm' expects each of 0 to 1 once, found 2");
  EXPECT_EQ(shapeOf(transpose, {{2, 3}}, attrsOf({{"perm", {0}}})),
            "attribute 'perm' expects 2 values, found 1");
}

// A slice may run backwards but never outside.
TEST(IndexSpecBindingTest, slices) {
  auto sliceShape = [](int64_t step, int64_t start, int64_t size) {
    return shapeOf(
        slice, {{10}},
        attrsOf({{"steps", {step}}, {"starts", {start}}, {"sizes", {size}}}));
  };
  EXPECT_EQ(sliceShape(3, 1, 3), "3");
  EXPECT_EQ(sliceShape(-3, 9, 4), "4");
  EXPECT_EQ(sliceShape(1, 10, 0), "0");
  EXPECT_EQ(sliceShape(3, 1, 4), "elements 1 to 10 of dim 0 of operand 0 (10) "
                                 "are asked for, expected 0 to 9");
  EXPECT_EQ(sliceShape(-4, 7, 3), "elements -1 to 7 of dim 0 of operand 0 (10) "
                                  "are asked for, expected 0 to 9");
  EXPECT_EQ(sliceShape(1, 0, -1), "attribute 'sizes' expects values from 0 to "
                                  "281474976710656, found -1");
  EXPECT_EQ(shapeOf(slice, {{-1}}, attrsOf({{"sizes", {3}}})), "3");
}

TEST(IndexSpecBindingTest, padding) {
  EXPECT_EQ(shapeOf(pad, {{2, 3}}, attrsOf({{"pads", {1, 0, 0, 2}}})), "3x5");
  EXPECT_EQ(shapeOf(pad, {{2, 3}}, attrsOf({{"pads", {-1, 0, 0, -3}}})), "1x0");
  EXPECT_EQ(shapeOf(pad, {{0}}), "0");
  EXPECT_EQ(shapeOf(pad, {{-1}}, attrsOf({{"pads", {1, 1}}})), "?");
  EXPECT_EQ(shapeOf(pad, {{2}}, attrsOf({{"pads", {-2, -1}}})),
            "attribute 'pads' leaves -1 elements of dim 0 of operand 0 (2); "
            "expected 0 or more");
}

// numpy's broadcasting; an unknown dim beside 1 stays unknown.
TEST(IndexSpecBindingTest, broadcasting) {
  EXPECT_EQ(shapeOf(expand, {{3, 1}}, attrsOf({{"shape", {2, 1, 4}}})),
            "2x3x4");
  EXPECT_EQ(shapeOf(expand, {{}}), "scalar");
  EXPECT_EQ(shapeOf(expand, {{3}}, attrsOf({{"shape", {4}}})),
            "dim 0 of operand 0 (3) is 3, expected 1 or 4");
  EXPECT_EQ(shapeOf("...,...->...", {{-1, 1}, {1, 5}}), "?x5");
  EXPECT_EQ(shapeOf("...,...->...", {{-1}, {5}}), "5");
  EXPECT_EQ(shapeOf("...,...->...", {{-1}, {0}}), "0");
  EXPECT_EQ(shapeOf("...,...->...", {{4, 1, 3}, {2, 1}}), "4x2x3");
}

// A term marked '<' is broadcast but enlarges nothing, wherever it stands.
TEST(IndexSpecBindingTest, broadcastOnly) {
  EXPECT_EQ(shapeOf(clip, {{2, 3}}), "2x3");
  EXPECT_EQ(shapeOf(clip, {{2, 3}, {}, {3}}), "2x3");
  EXPECT_EQ(shapeOf(clip, {{2, 1}, {}, {3}}),
            "dim 0 of operand 2 (3) is 3, expected 1");
  EXPECT_EQ(shapeOf(clip, {{3}, {1, 3}}),
            "operand 1 (1x3) has 2 leading dims, expected at most 1");
  EXPECT_EQ(shapeOf("<...,...->...", {{3}, {2, 3}}), "2x3");
}

// An indirect dim has any size; the others are those of the result.
TEST(IndexSpecBindingTest, indirectDims) {
  EXPECT_EQ(shapeOf(take, {{5, 3}, {7}}), "7x3");
  EXPECT_EQ(shapeOf(take, {{5, 3}, {7}}, attrsOf({{"axis", {-1}}})), "5x7");
  EXPECT_EQ(shapeOf(take, {{-1, 3}, {-1}}), "?x3");
  EXPECT_EQ(shapeOf(takeAlong, {{5, 3}, {7, 3}}), "7x3");
  EXPECT_EQ(shapeOf(takeAlong, {{5, 3}, {7, 4}}),
            "dim 'x1' is 3 by operand 0 (5x3) but 4 by operand 1 (7x4)");
  EXPECT_EQ(shapeOf("[x]->[x(p)axis]|p=size", {{2, 3}},
                    attrsOf({{"axis", {1}}, {"size", {9}}})),
            "2x9");
  auto bound = bindText(take, {{5, 3, 2}, {7}}, attrsOf({{"axis", {1}}}));
  ASSERT_TRUE(bound.isOk());
  EXPECT_EQ(bound->operands[0][1].indirect, 1);
  EXPECT_TRUE(bound->operands[0][1].terms.empty());
  EXPECT_EQ(bound->operands[0][0].indirect, -1);
  EXPECT_EQ(bound->loops.size(), 3u);
  EXPECT_EQ(reductionsOf(*bound), "");
}

// Values run along one loop, in order; backwards all indices fall along it.
TEST(IndexSpecBindingTest, runningDims) {
  constexpr const char *scan = "[x]->[x>axis]";
  auto bound = bindText(scan, {{5, 3}}, attrsOf({{"axis", {-1}}}));
  ASSERT_TRUE(bound.isOk());
  EXPECT_EQ(bound->runningLoop, 1);
  EXPECT_FALSE(bound->isExclusive);
  EXPECT_TRUE(bound->combinesPoints());
  EXPECT_EQ(reductionsOf(*bound), "");
  EXPECT_EQ(bound->result[1].terms[0].coefficient, 1);
  bound =
      bindText(scan, {{5, 3}},
               attrsOf({{"axis", {0}}, {"reverse", {1}}, {"exclusive", {1}}}));
  ASSERT_TRUE(bound.isOk());
  EXPECT_EQ(bound->runningLoop, 0);
  EXPECT_TRUE(bound->isExclusive);
  EXPECT_EQ(bound->operands[0][0].terms[0].coefficient, -1);
  EXPECT_EQ(bound->result[0].offset, 4);
  EXPECT_EQ(bound->result[1].offset, 0);
  EXPECT_EQ(shapeOf(scan, {{5, 3}}, attrsOf({{"axis", {2}}})),
            "attribute 'axis' expects a value from -2 to 1, found 2");
}

// An axis that there is not, and a dim without anything to pick.
TEST(IndexSpecBindingTest, indirectDimsErrors) {
  EXPECT_EQ(shapeOf(take, {{5, 3}, {7}}, attrsOf({{"axis", {2}}})),
            "attribute 'axis' expects a value from -2 to 1, found 2");
  EXPECT_EQ(shapeOf(take, {{}, {7}}),
            "attribute 'axis' names axis 0 of a scalar, expected a tensor of "
            "rank 1 or more");
  EXPECT_EQ(shapeOf(take, {{0, 3}, {7}}),
            "dim 0 of operand 0 (0x3) has no element to pick, expected 1 or "
            "more");
  EXPECT_EQ(shapeOf(take, {{0, 3}, {0}}), "0x3");
  EXPECT_EQ(shapeOf(take, {{0, 0}, {7}}), "7x0");
}

// A place is a loop by its letter, or by the attribute that says which.
TEST(IndexSpecBindingTest, findsLoops) {
  auto nameOf = [](const BoundSpec &bound, const char *place,
                   const AttrMap &attrs = {}) {
    int loop = findLoop(bound, place, attrs);
    return loop < 0 ? std::string("none") : bound.loops[loop].name;
  };
  auto matrices = bindText("...mn->...mn", {{2, 3, 4}});
  ASSERT_TRUE(matrices.isOk());
  EXPECT_EQ(nameOf(*matrices, "m"), "m");
  EXPECT_EQ(nameOf(*matrices, "k"), "none");
  auto dropped = bindText(reduce, {{2, 3, 4}}, attrsOf({{"axes", {1}}}));
  ASSERT_TRUE(dropped.isOk());
  EXPECT_EQ(nameOf(*dropped, "x@axis", attrsOf({{"axis", {1}}})), "x1");
  EXPECT_EQ(nameOf(*dropped, "x@axis", attrsOf({{"axis", {-1}}})), "x2");
  EXPECT_EQ(nameOf(*dropped, "x@axis", attrsOf({{"axis", {INT64_MIN}}})),
            "none");
}

// Sizes that no machine holds are errors before anything overflows.
TEST(IndexSpecBindingTest, hugeSizes) {
  int64_t huge = INT64_MAX, large = int64_t{1} << 40;
  EXPECT_EQ(shapeOf(matmul, {{huge, 2}, {2, 2}}),
            "dim 0 of operand 0 (9223372036854775807x2) is "
            "9223372036854775807, expected 0 to 281474976710656");
  EXPECT_EQ(shapeOf(matmul, {{large, large}, {large, 2}}),
            "operand 0 (1099511627776x1099511627776) is too large, expected "
            "at most 4611686018427387904 elements");
  EXPECT_EQ(shapeOf("m,n,k->m", {{large}, {large}, {large}}),
            "the iteration space is too large, expected at most "
            "4611686018427387904 elements");
  EXPECT_NE(shapeOf(pool, {{1, 1, 4}},
                    attrsOf({{"kernel_shape", {1}}, {"pads", {huge, huge}}}))
                .find("attribute 'pads' expects values from -281474976710656"),
            std::string::npos);
}

// Letters that nothing gives a size are errors, unless a dim is unknown.
TEST(IndexSpecBindingTest, undeterminedSizes) {
  EXPECT_EQ(shapeOf("(ab)->ab", {{6}}),
            "the size of dim 'a' follows from no operand and no attribute");
  EXPECT_EQ(shapeOf("(ab)->ab", {{-1}}), "?x?");
  EXPECT_EQ(shapeOf("(ab)->ab|a=parts", {{6}}, attrsOf({{"parts", {2}}})),
            "2x3");
  EXPECT_EQ(shapeOf("mk,+k->m", {{2, 3}, {3}}),
            "dim 'k' of operand 1 (3) is reduced, expected a dim of the "
            "result");
}
