//===- ListScheduleTest.cpp - Tests of list scheduling --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/ListSchedule.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <random>
#include <tuple>

using namespace weir;
using namespace weir::analysis;

namespace {

Task work(uint32_t queue, uint64_t nanoseconds, uint64_t urgency = 0) {
  return {.queue = queue, .nanoseconds = nanoseconds, .urgency = urgency};
}
Task point() { return {.queue = Task::noQueue}; }

uint32_t add(TaskGraph &graph, const Task &task,
             std::vector<uint32_t> after = {}) {
  return graph.add(task, after);
}

/// The times of all tasks by the definition of list scheduling. At each time,
/// each free queue takes its best task, until no queue can take one.
std::vector<TaskTimes> scheduleByDefinition(const TaskGraph &graph) {
  std::vector<TaskTimes> times(graph.size());
  std::vector<bool> isTaken(graph.size());
  std::vector<uint64_t> queueFree(graph.numQueues()), linkFree(8);
  const auto hasEnded = [&](uint32_t task, uint64_t now) {
    return isTaken[task] && times[task].end <= now;
  };
  const auto canRun = [&](uint32_t task, uint64_t now) {
    return !isTaken[task] &&
           std::ranges::all_of(graph.after(task), [&](uint32_t before) {
             return hasEnded(before, now);
           });
  };
  const auto rank = [&](uint32_t task) {
    return std::tuple(graph[task].urgency, graph[task].comesEarly, ~task);
  };
  for (uint64_t now = 0; now < 10000; ++now) {
    // Points and tasks without a duration can let others run at the same time.
    for (bool hasChanged = true; hasChanged;) {
      hasChanged = false;
      for (uint32_t task = 0; task < graph.size(); ++task)
        if (graph[task].isPoint() && canRun(task, now)) {
          times[task] = {now, now, now};
          isTaken[task] = hasChanged = true;
        }
      for (uint32_t queue = 0; queue < graph.numQueues() && !hasChanged;
           ++queue) {
        if (queueFree[queue] > now)
          continue;
        uint32_t best = graph.size();
        for (uint32_t task = 0; task < graph.size(); ++task)
          if (graph[task].queue == queue && canRun(task, now) &&
              (best == graph.size() || rank(task) > rank(best)))
            best = task;
        if (best == graph.size())
          continue;
        uint64_t begin = now;
        if (const uint32_t link = graph[best].link)
          begin = std::max(begin, linkFree[link]);
        const uint64_t end = begin + graph[best].nanoseconds;
        if (const uint32_t link = graph[best].link)
          linkFree[link] = end;
        queueFree[queue] = end;
        times[best] = {now, begin, end};
        isTaken[best] = hasChanged = true;
      }
    }
  }
  return times;
}

TaskGraph drawGraph(std::mt19937 &random, uint64_t leastTime) {
  TaskGraph graph;
  const uint32_t numTasks = 1 + random() % 30, numQueues = 1 + random() % 4;
  for (uint32_t task = 0; task < numTasks; ++task) {
    std::vector<uint32_t> after;
    for (uint32_t before = 0; before < task; ++before)
      if (random() % 6 == 0)
        after.push_back(before);
    Task drawn =
        work(random() % numQueues, leastTime + random() % 9, random() % 3);
    drawn.comesEarly = random() % 4 == 0;
    drawn.link = random() % 3 == 0 ? 1 + random() % 2 : 0;
    graph.add(random() % 8 == 0 ? point() : drawn, after);
  }
  return graph;
}

/// Buffers of drawn sizes, which drawn tasks of `graph` access.
TaskMemory drawMemory(std::mt19937 &random, const TaskGraph &graph) {
  TaskMemory memory;
  memory.pools.resize(2);
  for (uint32_t queue = 0; queue < graph.numQueues(); ++queue)
    memory.poolOfQueue.push_back(queue % 2);
  memory.accesses.resize(graph.size());
  for (uint32_t buffer = 0; buffer < graph.size(); ++buffer) {
    memory.buffers.push_back({1 + random() % 100, buffer % 2});
    for (uint32_t task = 0; task < graph.size(); ++task)
      if (!graph[task].isPoint() && random() % 5 == 0)
        memory.accesses[task].push_back(buffer);
  }
  return memory;
}

} // namespace

