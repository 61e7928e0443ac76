//===- VectorClocks.cpp - Happens-before of the commands of a schedule ----===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VectorClocks.h"

#include <algorithm>

using namespace weir;
using namespace weir::analysis;

const VectorClocks::Clock *VectorClocks::find(CommandId id) const {
  const std::vector<Clock> &known = clocks[id.queue];
  const auto next =
      std::partition_point(known.begin(), known.end(), [&](const Clock &clock) {
        return clock.first <= id.index;
      });
  return next == known.begin() ? nullptr : &*std::prev(next);
}

uint32_t VectorClocks::countCompleted(CommandId id, uint32_t queue) const {
  if (queue == id.queue)
    return id.index + 1;
  const Clock *clock = find(id);
  return clock ? clock->completed[queue] : 0;
}

void VectorClocks::join(CommandId id, CommandId earlier) {
  std::vector<Clock> &known = clocks[id.queue];
  if (known.empty())
    known.push_back({id.index, std::vector<uint32_t>(clocks.size())});
  else if (known.back().first != id.index)
    known.push_back({id.index, std::vector<uint32_t>(known.back().completed)});
  std::vector<uint32_t> &completed = known.back().completed;
  if (const Clock *other = find(earlier))
    for (size_t queue = 0; queue < completed.size(); ++queue)
      completed[queue] = std::max(completed[queue], other->completed[queue]);
  completed[earlier.queue] =
      std::max(completed[earlier.queue], earlier.index + 1);
}

EventRecords::EventRecords(const Schedule &schedule)
    : begins(schedule.numEvents + 1), ends(schedule.numEvents) {
  for (const std::vector<Command> &queue : schedule.queues)
    for (const Command &command : queue)
      if (command.kind == CommandKind::Record)
        ++begins[command.event + 1];
  for (uint32_t event = 0; event < schedule.numEvents; ++event) {
    begins[event + 1] += begins[event];
    ends[event] = begins[event];
  }
  entries.resize(begins.back());
  for (uint32_t queue = 0; queue < schedule.queues.size(); ++queue)
    for (uint32_t i = 0; i < schedule.queues[queue].size(); ++i) {
      const Command &command = schedule.queues[queue][i];
      if (command.kind != CommandKind::Record)
        continue;
      const CommandId id{queue, i};
      uint32_t &end = ends[command.event];
      const Entry *last =
          end == begins[command.event] ? nullptr : &entries[end - 1];
      if (last && (last->id.queue != queue || last->value >= command.value))
        misplaced.push_back({id, last->id});
      else
        entries[end++] = {command.value, id};
    }
}

std::optional<CommandId> EventRecords::find(uint32_t event,
                                            int64_t value) const {
  const auto begin = entries.begin() + begins[event];
  const auto end = entries.begin() + ends[event];
  const auto it = std::partition_point(
      begin, end, [&](const Entry &entry) { return entry.value < value; });
  return it == end ? std::nullopt : std::optional(it->id);
}

namespace {
/// The state of a simulated run: the progress of each queue, and the waiters of
/// each event.
class ScheduleRun {
public:
  ScheduleRun(const Schedule &schedule, ScheduleOrder &out)
      : schedule(schedule), out(out), next(schedule.queues.size()),
        waiting(schedule.numEvents) {}

  void run() {
    for (uint32_t queue = 0; queue < schedule.queues.size(); ++queue)
      ready.push_back(queue);
    while (!ready.empty()) {
      uint32_t queue = ready.back();
      ready.pop_back();
      advance(queue);
    }
  }

private:
  /// Advances `queue` until it ends or has to wait.
  void advance(uint32_t queue) {
    const std::vector<Command> &commands = schedule.queues[queue];
    for (; next[queue] < commands.size(); ++next[queue]) {
      CommandId id{queue, next[queue]};
      const Command &command = commands[id.index];
      std::optional<CommandId> record;
      if (command.kind == CommandKind::Wait && command.value > 0)
        record = out.records.find(command.event, command.value);
      if (record && next[record->queue] <= record->index) {
        out.stuck[queue] = id;
        waiting[command.event].push_back(queue);
        return;
      }
      out.stuck[queue].reset();
      complete(id, command, record);
    }
  }

  void complete(CommandId id, const Command &command,
                std::optional<CommandId> awaited) {
    out.order.push_back(id);
    if (awaited)
      out.clocks.join(id, *awaited);
    if (command.kind != CommandKind::Record)
      return;
    // Queues that wait for a larger value will wait again.
    std::vector<uint32_t> &queues = waiting[command.event];
    ready.insert(ready.end(), queues.begin(), queues.end());
    queues.clear();
  }

  const Schedule &schedule;
  ScheduleOrder &out;
  std::vector<uint32_t> next;
  std::vector<std::vector<uint32_t>> waiting;
  std::vector<uint32_t> ready;
};
} // namespace

bool weir::analysis::isWellFormed(const Schedule &schedule,
                                  const Command &command) {
  if (command.kind != CommandKind::Work)
    return command.event < schedule.numEvents;
  for (const auto *ranges : {&command.reads, &command.writes})
    for (const ByteRange &range : *ranges) {
      if (range.buffer >= schedule.buffers.size() || range.end < range.begin)
        return false;
      if (schedule.buffers[range.buffer].offset > UINT64_MAX - range.end)
        return false;
    }
  return true;
}

ScheduleOrder weir::analysis::orderSchedule(const Schedule &schedule) {
  ScheduleOrder out{
      VectorClocks(schedule.queues.size()), {}, EventRecords(schedule), {}};
  out.stuck.resize(schedule.queues.size());
  ScheduleRun(schedule, out).run();
  return out;
}
