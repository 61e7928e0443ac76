//===- TeamLeaseTest.cpp - Who has the team of a device -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/CPU/TeamLease.h"

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

/// Begins a turn with a team, if it is granted. The driver is another thread.
bool beginTurn(TeamLease &lease) {
  const QueueTeam::Turn turn = lease.beginTurn(true);
  if (turn == QueueTeam::Turn::TakenOver)
    onNewThread([&] { lease.rest(); });
  return turn != QueueTeam::Turn::Refused;
}

/// A turn with a team, if it is granted; its size, else 0.
int takeTurn(TeamLease &lease) {
  if (!beginTurn(lease))
    return 0;
  const int size = sizeOfRegion();
  lease.endTurn();
  return size;
}

/// The driver begins work. Its team ends with its thread.
void driverWorks(TeamLease &lease) {
  onNewThread([&] { EXPECT_TRUE(lease.beginWork().isOk()); });
}

// A caller keeps its own settings, and these do not affect results.
TEST(TeamLease, LeavesTheCallerAsItWas) {
  constexpr unsigned flushToZero = 0x9fc0;
  TeamLease lease(shareOf(2), alone);
  onNewThread([&] {
    const unsigned modesBefore = floatModes();
    omp_set_num_threads(3);
    omp_set_dynamic(1);
    setFloatModes(flushToZero);
    for (bool needsTeam : {false, true}) {
      if (needsTeam) {
        ASSERT_TRUE(beginTurn(lease));
      } else {
        ASSERT_EQ(lease.beginTurn(false), QueueTeam::Turn::Begun);
      }
      EXPECT_EQ(omp_get_max_threads(), needsTeam ? 2 : 1);
      EXPECT_FALSE(omp_get_dynamic());
      EXPECT_NE(floatModes(), flushToZero);
      lease.endTurn();
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
TEST(TeamLease, IsForAllWhereItIsOneThread) {
  TeamLease lease(shareOf(1), alone);
  for (int i = 0; i < 2; ++i)
    onNewThread([&] { EXPECT_EQ(takeTurn(lease), 1); });
}

// The first caller leads. Another takes over when it makes all calls, and
// callers that have had a team keep it.
TEST(TeamLease, IsForWhoCallsMost) {
  TeamLease lease(shareOf(2), alone);
  EXPECT_EQ(takeTurn(lease), 2);
  onNewThread([&] {
    for (int i = 0; i < 31; ++i)
      EXPECT_EQ(takeTurn(lease), 0);
  });
  EXPECT_EQ(takeTurn(lease), 2);
  onNewThread([&] {
    for (int i = 0; i < 31; ++i)
      EXPECT_EQ(takeTurn(lease), 0);
    EXPECT_EQ(takeTurn(lease), 2);
    EXPECT_EQ(takeTurn(lease), 2);
  });
  EXPECT_EQ(takeTurn(lease), 2);
}

// A run by the queue's thread ends the team of the caller, who has to call as
// often in a row as another one would to get it back. Runs that are handed over
// do not interrupt the row.
TEST(TeamLease, StepsDownWhereTheQueueWorks) {
  TeamLease lease(shareOf(2), alone);
  onNewThread([&] {
    const int before = countSettledThreads();
    EXPECT_EQ(takeTurn(lease), 2);
    expectThreads(before + 1);
    driverWorks(lease);
    for (int i = 0; i < 31; ++i) {
      EXPECT_EQ(takeTurn(lease), 0);
      expectThreads(before);
      driverWorks(lease);
    }
    EXPECT_EQ(takeTurn(lease), 2);
    EXPECT_EQ(takeTurn(lease), 2);
  });
}

// A caller that hands work to the queue's thread leaves it the cores at once.
TEST(TeamLease, EndsItsTeamToHandOver) {
  TeamLease lease(shareOf(2), alone);
  onNewThread([&] {
    const int before = countSettledThreads();
    EXPECT_EQ(takeTurn(lease), 2);
    lease.handOver();
    expectThreads(before);
  });
}

// Where others use OpenMP, the team of a thread may be theirs. Kernels that
// need one thread do not touch it.
TEST(TeamLease, IsNotForProcessesWithOtherUsers) {
  TeamLease lease(shareOf(2), [] { return false; });
  EXPECT_FALSE(isOnlyUserOfOpenMP());
  EXPECT_EQ(takeTurn(lease), 0);
  EXPECT_EQ(lease.beginTurn(false), QueueTeam::Turn::Begun);
  lease.endTurn();
}

// Two teams on the cores of one would sleep between kernels, so the driver's
// ends before the first turn of a caller with a team, and after each work of
// the driver.
TEST(TeamLease, EndsTheDriversTeam) {
  using Turn = QueueTeam::Turn;
  TeamLease lease(shareOf(2), alone);
  onNewThread([&] {
    EXPECT_EQ(lease.beginTurn(false), Turn::Begun);
    lease.endTurn();
    EXPECT_EQ(lease.beginTurn(true), Turn::TakenOver);
    onNewThread([&] { lease.rest(); });
    lease.endTurn();
    EXPECT_EQ(lease.beginTurn(true), Turn::Begun);
    lease.endTurn();
    driverWorks(lease);
    EXPECT_EQ(lease.beginTurn(false), Turn::Begun);
    lease.endTurn();
  });
  for (int i = 1; i < 32; ++i)
    EXPECT_EQ(lease.beginTurn(true), Turn::Refused);
  EXPECT_EQ(lease.beginTurn(true), Turn::TakenOver);
  onNewThread([&] { lease.rest(); });
  lease.endTurn();
}

// A team of one thread is no other for a caller than for the driver.
TEST(TeamLease, KeepsTheDriverOfOneThread) {
  TeamLease lease(shareOf(1), alone);
  EXPECT_EQ(lease.beginTurn(true), QueueTeam::Turn::Begun);
  lease.endTurn();
}

// Callers are on other processors than a device that has its own.
TEST(TeamLease, HasNoCallersOnCoresOfItsOwn) {
  CoreShare share = shareOf(2);
  share.isBound = true;
  TeamLease lease(share, alone);
  for (bool needsTeam : {false, true})
    EXPECT_EQ(lease.beginTurn(needsTeam), QueueTeam::Turn::Refused);
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
TEST(TeamLease, IsNotForCallersInRegions) {
  TeamLease lease(shareOf(2), alone);
  std::mutex mutex;
  int numRefused = 0;
  parallelFor(2, [&](int64_t) {
    const std::lock_guard lock(mutex);
    numRefused += takeTurn(lease) == 0;
  });
  EXPECT_EQ(numRefused, 2);
  EXPECT_EQ(takeTurn(lease), 2);
}

// A thread keeps a team of one size as long as somebody needs that size.
TEST(TeamLease, KeepsItsSize) {
  onNewThread([] {
    auto first = std::make_unique<TeamLease>(shareOf(2), alone);
    TeamLease alike(shareOf(2), alone), other(shareOf(3), alone);
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
TEST(TeamLease, KeepsThreadsApart) {
  cpu_set_t mine;
  ASSERT_EQ(sched_getaffinity(0, sizeof(mine), &mine), 0);
  const CoreShare share = pinnedShare(mine);
  if (!share.isPinned)
    GTEST_SKIP() << "needs two processors";
  TeamLease lease(share, alone);
  onNewThread([&] {
    pinThread(std::span(share.processors).last(1));
    EXPECT_FALSE(beginTurn(lease));
    ASSERT_EQ(sched_setaffinity(0, sizeof(mine), &mine), 0);
    ASSERT_TRUE(beginTurn(lease));
    cpu_set_t masks[2];
    parallelFor(2, [&](int64_t part) {
      sched_getaffinity(0, sizeof(cpu_set_t), &masks[part]);
    });
    lease.endTurn();
    EXPECT_TRUE(CPU_EQUAL(&masks[0], &mine));
    EXPECT_EQ(CPU_COUNT(&masks[1]), 1);
    EXPECT_TRUE(CPU_ISSET(share.processors[1], &masks[1]));
  });
}

} // namespace