// The urgent task goes first, and a queue never waits for a task that could run
// later.
TEST(ListSchedule, QueuesTakeTheMostUrgentTask) {
  TaskGraph graph;
  add(graph, work(0, 2));
  const uint32_t urgent = add(graph, work(0, 3, 1));
  const uint32_t later = add(graph, work(1, 1));
  add(graph, work(0, 1, 9), {later});
  ListScheduler scheduler;
  const ListSchedule &schedule = scheduler.run(graph);
  EXPECT_EQ(schedule.order, (std::vector<uint32_t>{urgent, later, 3, 0}));
  EXPECT_EQ(schedule.times[3].taken, 3u);
  EXPECT_EQ(schedule.nanoseconds, 6u);
  EXPECT_FALSE(schedule.stuck);
}

// Early tasks go before others of the same urgency, and then the text decides.
TEST(ListSchedule, EarlyTasksBreakTies) {
  TaskGraph graph;
  add(graph, work(0, 1));
  add(graph, work(0, 1));
  Task early = work(0, 1);
  early.comesEarly = true;
  add(graph, early);
  ListScheduler scheduler;
  EXPECT_EQ(scheduler.run(graph).order, (std::vector<uint32_t>{2, 0, 1}));
}

// A link carries one task at a time, and other links do not matter.
TEST(ListSchedule, LinksCarryOneTaskAtATime) {
  TaskGraph graph;
  for (const uint32_t queue : {0u, 1u, 2u}) {
    Task copy = work(queue, 5);
    copy.link = queue == 2 ? 2 : 1;
    add(graph, copy);
  }
  ListScheduler scheduler;
  const ListSchedule &schedule = scheduler.run(graph);
  EXPECT_EQ(schedule.times[1].taken, 0u);
  EXPECT_EQ(schedule.times[1].begin, 5u);
  EXPECT_EQ(schedule.times[2].begin, 0u);
  EXPECT_EQ(schedule.nanoseconds, 10u);
}

// Tasks that wait for each other never begin, and the others do.
TEST(ListSchedule, CyclesAreStuck) {
  TaskGraph graph;
  add(graph, work(0, 1));
  add(graph, work(0, 1), {2});
  add(graph, point(), {1});
  ListScheduler scheduler;
  const ListSchedule &schedule = scheduler.run(graph);
  EXPECT_EQ(schedule.order, std::vector<uint32_t>{0});
  EXPECT_EQ(schedule.stuck, 1u);
}

// No time overflows, whatever is predicted.
TEST(ListSchedule, TimesSaturate) {
  TaskGraph graph;
  add(graph, work(0, UINT64_MAX - 1));
  add(graph, work(0, 5));
  ListScheduler scheduler;
  EXPECT_EQ(scheduler.run(graph).nanoseconds, UINT64_MAX);
}

// One scheduler serves graphs of any size, and its schedules are those of the
// definition.
TEST(ListSchedule, MatchesTheDefinition) {
  std::mt19937 random(5);
  ListScheduler scheduler;
  for (int round = 0; round < 1000; ++round) {
    const TaskGraph graph = drawGraph(random, 1);
    const ListSchedule &schedule = scheduler.run(graph);
    const std::vector<TaskTimes> expected = scheduleByDefinition(graph);
    ASSERT_FALSE(schedule.stuck);
    uint64_t end = 0;
    for (uint32_t task = 0; task < graph.size(); ++task) {
      ASSERT_EQ(schedule.times[task].begin, expected[task].begin)
          << "round " << round << " task " << task;
      ASSERT_EQ(schedule.times[task].end, expected[task].end);
      end = std::max(end, expected[task].end);
    }
    ASSERT_EQ(schedule.nanoseconds, end);
  }
}

