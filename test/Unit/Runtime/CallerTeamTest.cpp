//===- CallerTeamTest.cpp - Callers that compute themselves ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/CPU/CallerTeam.h"

#include "Runtime/Devices/CPU/ThreadTeam.h"
#include "Runtime/OpenMP/Team.h"
#include "TestKernels.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <omp.h>
#include <sched.h>
#include <thread>

using namespace weir;
using weir::test::countSettledThreads;
using weir::test::countThreads;
using weir::test::expectThreads;

namespace {

/// Runs `function` on a thread of its own, which has no team yet.
template <typename Function> void onNewThread(Function function) {
  std::thread(function).join();
}

CoreShare shareOf(int threads) {
  CoreShare share;
  share.threads = threads;
  return share;
}

/// What isOnlyUserOfOpenMP says elsewhere. This program uses OpenMP itself.
bool alone() { return true; }

/// Threads of a region that the calling thread opens as it is.
int sizeOfRegion() {
  std::atomic<int> size{1};
  parallelFor(2, [&](int64_t) { size = omp_get_num_threads(); });
  return size;
}

/// A turn with a team, if it is granted; its size, else 0.
int takeTurn(CallerTeam &team) {
  if (!team.begin(true))
    return 0;
  const int size = sizeOfRegion();
  team.end();
  return size;
}

// A caller keeps its own settings, and these do not affect results.
TEST(CallerTeam, LeavesTheCallerAsItWas) {
  constexpr unsigned flushToZero = 0x9fc0;
  CallerTeam team(shareOf(2), alone);
  onNewThread([&] {
    const unsigned modesBefore = floatModes();
    omp_set_num_threads(3);
    omp_set_dynamic(1);
    setFloatModes(flushToZero);
    for (bool needsTeam : {false, true}) {
      ASSERT_TRUE(team.begin(needsTeam));
      EXPECT_EQ(omp_get_max_threads(), needsTeam ? 2 : 1);
      EXPECT_FALSE(omp_get_dynamic());
      EXPECT_NE(floatModes(), flushToZero);
      team.end();
      EXPECT_EQ(omp_get_max_threads(), 3);
      EXPECT_TRUE(omp_get_dynamic());
    }
    if (modesBefore != 0) {
      EXPECT_EQ(floatModes(), flushToZero);
    }
    setFloatModes(modesBefore);
  });
}

// For one thread no team is needed, so every caller gets a turn.
TEST(CallerTeam, IsForAllWhereItIsOneThread) {
  CallerTeam team(shareOf(1), alone);
  for (int i = 0; i < 2; ++i)
    onNewThread([&] { EXPECT_EQ(takeTurn(team), 1); });
}

// The first caller leads. Another takes over when it makes all calls, and
// callers that have had a team keep it.
TEST(CallerTeam, IsForWhoCallsMost) {
  CallerTeam team(shareOf(2), alone);
  EXPECT_EQ(takeTurn(team), 2);
  onNewThread([&] {
    for (int i = 0; i < 31; ++i)
      EXPECT_EQ(takeTurn(team), 0);
  });
  EXPECT_EQ(takeTurn(team), 2);
  onNewThread([&] {
    for (int i = 0; i < 31; ++i)
      EXPECT_EQ(takeTurn(team), 0);
    EXPECT_EQ(takeTurn(team), 2);
    EXPECT_EQ(takeTurn(team), 2);
  });
  EXPECT_EQ(takeTurn(team), 2);
}

// A run by the queue's thread ends the team of the caller, who has to call as
// often in a row as another one would to get it back. Runs that are handed over
// do not interrupt the row.
TEST(CallerTeam, StepsDownWhereTheQueueWorks) {
  CallerTeam team(shareOf(2), alone);
  onNewThread([&] {
    const int before = countSettledThreads();
    EXPECT_EQ(takeTurn(team), 2);
    EXPECT_EQ(countThreads(), before + 1);
    team.queueWorks();
    for (int i = 0; i < 31; ++i) {
      EXPECT_EQ(takeTurn(team), 0);
      expectThreads(before);
      team.queueWorks();
    }
    EXPECT_EQ(takeTurn(team), 2);
    EXPECT_EQ(takeTurn(team), 2);
  });
}

// A caller that hands work to the queue's thread leaves it the cores at once.
TEST(CallerTeam, EndsItsTeamToHandOver) {
  CallerTeam team(shareOf(2), alone);
  onNewThread([&] {
    const int before = countSettledThreads();
    EXPECT_EQ(takeTurn(team), 2);
    team.handOver();
    expectThreads(before);
  });
}

// Where others use OpenMP, the team of a thread may be theirs. Kernels that
// need one thread do not touch it.
TEST(CallerTeam, IsNotForProcessesWithOtherUsers) {
  CallerTeam team(shareOf(2), [] { return false; });
  EXPECT_FALSE(isOnlyUserOfOpenMP());
  EXPECT_EQ(takeTurn(team), 0);
  EXPECT_TRUE(team.begin(false));
  team.end();
}

// Two teams on the cores of one would sleep between kernels, so the queue's
// thread is told once to end its team.
TEST(CallerTeam, SaysOnceThatACallerHasTakenOver) {
  CallerTeam team(shareOf(2), alone);
  auto hasTakenOver = [&](bool needsTeam) {
    EXPECT_TRUE(team.begin(needsTeam));
    const bool result = team.hasTakenOver();
    team.end();
    return result;
  };
  onNewThread([&] {
    EXPECT_FALSE(hasTakenOver(false));
    EXPECT_TRUE(hasTakenOver(true));
    EXPECT_FALSE(hasTakenOver(true));
  });
  CallerTeam single(shareOf(1), alone);
  EXPECT_TRUE(single.begin(true));
  EXPECT_FALSE(single.hasTakenOver());
  single.end();
}

TEST(ThreadTeam, EndsItsThreads) {
  onNewThread([] {
    const int before = countSettledThreads();
    ASSERT_TRUE(startTeam(shareOf(3)).isOk());
    EXPECT_EQ(countThreads(), before + 2);
    endTeam();
    expectThreads(before);
    ASSERT_TRUE(startTeam(shareOf(3)).isOk());
    EXPECT_EQ(countThreads(), before + 2);
  });
}

// Its team leaves nothing behind, and teams of others compute beside it.
TEST(BriefWaits, EndsItsThreads) {
  onNewThread([] {
    ASSERT_TRUE(startTeam(shareOf(2)).isOk());
    const int before = countSettledThreads();
    for (int i = 0; i < 3; ++i) {
      const BriefWaits waits;
      expectThreads(before + 2);
      EXPECT_EQ(sizeOfRegion(), 2);
    }
    expectThreads(before);
  });
}

// Inside of its own region, a caller would get a team of one. Outside of it,
// the same caller leads.
TEST(CallerTeam, IsNotForCallersInRegions) {
  CallerTeam team(shareOf(2), alone);
  std::mutex mutex;
  int numRefused = 0;
  parallelFor(2, [&](int64_t) {
    const std::lock_guard lock(mutex);
    numRefused += takeTurn(team) == 0;
  });
  EXPECT_EQ(numRefused, 2);
  EXPECT_EQ(takeTurn(team), 2);
}

// A thread keeps a team of one size as long as somebody needs that size.
TEST(CallerTeam, KeepsItsSize) {
  onNewThread([] {
    auto first = std::make_unique<CallerTeam>(shareOf(2), alone);
    CallerTeam alike(shareOf(2), alone), other(shareOf(3), alone);
    EXPECT_EQ(takeTurn(*first), 2);
    EXPECT_EQ(takeTurn(alike), 2);
    EXPECT_EQ(takeTurn(other), 0);
    first.reset();
    EXPECT_EQ(takeTurn(other), 3);
    EXPECT_EQ(takeTurn(alike), 0);
  });
}

/// A device of two threads on the first two processors of this process, or none
/// where there are fewer.
CoreShare pinnedShare(const cpu_set_t &mine) {
  CoreShare share = shareOf(2);
  for (int i = 0; i < CPU_SETSIZE && share.processors.size() < 2; ++i)
    if (CPU_ISSET(i, &mine))
      share.processors.push_back(i);
  share.isPinned = share.processors.size() == 2;
  return share;
}

// The caller moves to the first core and is not pinned; the other threads are
// pinned. A caller that may not use that core is refused.
TEST(CallerTeam, KeepsThreadsApart) {
  cpu_set_t mine;
  ASSERT_EQ(sched_getaffinity(0, sizeof(mine), &mine), 0);
  const CoreShare share = pinnedShare(mine);
  if (!share.isPinned)
    GTEST_SKIP() << "needs two processors";
  CallerTeam team(share, alone);
  onNewThread([&] {
    pinThread(std::span(share.processors).last(1));
    EXPECT_FALSE(team.begin(true));
    ASSERT_EQ(sched_setaffinity(0, sizeof(mine), &mine), 0);
    ASSERT_TRUE(team.begin(true));
    cpu_set_t masks[2];
    parallelFor(2, [&](int64_t part) {
      sched_getaffinity(0, sizeof(cpu_set_t), &masks[part]);
    });
    team.end();
    EXPECT_TRUE(CPU_EQUAL(&masks[0], &mine));
    EXPECT_EQ(CPU_COUNT(&masks[1]), 1);
    EXPECT_TRUE(CPU_ISSET(share.processors[1], &masks[1]));
  });
}

} // namespace
