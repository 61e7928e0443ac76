//===- Timeline.cpp - When commands run, by predicted times ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Timeline.h"

#include "weir/Analysis/ListSchedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

using namespace weir;
using namespace weir::analysis;

uint64_t analysis::toNs(double seconds) {
  return static_cast<uint64_t>(std::llround(std::min(seconds * 1e9, 1e18)));
}

namespace {

/// The commands of queues as tasks. A task comes after the command before it in
/// its queue, and a wait also after the record that ends it.
class CommandTasks {
public:
  CommandTasks(std::span<const std::vector<TimedCommand>> queues,
               uint32_t numEvents)
      : queues(queues), records(numEvents) {}

  /// Adds all tasks. A wait that nothing ends waits for itself.
  Status build();
  const TaskGraph &getGraph() const { return graph; }
  /// The task of the first command of `queue`. The others follow it.
  uint32_t firstOf(size_t queue) const { return firsts[queue]; }
  /// The error that the command of `task` waits for ever.
  Status waitsForEver(uint32_t task) const;

private:
  /// A command that raises an event.
  struct Raise {
    int64_t value;
    uint32_t task;
  };
  Status noteRecords();
  std::optional<uint32_t> recordFor(const TimedCommand &wait) const;

  std::span<const std::vector<TimedCommand>> queues;
  std::vector<uint32_t> firsts;
  /// The records of each event, with growing values.
  std::vector<std::vector<Raise>> records;
  TaskGraph graph;
};

} // namespace

Status CommandTasks::noteRecords() {
  uint32_t task = 0;
  for (size_t queue = 0; queue < queues.size(); ++queue) {
    firsts.push_back(task);
    for (const TimedCommand &command : queues[queue]) {
      if (command.kind != CommandKind::Work && command.event >= records.size())
        return invalidArgument(fmt::format(
            "command {} of queue {} names event {} of {}", task - firsts.back(),
            queue, command.event, records.size()));
      if (command.kind == CommandKind::Record)
        records[command.event].push_back({command.value, task});
      ++task;
    }
  }
  return Status::ok();
}

/// The record that ends `wait`: the first one that reaches its value.
std::optional<uint32_t>
CommandTasks::recordFor(const TimedCommand &wait) const {
  const std::vector<Raise> &raises = records[wait.event];
  const auto raise =
      std::ranges::lower_bound(raises, wait.value, {}, &Raise::value);
  return raise == raises.end() ? std::nullopt : std::optional(raise->task);
}

Status CommandTasks::build() {
  WEIR_RETURN_IF_ERROR(noteRecords());
  for (uint32_t queue = 0; queue < queues.size(); ++queue)
    for (const TimedCommand &command : queues[queue]) {
      const uint32_t task = graph.size();
      std::array<uint32_t, 2> after{};
      size_t numAfter = 0;
      if (task > firsts[queue])
        after[numAfter++] = task - 1;
      if (command.kind == CommandKind::Wait && command.value >= 1) {
        const uint32_t record = recordFor(command).value_or(task);
        if (numAfter == 0 || record != after[0])
          after[numAfter++] = record;
      }
      graph.add({.queue = queue,
                 .link = command.link,
                 .nanoseconds = command.kind == CommandKind::Work
                                    ? command.nanoseconds
                                    : 0},
                std::span(after).first(numAfter));
    }
  return Status::ok();
}

Status CommandTasks::waitsForEver(uint32_t task) const {
  const auto next = std::ranges::upper_bound(firsts, task);
  const size_t queue = static_cast<size_t>(next - firsts.begin()) - 1;
  const uint32_t at = task - firsts[queue];
  const TimedCommand &command = queues[queue][at];
  return invalidArgument(fmt::format(
      "command {} of queue {} waits for ever: event {} never reaches {}", at,
      queue, command.event, command.value));
}

StatusOr<Timeline> weir::analysis::simulateTimeline(
    std::span<const std::vector<TimedCommand>> queues, uint32_t numEvents) {
  CommandTasks tasks(queues, numEvents);
  WEIR_RETURN_IF_ERROR(tasks.build());
  ListScheduler scheduler;
  const ListSchedule &schedule = scheduler.run(tasks.getGraph());
  if (schedule.stuck)
    return tasks.waitsForEver(*schedule.stuck);
  Timeline timeline;
  timeline.nanoseconds = schedule.nanoseconds;
  for (size_t queue = 0; queue < queues.size(); ++queue) {
    std::vector<TimeSpan> &spans = timeline.spans.emplace_back();
    spans.reserve(queues[queue].size());
    uint32_t task = tasks.firstOf(queue);
    for (const TimedCommand &command : queues[queue]) {
      const TaskTimes &times = schedule.times[task++];
      const uint64_t reached = spans.empty() ? 0 : spans.back().end;
      spans.push_back(
          {command.kind == CommandKind::Wait ? reached : times.begin,
           times.end});
    }
  }
  return timeline;
}
