//===- VectorClocks.h - Happens-before of the commands of a schedule ------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_VECTORCLOCKS_H
#define WEIR_LIB_ANALYSIS_VECTORCLOCKS_H

#include "weir/Analysis/Schedule.h"

#include <algorithm>
#include <optional>

namespace weir::analysis {

/// The vector clock of a command says how many commands of each queue have
/// completed when the command has. The command itself is included. A clock
/// changes only at a command that waits, so all commands up to the next wait
/// share one clock. Memory grows with the number of waits, and not with the
/// number of commands.
class VectorClocks {
public:
  explicit VectorClocks(size_t numQueues) : clocks(numQueues) {}

  /// The number of commands of `queue` that have completed when `id` has.
  uint32_t countCompleted(CommandId id, uint32_t queue) const;
  /// Whether `first` has completed before `second`, a command of another queue,
  /// starts.
  bool isBefore(CommandId first, CommandId second) const {
    return countCompleted(second, first.queue) > first.index;
  }

  /// Orders `id` after `earlier`. The commands of a queue must be passed in
  /// their order. Calls that order `earlier` itself after other commands must
  /// come before this call.
  void join(CommandId id, CommandId earlier);

private:
  /// The clock of a queue's commands from number `first` on, up to the next
  /// clock of the queue. The entry of `completed` for the queue itself is not
  /// used.
  struct Clock {
    uint32_t first = 0;
    std::vector<uint32_t> completed;
  };

  /// The clock of `id`, or null before the first wait of its queue.
  const Clock *find(CommandId id) const;

  /// The clocks of each queue, in the order of its commands.
  std::vector<std::vector<Clock>> clocks;
};

/// The records of each event. All records of an event must be in one queue,
/// with growing values. Other records are left out (see `misplaced`).
class EventRecords {
public:
  explicit EventRecords(const Schedule &schedule);

  /// The first record with which `event` reaches `value`, if there is one.
  std::optional<CommandId> find(uint32_t event, int64_t value) const;

  /// A record that does not raise its event, or that is in another queue than
  /// the first record of the event. `known` is the latest valid record of the
  /// event before `record`.
  struct Misplaced {
    CommandId record;
    CommandId known;
  };
  const std::vector<Misplaced> &getMisplaced() const { return misplaced; }

private:
  struct Entry {
    int64_t value;
    CommandId id;
  };
  /// The records of event e are entries [begins[e], ends[e]).
  std::vector<uint32_t> begins;
  std::vector<uint32_t> ends;
  std::vector<Entry> entries;
  std::vector<Misplaced> misplaced;
};

/// The result of simulating a schedule in some legal order.
struct ScheduleOrder {
  VectorClocks clocks;
  /// The commands in an order that respects happens-before. Commands behind a
  /// wait that never ends are missing.
  std::vector<CommandId> order;
  EventRecords records;
  /// For each queue, the wait that blocks it for ever, if there is one.
  std::vector<std::optional<CommandId>> stuck;
};

/// Whether the buffers, byte ranges and events that `command` names exist.
bool isWellFormed(const Schedule &schedule, const Command &command);

/// Simulates `schedule`, with each queue in its order. The schedule must have
/// no malformed event. A wait for an event that nothing records ends at once.
ScheduleOrder orderSchedule(const Schedule &schedule);

} // namespace weir::analysis

#endif // WEIR_LIB_ANALYSIS_VECTORCLOCKS_H
