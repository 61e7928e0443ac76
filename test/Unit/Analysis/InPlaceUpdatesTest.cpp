//===- InPlaceUpdatesTest.cpp - Tests of the choice of updates ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/InPlaceUpdates.h"

#include "gtest/gtest.h"

#include <numeric>
#include <random>

using namespace weir::analysis;

namespace {

using Dependencies = std::vector<std::vector<uint32_t>>;
using Choice = std::vector<bool>;

Choice choose(const Dependencies &dependencies,
              const std::vector<Update> &updates) {
  return chooseUpdatesInPlace(dependencies, updates);
}

/// Whether all chosen updates and dependencies have a common order.
bool hasOrder(const Dependencies &dependencies,
              const std::vector<Update> &updates, const Choice &chosen) {
  Dependencies before = dependencies;
  for (size_t number = 0; number < updates.size(); ++number)
    if (chosen[number])
      for (uint32_t reader : updates[number].readers)
        before[updates[number].command].push_back(reader);
  std::vector<bool> isDone(before.size());
  for (size_t round = 0; round < before.size(); ++round)
    for (size_t command = 0; command < before.size(); ++command) {
      bool isReady = true;
      for (uint32_t other : before[command])
        isReady = isReady && isDone[other];
      isDone[command] = isDone[command] || isReady;
    }
  return std::find(isDone.begin(), isDone.end(), false) == isDone.end();
}

/// A reader behind the update in the text can come before it.
TEST(InPlaceUpdatesTest, LaterReadersMoveForward) {
  // 1 updates what 0 and 2 read.
  EXPECT_EQ(choose({{}, {0}, {0}}, {{1, {0, 2}}}), Choice({true}));
}

/// A reader that needs the new contents, too, excludes the update; one behind
/// another update does not.
TEST(InPlaceUpdatesTest, ReaderOfBothContents) {
  EXPECT_EQ(choose({{}, {0}}, {{0, {1}}}), Choice({false}));
  // 1 waits for a reader that needs 0, whose own update is impossible.
  EXPECT_EQ(choose({{}, {}, {0}}, {{1, {2}}, {0, {2}}}), Choice({true, false}));
}

/// If two variables are computed from both old values, one is copied.
TEST(InPlaceUpdatesTest, PairKeepsOne) {
  EXPECT_EQ(choose({{}, {}}, {{0, {1}}, {1, {0}}}), Choice({false, true}));
}

/// In a ring, each command reads what the next one updates.
TEST(InPlaceUpdatesTest, RingDropsOne) {
  constexpr uint32_t size = 1000;
  std::vector<Update> updates;
  for (uint32_t command = 0; command < size; ++command)
    updates.push_back({command, {(command + size - 1) % size}});
  Choice chosen = choose(Dependencies(size), updates);
  EXPECT_EQ(std::count(chosen.begin(), chosen.end(), false), 1);
}

/// A command with several updates gives up only those that have to wait.
TEST(InPlaceUpdatesTest, UpdatesOfOneCommand) {
  EXPECT_EQ(choose({{}, {0}}, {{0, {1}}, {0, {}}}), Choice({false, true}));
}

/// Updates wait for a long chain, and a long chain waits for them.
TEST(InPlaceUpdatesTest, ManyUpdates) {
  constexpr uint32_t size = 200'000;
  Dependencies dependencies(size);
  std::vector<Update> updates;
  for (uint32_t command = 1; command < size; ++command)
    dependencies[command] = {command - 1};
  for (uint32_t command = 0; command < size; ++command)
    updates.push_back({command, {size - 1 - command}});
  Choice chosen = choose(dependencies, updates);
  for (uint32_t command = 0; command < size; ++command)
    EXPECT_EQ(chosen[command], size - 1 - command < command);
}

/// What is chosen has an order; what has an order with all others is chosen.
TEST(InPlaceUpdatesTest, RandomGraphs) {
  std::mt19937 random(1);
  auto draw = [&](uint32_t limit) {
    return static_cast<uint32_t>(random() % limit);
  };
  for (int round = 0; round < 20'000; ++round) {
    uint32_t size = 2 + draw(9);
    Dependencies dependencies(size);
    for (uint32_t command = 1; command < size; ++command)
      for (uint32_t i = draw(3); i > 0; --i)
        dependencies[command].push_back(draw(command));
    std::vector<Update> updates;
    for (uint32_t i = draw(6); i > 0; --i) {
      Update &update = updates.emplace_back(Update{draw(size), {}});
      for (uint32_t j = draw(4); j > 0; --j)
        if (uint32_t reader = draw(size); reader != update.command)
          update.readers.push_back(reader);
    }
    Choice chosen = choose(dependencies, updates);
    ASSERT_TRUE(hasOrder(dependencies, updates, chosen)) << round;
    if (hasOrder(dependencies, updates, Choice(updates.size(), true))) {
      ASSERT_EQ(chosen, Choice(updates.size(), true)) << round;
    }
  }
}

} // namespace
