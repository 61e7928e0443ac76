//===- CancelMomentsTest.cpp - Runs that end at random moments ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Deadlines and cancellations at random moments, while other runs are in
// flight. A run may end 20 ms later, and as much later as the longest launch
// takes that was under way.
//
// On a machine with other work, threads wait until they get a core. The system
// counts how long, and a single run may end later by as much. Half of the runs
// must do without.
//
//===----------------------------------------------------------------------===//

#include "../Support/Trials.h"

#include "SmallPlans.h"
#include "weir/Support/Trace.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <random>
#include <thread>

using namespace weir;
using namespace weir::test;
using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

namespace {

/// Launches of very different lengths on each of two devices, 9 ms in all.
PlanBuilder unevenChain(uint16_t frames) {
  return sleepingChain(frames, {300, 50, 4000, 300}, {300, 1000, 50, 3000});
}

/// How long the threads of this process have waited for a core so far, in ns.
uint64_t waitedForCores() {
  uint64_t sum = 0;
  for (const auto &task :
       std::filesystem::directory_iterator("/proc/self/task")) {
    uint64_t ran = 0, waited = 0;
    std::ifstream(task.path() / "schedstat") >> ran >> waited;
    sum += waited;
  }
  return sum;
}

/// Two threads that run a session until the object is destroyed.
class OtherCallers {
public:
  explicit OtherCallers(Session &session) {
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([this, t, &session] {
        for (int i = 0; !isEnding; ++i) {
          OneRun run;
          run.x = static_cast<float>(2 * i + t);
          const bool isRight = run.run(session).isOk() && run.y == run.x;
          ++(isRight ? numRight : numWrong);
        }
      });
  }
  ~OtherCallers() {
    isEnding = true;
    for (std::thread &thread : threads)
      thread.join();
  }
  std::atomic<int> numWrong{0}, numRight{0};

private:
  std::atomic<bool> isEnding{false};
  std::vector<std::thread> threads;
};

/// A run that ended early: how much later than it was told to.
struct Ending {
  double lateMs = 0;
  /// The longest launch that ended meanwhile. With a deadline: in the run.
  double launchMs = 0;
  /// How long threads waited for a core meanwhile.
  double waitedMs = 0;
};

uint64_t toNs(Clock::time_point time) {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(time.time_since_epoch()).count());
}

double toMs(uint64_t ns) { return static_cast<double>(ns) / 1e6; }

/// Ends a run `delay` after it was queued, by its deadline or by a token.
/// Nothing if it was sooner.
std::optional<Ending> endAt(Session &session, microseconds delay,
                            bool byDeadline) {
  OneRun run;
  run.x = -1;
  longestSleep = 0;
  uint64_t waited = waitedForCores();
  const Clock::time_point moment = Clock::now() + delay;
  if (byDeadline)
    run.options.deadline = moment;
  else
    run.options.cancelToken.emplace();
  std::promise<std::pair<Status, uint64_t>> ended;
  session.entry().runAsync(
      {&run.input, 1}, {&run.output, 1},
      [&](Status status) {
        ended.set_value({std::move(status), monotonicNs()});
      },
      run.options);
  uint64_t begin = toNs(moment);
  if (!byDeadline) {
    std::this_thread::sleep_until(moment);
    longestSleep = 0;
    waited = waitedForCores();
    begin = monotonicNs();
    run.options.cancelToken->cancel();
  }
  const auto [status, end] = ended.get_future().get();
  if (status.isOk()) {
    EXPECT_EQ(run.y, run.x);
    return std::nullopt;
  }
  EXPECT_EQ(status.code(), StatusCode::Cancelled);
  EXPECT_EQ(status.message(),
            byDeadline ? "the deadline of the run has passed; give it more time"
                       : "the run was cancelled by its token");
  EXPECT_GE(end, begin);
  return Ending{toMs(end - begin), toMs(longestSleep),
                toMs(std::max(waitedForCores(), waited) - waited)};
}

bool isInTime(const Ending &ending) {
  return ending.lateMs <= 20 + ending.launchMs;
}

void print(const char *name, std::vector<Ending> endings, size_t numTrials) {
  const auto byTime = [](const Ending &a, const Ending &b) {
    return a.lateMs < b.lateMs;
  };
  std::ranges::sort(endings, byTime);
  std::printf("%s: %zu of %zu runs ended early; late by at most %.2f ms, 99%% "
              "by at most %.2f ms, longest launch %.2f ms; %td later than 20 "
              "ms and a launch\n",
              name, endings.size(), numTrials, endings.back().lateMs,
              endings[endings.size() * 99 / 100].lateMs,
              std::ranges::max(endings, {}, &Ending::launchMs).launchMs,
              std::ranges::count_if(endings, std::not_fn(isInTime)));
}

/// The number of runs in flight.
class CancelMoments : public testing::TestWithParam<int> {};

// Runs end soon with their status, and the others are right.
TEST_P(CancelMoments, EndInTime) {
  PlanBuilder plan = unevenChain(static_cast<uint16_t>(GetParam()));
  auto session = load(plan);
  OtherCallers others(*session);
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const auto numTrials = static_cast<size_t>(countTrials(50));
  for (bool byDeadline : {false, true}) {
    std::vector<Ending> endings;
    size_t numLate = 0;
    for (size_t i = 0; i < numTrials; ++i) {
      const auto ending =
          endAt(*session, microseconds(random() % 20000), byDeadline);
      if (!ending)
        continue;
      numLate += ending->lateMs > 20 + ending->launchMs + ending->waitedMs;
      endings.push_back(*ending);
    }
    ASSERT_GT(endings.size(), numTrials / 4);
    // A virtual machine may have no core for a while, and does not count it.
    EXPECT_LE(numLate, numTrials / 20);
    print(byDeadline ? "deadline" : "cancel", endings, numTrials);
  }
  EXPECT_EQ(others.numWrong, 0);
  EXPECT_GT(others.numRight, 0);
}

INSTANTIATE_TEST_SUITE_P(InFlight, CancelMoments, testing::Values(1, 2, 3));

} // namespace
