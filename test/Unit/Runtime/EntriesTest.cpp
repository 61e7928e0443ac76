//===- EntriesTest.cpp - Tests of entries by name and shape ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Session.h"

#include "SmallPlans.h"
#include "weir/Support/HostTensor.h"

#include <gtest/gtest.h>

using namespace weir;
using namespace weir::test;

namespace {

/// y = a + 2p, z = 3b, for vectors of each size in `sizes`; p is packed, as one
/// parameter of 2 elements.
PlanBuilder sums(const std::vector<int64_t> &sizes) {
  PlanBuilder plan;
  plan.device("test:0");
  bool isFirst = true;
  for (int64_t size : sizes) {
    if (!isFirst)
      plan.beginEntry("main");
    const uint32_t a = plan.input("a", 2), b = plan.input("b", size);
    const uint32_t y = plan.output("y", 2), z = plan.output("z", size);
    const uint32_t p =
        isFirst ? plan.parameter({10, 20}) : plan.parameterOn(0, 0);
    plan.on(0).launch("packed", "packed", {a, p}, {y});
    plan.launch("times", "affine", {b}, {z}, affine(3));
    isFirst = false;
  }
  return plan;
}

// A run takes the plan of the shape that fits, and the plans share what was
// packed.
TEST(Entries, ARunTakesTheShapeThatFits) {
  PlanBuilder plan = sums({3, 5});
  numPrepared = numPacked = 0;
  auto session = load(plan);
  EXPECT_EQ(session->entry().numShapes(), 2u);
  EXPECT_EQ(session->entry().inputs(1)[1].desc.toString(), "5xf32");
  EXPECT_TRUE(session->entry().inputs(2).empty());
  EXPECT_TRUE(session->entry().launches(2).empty());
  EXPECT_EQ(numPacked, 1);
  EXPECT_EQ(session->stats().devices[0].packedBytes, 256u);
  EXPECT_EQ(session->stats().devices[0].kernels, 3u);
  for (size_t size : {3u, 5u, 3u})
    EXPECT_EQ(*run(*session, {{1, 2}, Floats(size, 2)}),
              (std::vector<Floats>{{21, 42}, Floats(size, 6)}));
  EXPECT_EQ(run(*session, {{1, 2}, Floats(4)}).status().message(),
            "expected the inputs of entry 'main' in one of its shapes ('a' "
            "2xf32, 'b' 3xf32), ('a' 2xf32, 'b' 5xf32), found (2xf32, 4xf32); "
            "compile the entry for this shape, too");
}

/// A vector and its view.
struct Vector {
  explicit Vector(Floats elements)
      : values(std::move(elements)), dims{static_cast<int64_t>(values.size())} {
  }
  ConstTensorView in() const {
    return {DType::F32, dims, values.data(), values.size() * 4};
  }
  TensorView out() {
    return {DType::F32, dims, values.data(), values.size() * 4};
  }
  Floats values;
  std::vector<int64_t> dims;
};

// Feeds and fetches by name come in any order, and outputs may be left out.
TEST(Entries, RunsByName) {
  PlanBuilder plan = sums({3, 5});
  auto session = load(plan);
  const Vector a({1, 2}), b({1, 2, 3, 4, 5});
  Vector y({0, 0}), z({0, 0, 0, 0, 0});
  const NamedInput inputs[] = {{"b", b.in()}, {"a", a.in()}};
  const NamedOutput outputs[] = {{"z", z.out()}, {"y", y.out()}};
  ASSERT_TRUE(session->run(inputs, outputs).isOk());
  EXPECT_EQ(y.values, (Floats{21, 42}));
  EXPECT_EQ(z.values, (Floats{3, 6, 9, 12, 15}));
  y.values = {0, 0};
  ASSERT_TRUE(session->run(inputs, std::span(outputs).last(1)).isOk());
  EXPECT_EQ(y.values, (Floats{21, 42}));
}

TEST(Entries, RefusesWrongNames) {
  PlanBuilder plan = sums({2});
  auto session = load(plan);
  const Vector a({1, 2});
  Vector y({0, 0});
  const NamedInput missing[] = {{"b", a.in()}};
  const NamedInput unknown[] = {{"b", a.in()}, {"a", a.in()}, {"c", a.in()}};
  const NamedInput twice[] = {{"b", a.in()}, {"b", a.in()}};
  const NamedOutput outputs[] = {{"y", y.out()}};
  EXPECT_EQ(session->run(missing, outputs).message(),
            "input 'a' is missing; the inputs are 'a' 2xf32, 'b' 2xf32");
  EXPECT_EQ(session->run(unknown, outputs).message(),
            "there is no input 'c'; the inputs are 'a' 2xf32, 'b' 2xf32");
  EXPECT_EQ(session->run(twice, outputs).message(),
            "input 'b' is listed twice; list it once");
  const NamedOutput other[] = {{"q", y.out()}};
  EXPECT_EQ(session->run(std::span(unknown).first(2), other).message(),
            "there is no output 'q'; the outputs are 'y' 2xf32, 'z' 2xf32");
}

// Without a main among several entries, each run names its entry.
TEST(Entries, NeedNoMain) {
  PlanBuilder plan;
  plan.device("test:0");
  for (double scale : {2, 3}) {
    const std::string name = scale == 2 ? "double" : "triple";
    if (scale == 2)
      plan.entry().name = name;
    else
      plan.beginEntry(name);
    const uint32_t x = plan.input("x", 2), y = plan.output("y", 2);
    plan.on(0).launch("times", "affine", {x}, {y}, affine(scale));
  }
  auto session = load(plan);
  const Vector x({1, 2});
  Vector y({0, 0});
  const ConstTensorView in = x.in();
  const TensorView out = y.out();
  for (const auto &[name, result] :
       {std::pair("double", Floats{2, 4}), {"triple", Floats{3, 6}}}) {
    ASSERT_TRUE(session->entry(name)->run({&in, 1}, {&out, 1}).isOk());
    EXPECT_EQ(y.values, result);
  }
  const std::string refusal =
      "name the entry to run, one of 'double', 'triple'";
  const NamedInput inputs[] = {{"x", in}};
  const NamedOutput outputs[] = {{"y", out}};
  EXPECT_EQ(session->run({&in, 1}, {&out, 1}).message(), refusal);
  EXPECT_EQ(session->run(inputs, outputs).message(), refusal);
  EXPECT_EQ(run(*session, {{1, 2}}).status().message(), refusal);
  EXPECT_EQ(session->runAsync({&in, 1}, {&out, 1}).get().message(), refusal);
  EXPECT_EQ(session->entry("").status().message(), refusal);
  EXPECT_EQ(session->entry().numShapes(), 0u);
  EXPECT_EQ(session->entry().name(), "");
  EXPECT_TRUE(session->inputs().empty() && session->outputs().empty());
  EXPECT_TRUE(session->launches().empty() && session->tensors().empty());

  SessionOptions options = testOptions();
  options.entry = "triple";
  EXPECT_EQ(load(plan, options)->entry("")->name(), "triple");
  options.entry = "half";
  EXPECT_EQ(Session::load(plan.bytes(), options).status().message(),
            "there is no entry 'half'; the entries are 'double', 'triple'");
}

} // namespace
