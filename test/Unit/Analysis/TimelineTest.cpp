//===- TimelineTest.cpp - Tests of simulated timelines --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Timeline.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <random>

using namespace weir;
using namespace weir::analysis;

namespace {

using Queues = std::vector<std::vector<TimedCommand>>;

TimedCommand work(uint64_t nanoseconds) {
  return {CommandKind::Work, nanoseconds};
}
TimedCommand record(uint32_t event, int64_t value = 1) {
  return {CommandKind::Record, 0, event, value};
}
TimedCommand waitFor(uint32_t event, int64_t value = 1) {
  return {CommandKind::Wait, 0, event, value};
}

std::string errorOf(const Queues &queues, uint32_t numEvents) {
  auto timeline = simulateTimeline(queues, numEvents);
  return timeline ? "" : std::string(timeline.status().message());
}

/// When the command `at` of `queue` ends, from the definition alone: after the
/// command before it, and a wait after the first record that reaches its value.
uint64_t endOf(const Queues &queues, size_t queue, size_t at) {
  const TimedCommand &command = queues[queue][at];
  const uint64_t begin = at == 0 ? 0 : endOf(queues, queue, at - 1);
  if (command.kind != CommandKind::Wait || command.value < 1)
    return begin + command.nanoseconds;
  for (size_t q = 0; q < queues.size(); ++q)
    for (size_t i = 0; i < queues[q].size(); ++i)
      if (const TimedCommand &other = queues[q][i];
          other.kind == CommandKind::Record && other.event == command.event &&
          other.value >= command.value)
        return std::max(begin, endOf(queues, q, i));
  ADD_FAILURE() << "nothing records event " << command.event;
  return 0;
}

/// Queues whose waits are for records that were drawn before, so none waits for
/// ever.
Queues drawQueues(std::mt19937 &random, size_t numCommands,
                  uint32_t numEvents) {
  Queues queues(1 + random() % 4);
  std::vector<int64_t> values(numEvents);
  for (size_t i = 0; i < numCommands; ++i) {
    const size_t queue = random() % queues.size();
    const uint32_t event = random() % numEvents;
    // Event `e` belongs to queue e modulo their number.
    switch (random() % 3) {
    case 0:
      queues[queue].push_back(work(random() % 100));
      break;
    case 1:
      values[event] += 1 + random() % 2;
      queues[event % queues.size()].push_back(record(event, values[event]));
      break;
    default:
      if (values[event] > 0)
        queues[queue].push_back(waitFor(event, random() % (values[event] + 1)));
    }
  }
  return queues;
}

} // namespace

// Two queues overlap, and a wait lasts until its event.
TEST(Timeline, WaitsLastUntilTheirEvents) {
  const Queues queues = {{work(2), record(0), work(3)},
                         {work(1), waitFor(0), work(4)}};
  const auto timeline = simulateTimeline(queues, 1);
  ASSERT_TRUE(timeline.isOk());
  EXPECT_EQ(timeline->nanoseconds, 6u);
  EXPECT_EQ(timeline->spans[1][1].begin, 1u);
  EXPECT_EQ(timeline->spans[1][1].end, 2u);
  EXPECT_EQ(timeline->spans[0][2].end, 5u);
}

// A wait ends at the first record that reaches its value, also if later ones
// are known before.
TEST(Timeline, TheFirstRecordThatReachesCounts) {
  const Queues queues = {
      {waitFor(0, 2), work(1)},
      {work(1), record(0, 1), work(1), record(0, 3), work(1), record(0, 4)}};
  for (const Queues &each : {queues, Queues{queues[1], queues[0]}}) {
    const auto timeline = simulateTimeline(each, 1);
    ASSERT_TRUE(timeline.isOk());
    EXPECT_EQ(timeline->nanoseconds, 3u);
  }
}

// A shared link carries one command at a time, the first that asks for it
// first, whatever the order of the queues. Another link is another matter.
TEST(Timeline, SharedLinksCarryOneCommandAtATime) {
  const auto over = [](uint32_t link, uint64_t nanoseconds) {
    TimedCommand command = work(nanoseconds);
    command.link = link;
    return command;
  };
  const Queues queues = {{work(2), over(1, 10), work(1)},
                         {work(1), over(1, 5), over(2, 1)},
                         {over(2, 3), over(1, 1)}};
  for (const Queues &each : {queues, Queues{queues[1], queues[2], queues[0]}}) {
    const auto timeline = simulateTimeline(each, 0);
    ASSERT_TRUE(timeline.isOk());
    // Over link 1: from 1 to 6, from 6 to 16, and from 16 to 17.
    EXPECT_EQ(timeline->nanoseconds, 17u);
    const size_t first =
        each[0].size() == 3 && each[0][1].nanoseconds == 10 ? 0 : 2;
    EXPECT_EQ(timeline->spans[first][1].begin, 6u);
    EXPECT_EQ(timeline->spans[first][2].end, 17u);
    EXPECT_EQ(timeline->spans[first == 0 ? 1 : 0][2].begin, 6u);
  }
}

