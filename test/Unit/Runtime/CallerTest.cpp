//===- CallerTest.cpp - Sessions in a process without OpenMP --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A program of its own: it is not linked with OpenMP, so that callers may carry
// out kernels that need several threads.
//
//===----------------------------------------------------------------------===//

#include "SmallPlans.h"
#include "TestPaths.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <future>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace weir;
using namespace weir::test;

namespace {

/// y = x on one device of two threads, by a kernel that notes its thread.
PlanBuilder noted(uint16_t frames, const std::string &kernel) {
  PlanBuilder plan;
  plan.variant().frames = frames;
  plan.device("test:0", /*isolated=*/false, /*threads=*/2);
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  plan.on(0).launch("op", kernel, {x}, {y});
  return plan;
}

/// A session whose kernel notes its thread.
class NotedCaller : public Caller {
public:
  explicit NotedCaller(uint16_t frames = 1,
                       const std::string &kernel = "thread")
      : NotedCaller(noted(frames, kernel)) {}

  /// Whether `run` was carried out on the calling thread.
  bool runsHere() {
    EXPECT_TRUE(run().isOk());
    return lastThread == std::this_thread::get_id();
  }

private:
  explicit NotedCaller(PlanBuilder plan) : Caller(plan) {}
};

/// Calls `function` on a new thread, which has no team.
template <typename Function> void onNewThread(Function function) {
  std::thread(function).join();
}

// However calls are mixed, there is one team of two. With two, each kernel
// would wake a thread that sleeps.
TEST(Caller, SharesOneTeamWithTheQueue) {
  onNewThread([] {
    const int before = countSettledThreads();
    NotedCaller caller;
    // The queue's thread and its team.
    expectThreads(before + 2);
    EXPECT_TRUE(caller.runsHere());
    expectThreads(before + 2);
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(caller.runAsync().isOk());
      expectThreads(before + 2);
      EXPECT_FALSE(caller.runsHere());
      expectThreads(before + 2);
    }
    for (int i = 0; i < 32; ++i)
      EXPECT_TRUE(caller.run().isOk());
    EXPECT_TRUE(caller.runsHere());
    expectThreads(before + 2);
  });
}

// The same where one thread calls one way and another the other.
TEST(Caller, SharesOneTeamWithOtherThreads) {
  onNewThread([] {
    const int before = countSettledThreads();
    NotedCaller caller;
    EXPECT_TRUE(caller.runsHere());
    onNewThread([&] { EXPECT_TRUE(caller.runAsync().isOk()); });
    EXPECT_FALSE(caller.runsHere());
    expectThreads(before + 2);
  });
}

// A caller's team ends with its run if somebody waits for the device.
TEST(Caller, GivesItsTeamToWhoWaits) {
  onNewThread([] {
    const int before = countSettledThreads();
    NotedCaller gated(1, "gate");
    PlanBuilder plan = noted(1, "thread");
    auto other = load(plan);
    const std::vector<int64_t> dims = {1};
    float x = 1, y = 0;
    const ConstTensorView input{DType::F32, dims, &x, sizeof(x)};
    const TensorView output{DType::F32, dims, &y, sizeof(y)};
    std::promise<void> hasRun, mayEnd;
    std::future<Status> waiting;
    std::thread leader;
    {
      numAtGate = 0;
      GateCloser closer;
      leader = std::thread([&] {
        EXPECT_TRUE(gated.run().isOk());
        hasRun.set_value();
        mayEnd.get_future().wait();
      });
      while (numAtGate == 0)
        std::this_thread::yield();
      // The leader, its team, and the queue's thread.
      expectThreads(before + 3);
      waiting = other->runAsync({&input, 1}, {&output, 1});
    }
    EXPECT_TRUE(waiting.get().isOk());
    hasRun.get_future().wait();
    // The leader, the queue's thread, and its team.
    expectThreads(before + 3);
    mayEnd.set_value();
    leader.join();
  });
}

// If several runs may be in flight, callers run only kernels without a team.
TEST(Caller, GetsNoTeamWithSeveralRunsInFlight) {
  onNewThread([] {
    const int before = countSettledThreads();
    NotedCaller team(2), serial(2, "serial_thread"), one(1);
    EXPECT_FALSE(team.runsHere());
    EXPECT_TRUE(serial.runsHere());
    expectThreads(before + 2);
    EXPECT_TRUE(one.runsHere());
  });
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Ends with 0 if a team that cannot be had again fails the run, and only as
/// long as that is so; with 77 if this process cannot be limited.
[[noreturn]] void loseTheTeam() {
  // No limit holds for root.
  const auto user = static_cast<uid_t>(1000000 + getpid());
  if (geteuid() == 0 && setresuid(user, user, user) != 0)
    std::exit(77);
  NotedCaller caller;
  const bool isOk = caller.run().isOk();
  rlimit limit;
  getrlimit(RLIMIT_NPROC, &limit);
  const rlimit few{1, limit.rlim_max};
  setrlimit(RLIMIT_NPROC, &few);
  const Status status = caller.runAsync();
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  setrlimit(RLIMIT_NPROC, &limit);
  const bool isOkAgain = caller.runAsync().isOk() && caller.run().isOk();
  const bool isRefused = status.code() == StatusCode::ResourceExhausted;
  std::exit(isOk && isRefused && isOkAgain ? 0 : 1);
}

TEST(CallerDeathTest, SaysThatTheTeamIsLost) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto isExpected = [](int status) {
    return WIFEXITED(status) &&
           (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
  };
  EXPECT_EXIT(loseTheTeam(), isExpected,
              "^$|test:0: cannot start 2 threads, only 1: .*; ask for fewer "
              "threads, or raise the limits of the process");
}

/// Ends with 0 if a load without any thread to be had is refused.
[[noreturn]] void loadWithoutThreads() {
  const auto user = static_cast<uid_t>(1000000 + getpid());
  if (geteuid() == 0 && setresuid(user, user, user) != 0)
    std::exit(77);
  const rlimit few{1, 1};
  setrlimit(RLIMIT_NPROC, &few);
  PlanBuilder plan;
  plan.device("test:0");
  plan.on(0).fill("zero", plan.output("y", 1));
  const auto session = Session::load(plan.bytes(), testOptions());
  std::fprintf(stderr, "%s\n", std::string(session.status().message()).c_str());
  std::exit(session.status().code() == StatusCode::ResourceExhausted ? 0 : 1);
}

TEST(CallerDeathTest, SaysThatThereIsNoThread) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto isExpected = [](int status) {
    return WIFEXITED(status) &&
           (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
  };
  EXPECT_EXIT(loadWithoutThreads(), isExpected,
              "^$|cannot start a thread for test:0: .*; raise the limits of "
              "the process");
}
#endif

// From when on somebody else uses OpenMP, the team of a caller may be theirs.
// This is the last test: the library stays loaded.
TEST(Caller, LeavesOpenMPToOthers) {
  onNewThread([] {
    NotedCaller caller;
    EXPECT_TRUE(caller.runsHere());
    void *library = dlopen(paths::openMPUser, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    EXPECT_FALSE(caller.runsHere());
    const auto region =
        reinterpret_cast<int (*)()>(dlsym(library, "weirTestRegion"));
    EXPECT_EQ(region(), 2);
    EXPECT_FALSE(caller.runsHere());
  });
}

} // namespace