// The peak of an order, from the definition: a buffer is in use from its first
// task to its last.
TEST(ListSchedule, PeaksFollowTheDefinition) {
  std::mt19937 random(6);
  ListScheduler scheduler;
  for (int round = 0; round < 200; ++round) {
    const TaskGraph graph = drawGraph(random, 1);
    const TaskMemory memory = drawMemory(random, graph);
    const std::vector<uint32_t> order = scheduler.run(graph).order;
    std::vector<uint64_t> expected(2);
    for (size_t now = 0; now < order.size(); ++now) {
      std::vector<uint64_t> inUse(2);
      for (uint32_t buffer = 0; buffer < memory.buffers.size(); ++buffer) {
        const auto accesses = [&](uint32_t task) {
          return std::ranges::count(memory.accesses[task], buffer) > 0;
        };
        const bool hasBegun =
            std::any_of(order.begin(), order.begin() + now + 1, accesses);
        const bool isLeft =
            std::any_of(order.begin() + now, order.end(), accesses);
        if (hasBegun && isLeft)
          inUse[buffer % 2] += memory.buffers[buffer].bytes;
      }
      for (size_t pool = 0; pool < 2; ++pool)
        expected[pool] = std::max(expected[pool], inUse[pool]);
    }
    ASSERT_EQ(memory.peaksOf(order), expected) << round;
  }
}

// Memory without a limit changes no schedule. With one, all tasks still run,
// each behind those that it waits for.
TEST(ListSchedule, LimitsOnlyChangeTheOrder) {
  std::mt19937 random(7);
  ListScheduler scheduler;
  uint64_t saved = 0;
  for (int round = 0; round < 500; ++round) {
    const TaskGraph graph = drawGraph(random, 1);
    TaskMemory memory = drawMemory(random, graph);
    const std::vector<uint32_t> free = scheduler.run(graph).order;
    ASSERT_EQ(scheduler.run(graph, &memory).order, free);
    const std::vector<uint64_t> peaks = memory.peaksOf(free);
    for (size_t pool = 0; pool < 2; ++pool)
      memory.pools[pool].limit = peaks[pool] / 2;
    const ListSchedule &limited = scheduler.run(graph, &memory);
    ASSERT_FALSE(limited.stuck);
    std::vector<uint32_t> sorted = limited.order, all = free;
    std::ranges::sort(sorted);
    std::ranges::sort(all);
    ASSERT_EQ(sorted, all);
    for (uint32_t task = 0; task < graph.size(); ++task)
      for (const uint32_t before : graph.after(task))
        ASSERT_LE(limited.times[before].end, limited.times[task].begin);
    for (size_t pool = 0; pool < 2; ++pool)
      if (const uint64_t now = memory.peaksOf(limited.order)[pool];
          now < peaks[pool])
        saved += peaks[pool] - now;
  }
  EXPECT_GT(saved, 0u);
}

// Over its limit, a queue first runs the task that frees the most.
TEST(ListSchedule, LimitsPreferTasksThatFree) {
  TaskGraph graph;
  const uint32_t first = add(graph, work(0, 1));
  const uint32_t urgent = add(graph, work(0, 1, 5), {first});
  const uint32_t small = add(graph, work(0, 1), {first});
  const uint32_t large = add(graph, work(0, 1), {first});
  TaskMemory memory;
  memory.buffers = {{10}, {30}, {50}};
  memory.pools = {{60}};
  memory.poolOfQueue = {0};
  memory.accesses = {{0, 1}, {2}, {0}, {1}};
  ListScheduler scheduler;
  EXPECT_EQ(scheduler.run(graph, &memory).order,
            (std::vector<uint32_t>{first, large, urgent, small}));
  memory.pools = {{90}};
  EXPECT_EQ(scheduler.run(graph, &memory).order,
            (std::vector<uint32_t>{first, urgent, small, large}));
}

// A million tasks on eight queues in well under the limit.
TEST(ListSchedule, SchedulesAMillionTasksQuickly) {
  constexpr uint32_t numTasks = 1000000, numQueues = 8;
  TaskGraph graph;
  std::mt19937 random(1);
  for (uint32_t task = 0; task < numTasks; ++task) {
    std::vector<uint32_t> after;
    if (task > 0)
      after.push_back(task - 1 - random() % std::min(task, 50u));
    add(graph, work(random() % numQueues, 1 + random() % 1000, random() % 100),
        after);
  }
  ListScheduler scheduler;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(scheduler.run(graph).stuck);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}
