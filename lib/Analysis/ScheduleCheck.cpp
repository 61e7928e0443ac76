//===- ScheduleCheck.cpp - Finds hazards and deadlocks of a schedule ------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "VectorClocks.h"

#include <fmt/format.h>

#include <tuple>

using namespace weir;
using namespace weir::analysis;

namespace {

/// An access that is recorded for a range of bytes.
struct Mark {
  CommandId id;
  uint32_t buffer;
  bool isWrite;
};

/// The bytes [key, end), with the latest read and the latest write of them by
/// each queue.
struct Segment {
  uint64_t end;
  std::vector<Mark> marks;
};

/// Sweeps over the accesses to one space. Only the latest read and write of
/// each queue are recorded. An access that comes after these two also comes
/// after all earlier accesses of that queue.
class SpaceSweep {
public:
  SpaceSweep(const VectorClocks &clocks, std::vector<Finding> &findings)
      : clocks(clocks), findings(findings) {}

  /// Returns the number of segments of the access.
  uint64_t visit(const Access &access);

private:
  bool check(const Access &access, uint64_t begin, const Segment &segment);
  void report(const Access &access, const Mark &mark, uint64_t begin,
              uint64_t end);
  void remember(const Access &access);

  const VectorClocks &clocks;
  std::vector<Finding> &findings;
  SegmentMap<Segment> segments;
  /// The index in `findings` of the first finding for the current access.
  size_t firstOwn = 0;
};

} // namespace

void SpaceSweep::report(const Access &access, const Mark &mark, uint64_t begin,
                        uint64_t end) {
  FindingKind kind = !access.isWrite ? FindingKind::ReadAfterWrite
                     : mark.isWrite  ? FindingKind::WriteAfterWrite
                                     : FindingKind::WriteAfterRead;
  // Segments are visited in the order of their bytes. Neighbours are merged
  // into one finding.
  for (size_t i = firstOwn; i < findings.size(); ++i) {
    Finding &known = findings[i];
    if (known.kind == kind && known.first == mark.id &&
        known.firstBuffer == mark.buffer && known.end == begin) {
      known.end = end;
      return;
    }
  }
  Finding finding;
  finding.kind = kind;
  finding.first = mark.id;
  finding.second = access.id;
  finding.firstBuffer = mark.buffer;
  finding.secondBuffer = access.buffer;
  finding.begin = begin;
  finding.end = end;
  findings.push_back(finding);
}

/// Reports the recorded accesses that conflict with `access`. Returns whether
/// all of them are ordered before it.
bool SpaceSweep::check(const Access &access, uint64_t begin,
                       const Segment &segment) {
  bool allOrdered = true;
  for (const Mark &mark : segment.marks) {
    if (mark.id.queue == access.id.queue || clocks.isBefore(mark.id, access.id))
      continue;
    allOrdered = false;
    if (mark.isWrite || access.isWrite)
      report(access, mark, begin, segment.end);
  }
  return allOrdered;
}

/// Records `access` for all of its bytes.
void SpaceSweep::remember(const Access &access) {
  Mark own{access.id, access.buffer, access.isWrite};
  uint64_t at = access.begin;
  auto it = segments.lower_bound(at);
  while (at < access.end) {
    if (it == segments.end() || it->first > at) {
      uint64_t end = access.end;
      if (it != segments.end())
        end = std::min(end, it->first);
      it = segments.emplace_hint(it, at, Segment{end, {own}});
    } else {
      std::vector<Mark> &marks = it->second.marks;
      std::erase_if(marks, [&](const Mark &mark) {
        return mark.id.queue == own.id.queue && mark.isWrite == own.isWrite;
      });
      marks.push_back(own);
    }
    at = it->second.end;
    ++it;
  }
}

uint64_t SpaceSweep::visit(const Access &access) {
  firstOwn = findings.size();
  splitAt(segments, access.begin);
  splitAt(segments, access.end);
  auto first = segments.lower_bound(access.begin);
  auto last = segments.lower_bound(access.end);
  bool allOrdered = true;
  uint64_t count = 0;
  for (auto it = first; it != last; ++it, ++count)
    allOrdered &= check(access, it->first, it->second);
  // A write that is ordered after all recorded accesses replaces them. Every
  // access that is ordered after the write is then also ordered after them.
  if (access.isWrite && allOrdered)
    segments.erase(first, last);
  remember(access);
  return count;
}

