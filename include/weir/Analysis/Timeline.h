//===- Timeline.h - When commands run, by predicted times -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Simulates the queues of an entry in virtual time. Each command lasts as long
// as predicted, and a wait ends when its event reaches the value.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_TIMELINE_H
#define WEIR_ANALYSIS_TIMELINE_H

#include "weir/Analysis/Schedule.h"

namespace weir::analysis {

/// A predicted time in whole ns, rounded. Small rates in a topology file can
/// make a time arbitrarily long. So the result is at most 1e18 ns (32 years).
uint64_t toNs(double seconds);

/// A command as the simulation sees it.
struct TimedCommand {
  CommandKind kind = CommandKind::Work;
  /// The duration of the work.
  uint64_t nanoseconds = 0;
  /// The event and the value of a record or a wait.
  uint32_t event = 0;
  int64_t value = 1;
  /// The number of the link that the work needs, if that link carries one
  /// command at a time; else 0.
  uint32_t link = 0;
};

/// When a command begins and ends, in nanoseconds from the start of the run. A
/// wait begins when its queue reaches it.
struct TimeSpan {
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct Timeline {
  /// The span of each command, indexed by queue and command.
  std::vector<std::vector<TimeSpan>> spans;
  /// When the last command ends.
  uint64_t nanoseconds = 0;
};

/// The timeline of queues that start at the same time and run their commands in
/// order (see `ListScheduler`). Only one queue records an event, with growing
/// values. The error names a command whose wait never ends: nothing records its
/// value, or the queues wait for each other. Takes O(n log n) time for n
/// commands.
StatusOr<Timeline>
simulateTimeline(std::span<const std::vector<TimedCommand>> queues,
                 uint32_t numEvents);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_TIMELINE_H
