//===- GuestTest.cpp - What sessions do not change in a process -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/CPU/ThreadTeam.h"
#include "Runtime/OpenMP/Team.h"

#include "SmallPlans.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <mutex>
#include <omp.h>
#include <sched.h>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

using namespace weir;
using namespace weir::test;

namespace {

/// What a thread of a team is, and how it computes.
struct ThreadState {
  pid_t thread = 0;
  cpu_set_t processors = {};
  unsigned modes = 0;

  static ThreadState here() {
    ThreadState state;
    state.thread = gettid();
    sched_getaffinity(0, sizeof(state.processors), &state.processors);
    state.modes = floatModes();
    return state;
  }
  bool operator==(const ThreadState &other) const {
    return thread == other.thread && modes == other.modes &&
           CPU_EQUAL(&processors, &other.processors);
  }
};

/// The calling thread's team of three.
std::vector<ThreadState> readTeam() {
  std::vector<ThreadState> states(3);
  onEachThread(3, [&](int thread) {
    states[static_cast<size_t>(thread)] = ThreadState::here();
  });
  return states;
}

/// A value that goes through `kernel`, and then through one that waits for it,
/// on that many devices.
PlanBuilder chain(const std::string &kernel, int numDevices) {
  PlanBuilder plan;
  uint16_t last = 0;
  for (int i = 0; i < numDevices; ++i)
    last = plan.device("test:" + std::to_string(i));
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1, last);
  const uint32_t between = plan.scratch(1);
  const uint32_t computed = plan.event();
  plan.on(0).launch("first", kernel, {x}, {between});
  plan.tensor("between", between);
  plan.record(computed);
  plan.on(last).wait(computed);
  plan.launch("second", "affine", {between}, {y});
  return plan;
}

/// Sets up a team of three whose threads flush subnormal numbers to zero, round
/// upwards and lie on one processor each.
void makeTeam() {
  constexpr unsigned flushUpwards = 0xdfc0;
  cpu_set_t all;
  sched_getaffinity(0, sizeof(all), &all);
  std::vector<int> processors;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &all))
      processors.push_back(i);
  onEachThread(3, [&](int thread) {
    const int processor =
        processors[static_cast<size_t>(thread) % processors.size()];
    pinThread({&processor, 1});
    setFloatModes(flushUpwards);
  });
}

// A caller that uses OpenMP finds its team, affinity and modes as they were:
// after kernels with a team, and after the library's on one thread.
TEST(Guest, LeavesTheTeamOfItsCaller) {
  std::thread([] {
    omp_set_num_threads(5);
    makeTeam();
    const std::vector<ThreadState> before = readTeam();
    PlanBuilder team, single;
    for (PlanBuilder *plan : {&team, &single}) {
      plan->device(plan == &team ? "test:0" : "cpu:0", false, 2);
      const uint32_t x = plan->input("x", 1), y = plan->output("y", 1);
      AttrMap relu;
      relu.set("algorithm", "eltwise_relu");
      plan->on(0).launch("op", plan == &team ? "thread" : "eltwise", {x}, {y},
                         relu);
      Caller caller(*plan);
      for (int i = 0; i < 40; ++i)
        ASSERT_TRUE(caller.run().isOk());
      ASSERT_TRUE(caller.runAsync().isOk());
      EXPECT_TRUE(readTeam() == before);
    }
    EXPECT_NE(lastThread, std::this_thread::get_id());
    EXPECT_TRUE(readTeam() == before);
    EXPECT_EQ(omp_get_max_threads(), 5);
  }).join();
}

// A team that OpenMP makes smaller than the one a kernel was prepared for does
// all parts, each as if there were more threads.
TEST(Guest, DoesAllPartsOnASmallerTeam) {
  const auto sums = [](int threads) {
    std::vector<double> sums(7);
    omp_set_num_threads(threads);
    parallelFor(7, [&](int64_t part) {
      for (int i = 1; i < 100; ++i)
        sums[static_cast<size_t>(part)] += 1.0 / static_cast<double>(part + i);
    });
    return sums;
  };
  std::thread([&] {
    const std::vector<double> expected = sums(7);
    for (int threads : {1, 2, 3, 5})
      EXPECT_EQ(sums(threads), expected);
    std::mutex mutex;
    onEachThread(2, [&](int) {
      const std::lock_guard lock(mutex);
      EXPECT_EQ(sums(7), expected);
    });
  }).join();
}

