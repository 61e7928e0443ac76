//===- Timeline.h - When commands run, by predicted times -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Simulates the queues of an entry in virtual time: each command lasts as long
// as predicted, and waits last as long as they must.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_TIMELINE_H
#define WEIR_ANALYSIS_TIMELINE_H

#include "weir/Analysis/Schedule.h"

namespace weir::analysis {

/// A predicted time in whole ns, rounded. Small rates in a topology file make
/// times of any length; all beyond 1e18 ns (32 years) count as that.
uint64_t toNs(double seconds);

/// A command as the simulation sees it.
struct TimedCommand {
  CommandKind kind = CommandKind::Work;
  /// How long work takes.
  double seconds = 0;
  /// The event and the value of a record or a wait.
  uint32_t event = 0;
  int64_t value = 1;
  /// The link that work needs: a number above 0 for one that carries one
  /// command at a time, else 0. The command that asks first begins first.
  uint32_t link = 0;
};

/// When a command begins and ends, in seconds from the start of the run. A wait
/// begins when its queue reaches it.
struct TimeSpan {
  double begin = 0;
  double end = 0;
};

struct Timeline {
  /// The span of each command, indexed by queue and command.
  std::vector<std::vector<TimeSpan>> spans;
  /// When the last command ends.
  double seconds = 0;
};

/// The timeline of queues that all start at once and run their commands in
/// order. The values that a queue records in an event grow, and only one queue
/// records in it. If a queue waits for a value that nothing records, or that
/// comes after what it waits for, the error names the command. Linear in the
/// number of commands, but for searches: of a value among those of its event,
/// and of the queue that goes on first.
StatusOr<Timeline>
simulateTimeline(std::span<const std::vector<TimedCommand>> queues,
                 uint32_t numEvents);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_TIMELINE_H
