//===- RandomPlanTest.cpp - Tests of sessions on random programs ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Random graphs over several devices and queues, with an event for every edge
// between queues. Under the thread sanitizer they show that events order what
// they must; with a failing op in turn at each place, that nothing hangs.
//
//===----------------------------------------------------------------------===//

#include "RandomPlans.h"
#include "TestKernels.h"

#include <gtest/gtest.h>

using namespace weir;
using namespace weir::test;

namespace {

class RandomPlans : public testing::TestWithParam<unsigned> {};

// The sum is right on every run, whatever the devices overtake.
TEST_P(RandomPlans, ComputesTheSum) {
  const RandomGraph graph = RandomGraph::draw(GetParam(), 40, 3);
  RandomPlan builder(graph, "test", 3);
  auto session = Session::load(builder.plan.bytes(), testOptions());
  ASSERT_TRUE(session.isOk()) << session.status().message();
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(*runOnOnes(**session), static_cast<float>(graph.expected()));
}

// Whichever op fails, the run ends with its name and the session works on.
TEST_P(RandomPlans, EndsWhereverAnOpFails) {
  const RandomGraph graph = RandomGraph::draw(GetParam(), 12, 3);
  for (size_t node = 1; node < graph.operands.size(); ++node) {
    RandomPlan builder(graph, "test", 3, node);
    auto session = Session::load(builder.plan.bytes(), testOptions());
    ASSERT_TRUE(session.isOk()) << session.status().message();
    for (int i = 0; i < 2; ++i) {
      auto result = runOnOnes(**session);
      ASSERT_FALSE(result.isOk());
      EXPECT_EQ(
          result.status().message().substr(0, 16),
          ("op '" + RandomGraph::nameOf(node) + "' on test:").substr(0, 16));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlans, testing::Range(0u, 20u));

} // namespace