std::set<std::string> listThreads() {
  std::set<std::string> threads;
  for (const auto &thread :
       std::filesystem::directory_iterator("/proc/self/task"))
    threads.insert(thread.path().string());
  return threads;
}

/// The signals that the thread of the folder `path` blocks, a bit for each.
uint64_t blockedSignals(const std::string &path) {
  std::ifstream status(path + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigBlk:"))
      return std::stoull(line.substr(7), nullptr, 16);
  ADD_FAILURE() << "no signals in " << path;
  return 0;
}

// The program's handlers of signals never run on a thread of a session: that of
// a queue, of its team, or of a caller's. A thread's own faults are seen.
TEST(Guest, LeavesSignalsToItsProgram) {
  std::thread([] {
    (void)countSettledThreads();
    const std::set<std::string> before = listThreads();
    const std::string here = "/proc/self/task/" + std::to_string(gettid());
    const uint64_t own = blockedSignals(here);
    PlanBuilder plan;
    plan.device("test:0", false, 3);
    const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
    plan.on(0).launch("op", "thread", {x}, {y});
    Caller caller(plan);
    int numNew = 0;
    for (bool isAsync : {true, false}) {
      ASSERT_TRUE((isAsync ? caller.runAsync() : caller.run()).isOk());
      (void)countSettledThreads();
      for (const std::string &thread : listThreads()) {
        if (before.contains(thread))
          continue;
        ++numNew;
        const uint64_t blocked = blockedSignals(thread);
        for (int signal : {SIGINT, SIGTERM, SIGUSR1, SIGPROF, SIGCHLD})
          EXPECT_TRUE(blocked >> (signal - 1) & 1) << signal;
        for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
          EXPECT_FALSE(blocked >> (signal - 1) & 1) << signal;
      }
    }
    EXPECT_GE(numNew, 4);
    EXPECT_EQ(blockedSignals(here), own);
  }).join();
}

// If a kernel throws, the run fails with the op's name. Nothing waits for the
// op's result, and later runs work.
TEST(Guest, SurvivesAKernelThatThrows) {
  for (int numDevices : {1, 2}) {
    PlanBuilder plan = chain("throw_in_run", numDevices);
    Caller caller(plan);
    for (int i = 0; i < 3; ++i)
      for (const Status &status : {caller.run(), caller.runAsync()})
        EXPECT_EQ(status.message(),
                  "op 'first' on test:0: kernel 'throw_in_run' (1xf32 -> "
                  "1xf32): an exception in the kernel: thrown");
  }
}

/// Throws something that is not a std::exception if `isOdd`.
class ThrowingObserver final : public TensorObserver {
public:
  explicit ThrowingObserver(bool isOdd) : isOdd(isOdd) {}
  Status observe(size_t, const void *) override {
    if (isOdd)
      throw 1;
    throw std::runtime_error("thrown");
  }

private:
  bool isOdd;
};

TEST(Guest, SurvivesAnObserverThatThrows) {
  for (bool isOdd : {false, true})
    for (int numDevices : {1, 2}) {
      PlanBuilder plan = chain("affine", numDevices);
      ThrowingObserver observer(isOdd);
      SessionOptions options = testOptions();
      options.observer = &observer;
      Caller caller(plan, options);
      for (int i = 0; i < 3; ++i)
        for (const Status &status : {caller.run(), caller.runAsync()})
          EXPECT_EQ(status.message(),
                    isOdd ? "an unknown exception in the observer of tensors"
                          : "an exception in the observer of tensors: thrown");
    }
}

// An invalid number of threads starts none.
TEST(Guest, RefusesNumbersOfThreads) {
  PlanBuilder plan = chain("affine", 1);
  for (int threads : {-3, -1, 1025, 100000}) {
    SessionOptions options = testOptions();
    options.threads = threads;
    auto session = Session::load(plan.bytes(), options);
    ASSERT_FALSE(session.isOk());
    EXPECT_EQ(session.status().code(), StatusCode::InvalidArgument);
    EXPECT_EQ(session.status().message(),
              "expected 1 to 1024 threads for each device, or 0 for what the "
              "artifact says, found " +
                  std::to_string(threads));
  }
}

} // namespace
