//===- NearNamesTest.cpp - What errors offer in place of a name -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/NearNames.h"

#include <gtest/gtest.h>
#include <vector>

using namespace weir;

using Names = std::vector<std::string>;

TEST(NearNamesTest, countsChanges) {
  EXPECT_EQ(editDistance("relu", "relu"), 0u);
  EXPECT_EQ(editDistance("", "relu"), 4u);
  EXPECT_EQ(editDistance("rel", "relu"), 1u);
  EXPECT_EQ(editDistance("reul", "relu"), 1u);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u);
}

TEST(NearNamesTest, findsSlips) {
  const Names ops = {"read", "relu", "batch_norm", "sub", "reduce_sum"};
  EXPECT_EQ(findNearest("reul", ops), "relu");
  EXPECT_EQ(findNearest("ReLU", ops), "relu");
  EXPECT_EQ(findNearest("BatchNorm", ops), "batch_norm");
  EXPECT_EQ(findNearest("subtract", ops), "sub");
  EXPECT_EQ(findNearest("x", ops), "");
  EXPECT_EQ(findNearest("", ops), "");
  EXPECT_EQ(findNearest("relu", {}), "");
}

// More edits than are asked for, and names that contain others, are no slips.
TEST(NearNamesTest, findsTheNearestSlip) {
  const Names ops = {"Asin", "Asinh", "Conv", "MaxPool"};
  EXPECT_EQ(findSlip("ASINH", ops, 0), "Asinh");
  EXPECT_EQ(findSlip("asinhh", ops, 1), "Asinh");
  EXPECT_EQ(findSlip("asinhh", ops, 0), "");
  EXPECT_EQ(findSlip("MaxRoiPool", ops, 2), "");
  EXPECT_EQ(findSlip("MaxRoiPool", ops, 3), "MaxPool");
  EXPECT_EQ(findSlip("DeformConv", ops, 4), "");
}

// What several names contain does not say which one is meant.
TEST(NearNamesTest, doesNotGuess) {
  const Names losses = {"binary_cross_entropy", "softmax_cross_entropy"};
  EXPECT_EQ(findNearest("cross_entropy", losses), "");
  EXPECT_EQ(findNearest("sigmoid_cross_entropy", losses), "");
}

TEST(NearNamesTest, listsAllThatFit) {
  EXPECT_EQ(offerNames("adm", Names{"adam", "sgd"}),
            "did you mean 'adam'? There are 'adam', 'sgd'");
  EXPECT_EQ(offerNames("lion", Names{"adam", "sgd"}),
            "there are 'adam', 'sgd'");
  EXPECT_EQ(offerNames("z", Names{"x", "y"}, "inputs"),
            "the inputs are 'x', 'y'");
  EXPECT_EQ(offerNames("z", Names{"x"}), "there is only 'x'");
  EXPECT_EQ(offerNames("z", Names(), "inputs"), "there are no inputs");
  EXPECT_EQ(offerNames("z", Names{"a\n"}), "there is only 'a?'");
}

TEST(NearNamesTest, listsTheNearestOfMany) {
  Names names;
  for (int i = 0; i < 1000; ++i)
    names.push_back("weight_" + std::to_string(i));
  EXPECT_EQ(offerNames("weigth_777", names, "tensors", "--emit shows all"),
            "did you mean 'weight_777'? The tensors are 'weight_777', "
            "'weight_77', 'weight_177', 'weight_277', 'weight_377' and 995 "
            "more; --emit shows all");
}

static std::string describe(std::string_view flag) {
  const Names flags = {"--help",    "-o",        "--devices",
                       "--threads", "--weights", "--target-cpu"};
  return describeUnknownFlag("tool", flag, flags);
}

TEST(NearNamesTest, findsFlags) {
  const std::string all = "? tool --help lists all flags";
  EXPECT_EQ(describe("--device=cpu:0"),
            "unknown flag '--device=cpu:0'; did you mean --devices" + all);
  EXPECT_EQ(describe("-threads"),
            "unknown flag '-threads'; did you mean --threads" + all);
  EXPECT_EQ(describe("--output"),
            "unknown flag '--output'; did you mean -o" + all);
  EXPECT_EQ(describe("-j4"),
            "unknown flag '-j4'; did you mean --threads" + all);
  EXPECT_EQ(describe("-w"), "unknown flag '-w'; did you mean --weights" + all);
  EXPECT_EQ(describe("--cpu"),
            "unknown flag '--cpu'; did you mean --target-cpu" + all);
  EXPECT_EQ(describe("--frobnicate"),
            "unknown flag '--frobnicate'; tool --help lists all flags");
  EXPECT_EQ(describe("---"), "unknown flag '---'; tool --help lists all flags");
}
