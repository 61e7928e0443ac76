//===- CoreTurnsTest.cpp - Tests of the turns of devices ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/CoreTurns.h"

#include <gtest/gtest.h>
#include <optional>

using namespace weir;

namespace {

/// Counts its turns.
class Counter final : public TurnTaker {
public:
  void takeTurn() override { ++numTurns; }
  int numTurns = 0;
};

} // namespace

// Only members that have a processor in common are rivals, and only while both
// exist. A member without processors may use all.
TEST(CoreTurns, MembersWithoutACommonProcessorAreAlone) {
  CoreTurns turns;
  const CoreTurns::Member left(turns, {0, 1}), right(turns, {2});
  EXPECT_TRUE(left.isAlone());
  EXPECT_TRUE(right.isAlone());
  {
    const CoreTurns::Member both(turns, {1, 2});
    EXPECT_FALSE(both.isAlone());
    EXPECT_FALSE(left.isAlone());
    EXPECT_FALSE(right.isAlone());
  }
  EXPECT_TRUE(left.isAlone());
  EXPECT_TRUE(right.isAlone());
  std::optional<CoreTurns::Member> all;
  all.emplace(turns, std::set<int>());
  EXPECT_FALSE(left.isAlone());
  EXPECT_FALSE(all->isAlone());
  all.reset();
  EXPECT_TRUE(left.isAlone());
}

// While a run of one member is under way, its rivals wait for their turn.
TEST(CoreTurns, RivalsWait) {
  CoreTurns turns;
  CoreTurns::Member left(turns, {0, 1}), right(turns, {1, 2});
  const auto taker = std::make_shared<Counter>();
  ASSERT_TRUE(left.begin(taker));
  EXPECT_FALSE(right.begin(taker));
  EXPECT_EQ(taker->numTurns, 0);
  turns.end();
  EXPECT_EQ(taker->numTurns, 1);
  EXPECT_TRUE(right.begin(taker));
  turns.end();
}