bool SegmentBudget::spend(uint64_t count, const Access &access,
                          std::vector<Finding> &findings) {
  if (count <= left) {
    left -= count;
    return true;
  }
  Finding finding;
  finding.kind = FindingKind::TooManyParts;
  finding.first = finding.second = access.id;
  finding.firstBuffer = finding.secondBuffer = access.buffer;
  finding.begin = access.begin;
  finding.end = access.end;
  findings.push_back(finding);
  return false;
}

static std::vector<Access> gatherAccesses(const Schedule &schedule,
                                          std::span<const CommandId> order) {
  std::vector<Access> accesses;
  for (size_t position = 0; position < order.size(); ++position) {
    CommandId id = order[position];
    const Command &command = schedule.queues[id.queue][id.index];
    for (bool isWrite : {false, true})
      for (const ByteRange &range : isWrite ? command.writes : command.reads) {
        Access access = locate(schedule, range);
        access.position = position;
        access.isWrite = isWrite;
        access.id = id;
        if (access.begin < access.end)
          accesses.push_back(access);
      }
  }
  std::stable_sort(accesses.begin(), accesses.end(),
                   [](const Access &a, const Access &b) {
                     return std::tie(a.space, a.position, a.isWrite) <
                            std::tie(b.space, b.position, b.isWrite);
                   });
  return accesses;
}

static void findHazards(const std::vector<Access> &accesses,
                        const ScheduleOrder &order,
                        std::vector<Finding> &findings) {
  std::optional<SpaceSweep> sweep;
  SegmentBudget budget;
  for (size_t i = 0; i < accesses.size(); ++i) {
    if (i == 0 || accesses[i].space != accesses[i - 1].space)
      sweep.emplace(order.clocks, findings);
    if (!budget.spend(sweep->visit(accesses[i]), accesses[i], findings))
      return;
  }
}

/// Calls `visit(id, command)` for every command.
template <typename Fn>
static void forEachCommand(const Schedule &schedule, Fn visit) {
  for (uint32_t queue = 0; queue < schedule.queues.size(); ++queue)
    for (uint32_t i = 0; i < schedule.queues[queue].size(); ++i)
      visit(CommandId{queue, i}, schedule.queues[queue][i]);
}

static Finding eventFinding(FindingKind kind, CommandId first, CommandId second,
                            const Command &command) {
  Finding finding;
  finding.kind = kind;
  finding.first = first;
  finding.second = second;
  finding.event = command.event;
  finding.value = command.value;
  return finding;
}

static void findEventErrors(const Schedule &schedule,
                            const ScheduleOrder &order,
                            std::vector<Finding> &findings) {
  forEachCommand(schedule, [&](CommandId id, const Command &command) {
    if (command.kind == CommandKind::Wait && command.value > 0 &&
        !order.records.find(command.event, command.value))
      findings.push_back(
          eventFinding(FindingKind::NeverRecorded, {}, id, command));
  });
  for (const EventRecords::Misplaced &misplaced : order.records.getMisplaced())
    findings.push_back(eventFinding(
        FindingKind::RecordedTwice, misplaced.known, misplaced.record,
        schedule.queues[misplaced.record.queue][misplaced.record.index]));
}

/// Every blocked queue waits for one other blocked queue, so each walk ends in
/// a cycle. Queues that only wait for a queue of the cycle are not reported.
static void findDeadlocks(const Schedule &schedule, const ScheduleOrder &order,
                          std::vector<Finding> &findings) {
  size_t numQueues = order.stuck.size();
  auto recordOf = [&](uint32_t queue) {
    CommandId wait = *order.stuck[queue];
    const Command &command = schedule.queues[queue][wait.index];
    return *order.records.find(command.event, command.value);
  };
  for (uint32_t queue = 0; queue < numQueues; ++queue) {
    if (!order.stuck[queue])
      continue;
    uint32_t at = recordOf(queue).queue;
    for (size_t steps = 0; at != queue && steps < numQueues; ++steps)
      at = recordOf(at).queue;
    if (at != queue)
      continue;
    CommandId wait = *order.stuck[queue];
    findings.push_back(eventFinding(FindingKind::Deadlock, recordOf(queue),
                                    wait, schedule.queues[queue][wait.index]));
  }
}

