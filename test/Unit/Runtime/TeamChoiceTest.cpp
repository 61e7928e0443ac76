//===- TeamChoiceTest.cpp - When runs do without their team ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/CPU/TeamChoice.h"

#include <functional>
#include <gtest/gtest.h>

using namespace weir;

namespace {

constexpr uint64_t ms = 1'000'000;

/// A list whose runs take a time that depends on the number of runs before.
struct Runs {
  using Time = std::function<uint64_t(int run)>;
  Time onTeam, alone;
  TeamChoice choice = {};
  int numRuns = 0;
  uint64_t teamNs = 0, aloneNs = 0;

  /// Runs until `ns` have passed. Returns the number of runs.
  int runFor(uint64_t ns) {
    teamNs = aloneNs = 0;
    const int before = numRuns;
    while (teamNs + aloneNs < ns) {
      const bool isAlone = choice.isAlone();
      const uint64_t took = (isAlone ? alone : onTeam)(numRuns++);
      (isAlone ? aloneNs : teamNs) += took;
      choice.add(took);
    }
    return numRuns - before;
  }
};

Runs::Time always(uint64_t ns) {
  return [ns](int) { return ns; };
}

/// 2 ms, and each third time 10 ms.
uint64_t disturbed(int run) { return (run % 3 == 0 ? 10 : 2) * ms; }

// The first run of a list is slow, and others vary a little.
TEST(TeamChoice, StaysWithATeamThatIsNotDisturbed) {
  Runs runs{
      [](int run) { return run == 0 ? 100 * ms : 2 * ms + run % 7 * ms / 20; },
      always(1 * ms)};
  runs.runFor(10'000 * ms);
  EXPECT_EQ(runs.aloneNs, 0u);
}

// A core that is busy makes runs on the team slow. Then nearly all do without.
TEST(TeamChoice, LeavesATeamThatIsSlower) {
  Runs runs{disturbed, always(3 * ms)};
  runs.runFor(200 * ms);
  const uint64_t reached =
      static_cast<uint64_t>(runs.runFor(10'000 * ms)) * 3 * ms;
  EXPECT_GT(reached, 9'500 * ms);
}

// So do runs that take longer than a window.
TEST(TeamChoice, LeavesATeamForLongRuns) {
  Runs runs{[](int run) { return (run % 3 == 0 ? 300 : 100) * ms; },
            always(94 * ms)};
  runs.runFor(1'000 * ms);
  const uint64_t reached =
      static_cast<uint64_t>(runs.runFor(60'000 * ms)) * 94 * ms;
  EXPECT_GT(reached, 57'000 * ms);
}

// When the core is free again, the team comes back for good.
TEST(TeamChoice, ComesBackToATeamThatIsFaster) {
  Runs runs{disturbed, always(3 * ms)};
  runs.runFor(5'000 * ms);
  runs.onTeam = always(2 * ms);
  runs.runFor(3'000 * ms);
  runs.runFor(5'000 * ms);
  EXPECT_EQ(runs.aloneNs, 0u);
}

// A team that is disturbed but faster is left for a moment only, now and then.
TEST(TeamChoice, KeepsADisturbedTeamThatIsFaster) {
  Runs runs{[](int run) { return (run % 3 == 0 ? 4 : 2) * ms; },
            always(5 * ms)};
  runs.runFor(10'000 * ms);
  EXPECT_LT(runs.aloneNs, 400 * ms);
}

} // namespace
