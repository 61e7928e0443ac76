//===- LiveSteps.cpp - Finds when buffers are in use, per queue -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VectorClocks.h"

using namespace weir;
using namespace weir::analysis;

/// The first step of queue `owner` whose end implies that `use` has completed.
/// `use` is a command of another queue.
static uint32_t firstStepAfter(const VectorClocks &clocks, uint32_t owner,
                               uint32_t numSteps, CommandId use) {
  uint32_t low = 0, high = numSteps;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (clocks.isBefore(use, {owner, middle}))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

StatusOr<std::vector<LiveSteps>>
weir::analysis::liveSteps(const Schedule &schedule,
                          std::span<const uint32_t> owners) {
  if (owners.size() != schedule.buffers.size())
    return invalidArgument("live steps need one owner for each buffer");
  for (uint32_t owner : owners)
    if (owner >= schedule.queues.size())
      return invalidArgument("a buffer's owner is not a queue of the schedule");
  for (const std::vector<Command> &queue : schedule.queues)
    for (const Command &command : queue)
      if (!isWellFormed(schedule, command))
        return invalidArgument("a command names a buffer, byte range or event "
                               "that does not exist");
  ScheduleOrder order = orderSchedule(schedule);
  for (const std::optional<CommandId> &wait : order.stuck)
    if (wait)
      return invalidArgument("the schedule has a deadlock; verifySchedule says "
                             "where");

  std::vector<std::optional<LiveSteps>> steps(owners.size());
  for (CommandId id : order.order) {
    const Command &command = schedule.queues[id.queue][id.index];
    for (const auto *ranges : {&command.reads, &command.writes})
      for (const ByteRange &range : *ranges) {
        uint32_t owner = owners[range.buffer];
        uint32_t first = id.index, last = id.index;
        if (id.queue != owner) {
          auto numSteps = static_cast<uint32_t>(schedule.queues[owner].size());
          first = order.clocks.countCompleted(id, owner);
          last = firstStepAfter(order.clocks, owner, numSteps, id);
        }
        std::optional<LiveSteps> &known = steps[range.buffer];
        if (!known)
          known = LiveSteps{range.buffer, first, last};
        known->first = std::min(known->first, first);
        known->last = std::max(known->last, last);
      }
  }
  std::vector<LiveSteps> out;
  for (const std::optional<LiveSteps> &step : steps)
    if (step)
      out.push_back(*step);
  return out;
}
