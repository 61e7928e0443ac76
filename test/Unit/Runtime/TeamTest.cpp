//===- TeamTest.cpp - The calling thread's team of threads ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/OpenMP/Team.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

using namespace weir;

namespace {

/// Calls `function` while the calling thread's teams have `threads` threads.
template <typename Function> void onTeam(int threads, Function function) {
  const TeamSize size(threads);
  function();
}

TEST(ParallelFor, DoesEachPartOnce) {
  for (int threads : {1, 2, 3, 5})
    for (size_t parts : {0, 1, 2, 3, 7, 16})
      onTeam(threads, [&] {
        std::vector<int> calls(parts);
        parallelFor(static_cast<int64_t>(parts),
                    [&](int64_t part) { ++calls[static_cast<size_t>(part)]; });
        EXPECT_EQ(calls, std::vector<int>(parts, 1))
            << threads << " threads, " << parts << " parts";
      });
}

TEST(ParallelFor, GivesEachThreadNeighbours) {
  onTeam(2, [] {
    std::vector<int> threads(5);
    parallelFor(5, [&](int64_t part) {
      threads[static_cast<size_t>(part)] = omp_get_thread_num();
    });
    EXPECT_EQ(threads, (std::vector<int>{0, 0, 0, 1, 1}));
  });
}

// Without its team, a thread does all parts itself. The size of the team stays.
TEST(WithoutTeam, LeavesAllPartsToTheThread) {
  const auto countThreads = [] {
    std::vector<int> threads(4);
    parallelFor(4, [&](int64_t part) {
      threads[static_cast<size_t>(part)] = omp_get_num_threads();
    });
    EXPECT_EQ(threads, std::vector<int>(4, threads[0]));
    return threads[0];
  };
  onTeam(2, [&] {
    {
      const WithoutTeam without;
      EXPECT_EQ(teamSize(), 2);
      EXPECT_EQ(countThreads(), 1);
    }
    EXPECT_EQ(countThreads(), 2);
  });
}

// The size that is set holds until the end of the scope.
TEST(TeamSize, IsForAScope) {
  const int before = teamSize();
  {
    const TeamSize team(before + 1);
    EXPECT_EQ(teamSize(), before + 1);
    const TeamSize same(before + 1);
    EXPECT_EQ(teamSize(), before + 1);
  }
  EXPECT_EQ(teamSize(), before);
}

// A thread that lets OpenMP choose the size gets what it asks for in the scope,
// and has its setting again behind it.
TEST(TeamSize, IsFixedForAScope) {
  const int before = teamSize();
  for (int dynamic : {0, 1}) {
    omp_set_dynamic(dynamic);
    {
      const FixedTeamSize team(before + 1);
      EXPECT_EQ(teamSize(), before + 1);
      EXPECT_FALSE(omp_get_dynamic());
    }
    EXPECT_EQ(teamSize(), before);
    EXPECT_EQ(omp_get_dynamic(), dynamic);
  }
  omp_set_dynamic(0);
}

#if defined(__SANITIZE_THREAD__)
/// A second loop reads what other threads have written in the first. With
/// `isRacing` the threads of the first loop also write one common variable.
void readWhatOthersWrote(bool isRacing) {
  onTeam(2, [&] {
    int from[2] = {}, to[2] = {}, shared = 0;
    parallelFor(2, [&](int64_t part) {
      from[part] = 1;
      if (isRacing)
        ++shared;
    });
    parallelFor(2, [&](int64_t part) { to[part] = from[1 - part]; });
    std::exit(to[0] + to[1] == 2 ? 0 : 1);
  });
}
#endif

// Otherwise its silence on the loops of kernels would mean nothing.
TEST(ParallelForDeathTest, ThreadSanitizerSeesARaceAndNothingElse) {
#if defined(__SANITIZE_THREAD__)
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(readWhatOthersWrote(false), testing::ExitedWithCode(0), "");
  EXPECT_DEATH(readWhatOthersWrote(true), "data race");
#else
  GTEST_SKIP() << "needs a tsan preset";
#endif
}

} // namespace