std::vector<Finding> weir::analysis::verifySchedule(const Schedule &schedule) {
  std::vector<Finding> findings;
  forEachCommand(schedule, [&](CommandId id, const Command &command) {
    if (!isWellFormed(schedule, command))
      findings.push_back(eventFinding(FindingKind::Malformed, {}, id, command));
  });
  if (!findings.empty())
    return findings;
  ScheduleOrder order = orderSchedule(schedule);
  findEventErrors(schedule, order, findings);
  findDeadlocks(schedule, order, findings);
  if (findings.empty()) {
    const std::vector<Access> accesses = gatherAccesses(schedule, order.order);
    findHazards(accesses, order, findings);
    forEachCommand(schedule, [&](CommandId id, const Command &command) {
      checkOverlaps(schedule, id, command, findings);
    });
    if (findings.empty())
      checkDataFlow(schedule, accesses, findings);
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding &a, const Finding &b) {
                     return std::tie(a.second, a.first, a.begin) <
                            std::tie(b.second, b.first, b.begin);
                   });
  return findings;
}

std::string_view weir::analysis::toString(FindingKind kind) {
  constexpr std::string_view names[] = {
      "read after write", "write after read", "write after write",
      "never recorded",   "recorded twice",   "deadlock",
      "malformed",        "overlap",          "never written",
      "clobbered",        "outdated",         "read too early",
      "mixed trips",      "not written",      "too many parts"};
  return names[static_cast<int>(kind)];
}

/// The text "event 3". The value of the event follows if it is not 1.
static std::string eventText(const Finding &finding) {
  return finding.value == 1 ? fmt::format("event {}", finding.event)
                            : fmt::format("value {} of event {}", finding.value,
                                          finding.event);
}

std::string Finding::toString() const {
  auto name = [](CommandId id) {
    return fmt::format("queue {} command {}", id.queue, id.index);
  };
  switch (kind) {
  case FindingKind::ReadAfterWrite:
  case FindingKind::WriteAfterRead:
  case FindingKind::WriteAfterWrite:
    return fmt::format("{}: {} (buffer {}) is not ordered after {} (buffer "
                       "{}), both on bytes [{}, {})",
                       weir::analysis::toString(kind), name(second),
                       secondBuffer, name(first), firstBuffer, begin, end);
  case FindingKind::NeverRecorded:
    return fmt::format("{} waits for {}, which nothing records", name(second),
                       eventText(*this));
  case FindingKind::RecordedTwice:
    return fmt::format("{} records {} again, after {}", name(second),
                       eventText(*this), name(first));
  case FindingKind::Deadlock:
    return fmt::format("deadlock: {} waits for {}, but its record {} waits for "
                       "it in turn",
                       name(second), eventText(*this), name(first));
  case FindingKind::Overlap:
  case FindingKind::NeverWritten:
  case FindingKind::Clobbered:
  case FindingKind::Outdated:
  case FindingKind::ReadTooEarly:
  case FindingKind::MixedTrips:
  case FindingKind::NotWritten:
    return fmt::format("{}: {} (buffer {}) after {} (buffer {}), bytes [{}, "
                       "{})",
                       weir::analysis::toString(kind), name(second),
                       secondBuffer, name(first), firstBuffer, begin, end);
  case FindingKind::TooManyParts:
    return fmt::format("{}: {} (buffer {}), bytes [{}, {})",
                       weir::analysis::toString(kind), name(second),
                       secondBuffer, begin, end);
  case FindingKind::Malformed:
    break;
  }
  return fmt::format("{} names a buffer, byte range or event that does not "
                     "exist",
                     name(second));
}
