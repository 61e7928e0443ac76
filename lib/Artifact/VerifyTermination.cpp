//===- VerifyTermination.cpp - Checks that programs reach their end -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VerifyContext.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace weir;
using namespace weir::artifact;

namespace {
/// A place in a program, and the trips of the repeats around it.
struct Cursor {
  struct Loop {
    EnclosingRepeat repeat;
    uint32_t trip;
  };
  uint32_t next = 0;
  std::vector<Loop> loops;
};

/// Carries out the events of all programs on one thread. The order of the
/// programs has no effect on which values are recorded, so one thread is
/// enough.
class TrialRun {
public:
  explicit TrialRun(const Entry &entry)
      : entry(entry), cursors(sizeOf(entry.programs())),
        reached(sizeOf(entry.events())),
        recorder(sizeOf(entry.events()), noProgram) {}

  Status run();

private:
  static constexpr uint32_t noProgram = UINT32_MAX;

  Status advance(uint32_t program);
  Status record(const Command &command, uint32_t program);
  int64_t valueOf(const Command &command, const Cursor &cursor) const;
  Status checkEnd() const;

  const Entry &entry;
  std::vector<Cursor> cursors;
  /// The value that each event has reached. `recorder` has the program that
  /// records the event.
  std::vector<int64_t> reached;
  std::vector<uint32_t> recorder;
  /// The programs that can continue. `waiting` has those that wait, each as
  /// (event, value, program).
  std::vector<uint32_t> ready;
  std::set<std::tuple<uint32_t, int64_t, uint32_t>> waiting;
};
} // namespace

int64_t TrialRun::valueOf(const Command &command, const Cursor &cursor) const {
  int64_t value = command.value();
  for (uint32_t k = 0; command.strides() != 0 && k < cursor.loops.size(); ++k)
    value += entry.strides()->Get(command.strides() + k) *
             int64_t(cursor.loops[k].trip);
  return value;
}

/// Moves the cursor to the next command. Returns false at the end of the
/// program.
static bool findNext(Cursor &cursor, uint32_t numCommands) {
  while (!cursor.loops.empty() &&
         cursor.next == cursor.loops.back().repeat.end) {
    Cursor::Loop &loop = cursor.loops.back();
    if (++loop.trip < loop.repeat.trips)
      cursor.next = loop.repeat.begin;
    else
      cursor.loops.pop_back();
  }
  return cursor.next < numCommands;
}

Status TrialRun::record(const Command &command, uint32_t program) {
  const uint32_t event = command.index();
  const int64_t value = valueOf(command, cursors[program]);
  if (recorder[event] == noProgram)
    recorder[event] = program;
  if (recorder[event] != program)
    return violation("it records event {}, which program {} records too", event,
                     recorder[event]);
  if (value <= reached[event])
    return violation("it records value {} of event {}, which has reached {}; "
                     "values must grow",
                     value, event, reached[event]);
  reached[event] = value;
  for (auto it = waiting.lower_bound({event, INT64_MIN, 0});
       it != waiting.end() && std::get<0>(*it) == event &&
       std::get<1>(*it) <= value;
       it = waiting.erase(it))
    ready.push_back(std::get<2>(*it));
  return Status::ok();
}

/// Advances `program` to its end, or to a wait for a value that no event has
/// reached yet.
Status TrialRun::advance(uint32_t program) {
  const auto *commands = entry.programs()->Get(program)->commands();
  Cursor &cursor = cursors[program];
  for (; findNext(cursor, sizeOf(commands)); ++cursor.next) {
    const Command &command = *commands->Get(cursor.next);
    if (command.opcode() == Opcode::Repeat) {
      const uint32_t begin = cursor.next + 1;
      const uint32_t end = begin + static_cast<uint32_t>(command.value());
      cursor.loops.push_back({{begin, end, command.index()}, 0});
    } else if (command.opcode() == Opcode::Record) {
      if (Status status = record(command, program); !status.isOk())
        return std::move(status).withContext(
            fmt::format("program {}: {}", program,
                        locateCommand(entry, command, cursor.next)));
    } else if (command.opcode() == Opcode::Wait) {
      const int64_t value = valueOf(command, cursor);
      if (value <= reached[command.index()])
        continue;
      waiting.emplace(command.index(), value, program);
      return Status::ok();
    }
  }
  return Status::ok();
}

Status TrialRun::checkEnd() const {
  if (!waiting.empty()) {
    const auto [event, value, program] = *std::min_element(
        waiting.begin(), waiting.end(), [](const auto &a, const auto &b) {
          return std::get<2>(a) < std::get<2>(b);
        });
    const uint32_t index = cursors[program].next;
    return violation(
        "program {}: {}: it waits for value {} of event {} for ever: the value "
        "is never recorded, or only after this wait",
        program,
        locateCommand(entry,
                      *entry.programs()->Get(program)->commands()->Get(index),
                      index),
        value, event);
  }
  for (uint32_t event = 0; event < reached.size(); ++event)
    if (reached[event] != int64_t(entry.events()->Get(event)))
      return violation("event {} has the largest value {}, but a run records "
                       "{}",
                       event, entry.events()->Get(event), reached[event]);
  return Status::ok();
}

Status TrialRun::run() {
  for (uint32_t i = 0; i < cursors.size(); ++i)
    ready.push_back(i);
  while (!ready.empty()) {
    const uint32_t program = ready.back();
    ready.pop_back();
    WEIR_RETURN_IF_ERROR(advance(program));
  }
  return checkEnd();
}

Status weir::artifact::verifyTermination(const Entry &entry) {
  return TrialRun(entry).run();
}