// A queue that waits asks for the link when its event comes, not when it is
// looked at again.
TEST(Timeline, AWaitComesBeforeTheLink) {
  TimedCommand early = work(4), late = work(4);
  early.link = late.link = 1;
  const Queues queues = {{work(1), record(0), work(9), late},
                         {waitFor(0), work(1), early}};
  const auto timeline = simulateTimeline(queues, 1);
  ASSERT_TRUE(timeline.isOk());
  EXPECT_EQ(timeline->spans[1][2].begin, 2u);
  EXPECT_EQ(timeline->spans[0][3].begin, 10u);
}

// A million launches on eight devices that wait for each other.
TEST(Timeline, SimulatesAMillionLaunchesQuickly) {
  constexpr uint32_t numQueues = 8, numEach = 125000;
  Queues queues(numQueues);
  for (int64_t i = 1; i <= numEach; ++i)
    for (uint32_t queue = 0; queue < numQueues; ++queue) {
      if (queue > 0)
        queues[queue].push_back(waitFor(queue - 1, i));
      queues[queue].push_back(work(1));
      queues[queue].push_back(record(queue, i));
    }
  const auto begin = std::chrono::steady_clock::now();
  const auto timeline = simulateTimeline(queues, numQueues);
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(timeline.isOk());
  EXPECT_EQ(timeline->nanoseconds, numEach + numQueues - 1u);
  EXPECT_LT(took.count(), 2);
}

// A queue that waits for a late value is not looked at whenever the event
// reaches an earlier one.
TEST(Timeline, LateValuesWakeNobodyEarly) {
  constexpr uint32_t numWaiting = 1000;
  constexpr int64_t numRecords = 50000;
  Queues queues(numWaiting, {waitFor(0, numRecords), work(1)});
  // The link lets the others go on after each record.
  TimedCommand step = work(1);
  step.link = 1;
  auto &last = queues.emplace_back();
  for (int64_t i = 1; i <= numRecords; ++i) {
    last.push_back(step);
    last.push_back(record(0, i));
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto timeline = simulateTimeline(queues, 1);
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(timeline.isOk());
  EXPECT_EQ(timeline->nanoseconds, numRecords + 1u);
  EXPECT_LT(took.count(), 1);
}

// Nothing and empty queues take no time.
TEST(Timeline, NothingTakesNoTime) {
  EXPECT_EQ(simulateTimeline(Queues{}, 0)->nanoseconds, 0u);
  EXPECT_EQ(simulateTimeline(Queues{{}, {}}, 0)->nanoseconds, 0u);
}

// Times in ns are rounded. Those that are too long for a number are cut off.
TEST(Timeline, TimesInNs) {
  EXPECT_EQ(toNs(0), 0u);
  EXPECT_EQ(toNs(1.6e-9), 2u);
  EXPECT_EQ(toNs(60), 60'000'000'000u);
  for (const double endless : {1e10, 1e300, 1e308 * 10})
    EXPECT_EQ(toNs(endless), 1'000'000'000'000'000'000u);
}

// Waits that never end are errors, and so are events that there are not.
TEST(Timeline, EndlessWaitsAreErrors) {
  EXPECT_EQ(errorOf({{work(1), waitFor(0, 2)}, {record(0)}}, 1),
            "command 1 of queue 0 waits for ever: event 0 never reaches 2");
  EXPECT_EQ(errorOf({{waitFor(0), record(1)}, {waitFor(1), record(0)}}, 2),
            "command 0 of queue 0 waits for ever: event 0 never reaches 1");
  EXPECT_EQ(errorOf({{waitFor(3)}}, 2),
            "command 0 of queue 0 names event 3 of 2");
}

// Random queues have the times that the definition says.
TEST(Timeline, RandomQueuesFollowTheDefinition) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const Queues queues = drawQueues(random, 24, 4);
    const auto timeline = simulateTimeline(queues, 4);
    ASSERT_TRUE(timeline.isOk()) << timeline.status().message();
    uint64_t last = 0;
    for (size_t q = 0; q < queues.size(); ++q)
      for (size_t i = 0; i < queues[q].size(); ++i) {
        ASSERT_EQ(timeline->spans[q][i].end, endOf(queues, q, i)) << trial;
        last = std::max(last, timeline->spans[q][i].end);
      }
    EXPECT_EQ(timeline->nanoseconds, last);
  }
}
