//===- Schedule.h - Order between the commands of several queues ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//
// A plain model of an exec program. Queues run their commands in order, and
// events order commands of different queues. Happens-before consists of program
// order and event edges. It is stored as one vector clock per command (Mattern,
// "Virtual time and global states of distributed systems", 1989). One sweep
// finds races, as in FastTrack (Flanagan and Freund, 2009).
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_SCHEDULE_H
#define WEIR_ANALYSIS_SCHEDULE_H

#include "weir/Support/Status.h"

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weir::analysis {

/// A position in a schedule: command `index` of queue `queue`.
struct CommandId {
  uint32_t queue = 0;
  uint32_t index = 0;
  auto operator<=>(const CommandId &) const = default;
};

/// Bytes [begin, end) of a buffer, counted from the buffer's start. A buffer
/// can be written more than once: `version` counts its contents.
struct ByteRange {
  uint32_t buffer = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t version = 0;
};

/// The place of a buffer. Buffers of one arena may share bytes. A buffer
/// outside of arenas shares bytes with no other.
struct BufferPlace {
  static constexpr uint32_t noArena = ~0u;
  uint32_t arena = noArena;
  /// Bytes from the start of the arena.
  uint64_t offset = 0;
  /// Whether the buffer has contents, version 0, when the run begins. If not,
  /// commands must write all bytes that commands read.
  bool isGiven = true;
  /// The number of bytes at the start of the buffer that must be written when
  /// the run ends.
  uint64_t outputBytes = 0;
};

/// What a command does to the order of commands.
enum class CommandKind : uint8_t {
  /// Reads and writes bytes: a launch, copy or fill.
  Work,
  /// Raises an event to `value`, after all earlier commands of its queue.
  Record,
  /// Blocks its queue until an event has reached `value`.
  Wait,
};

struct Command {
  CommandKind kind = CommandKind::Work;
  /// The event of a Record or Wait. Events start at 0.
  uint32_t event = 0;
  std::vector<ByteRange> reads = {};
  std::vector<ByteRange> writes = {};
  /// For each write, the index of the read whose bytes it may overwrite during
  /// the command, or -1. Empty: no write may overwrite a read.
  std::vector<int32_t> overwrites = {};
  int64_t value = 1;
  /// The repeats around the command, the outermost first. `repeats` has their
  /// indices in `Schedule::tripCounts`, and `trips` the number of the trip of
  /// each.
  std::vector<int64_t> trips = {};
  std::vector<uint32_t> repeats = {};
};

/// The queues of one entry, over all devices. All start at once.
struct Schedule {
  std::vector<BufferPlace> buffers;
  std::vector<std::vector<Command>> queues;
  uint32_t numEvents = 0;
  /// The number of trips of each repeat. A repeat is in one queue. Repeats of
  /// different queues belong together, trip by trip, if their counts are equal,
  /// and the counts of the repeats around them, too.
  std::vector<int64_t> tripCounts;
};

/// What `verifySchedule` can find.
enum class FindingKind : uint8_t {
  /// `second` reads what `first` writes, and they are not ordered.
  ReadAfterWrite,
  /// `second` writes what `first` reads, and they are not ordered.
  WriteAfterRead,
  /// Both commands write, and they are not ordered.
  WriteAfterWrite,
  /// `second` waits for a value of an event that nothing records.
  NeverRecorded,
  /// Both record one event, but `second` is in another queue, or its value is
  /// not larger than the value of `first`.
  RecordedTwice,
  /// `second` waits for an event that `first` records, and `first` waits for
  /// `second`.
  Deadlock,
  /// `second` names a buffer or event that does not exist, or a range that
  /// ends before it begins or past the end of the address space.
  Malformed,
  /// `second` writes bytes that it also reads or writes through another range,
  /// and does not declare this in `overwrites`.
  Overlap,
  /// `second` reads bytes that nothing has written.
  NeverWritten,
  /// `second` reads bytes in which `first` has already written another buffer.
  Clobbered,
  /// `second` reads or writes bytes to which `first` has already written a
  /// later version of the buffer.
  Outdated,
  /// `first` reads bytes of a version before `second` writes them.
  ReadTooEarly,
  /// `second` is in a repeat. It reads bytes that different trips have written.
  /// These are trips of this repeat, or of a repeat that belongs to it. `first`
  /// has written the last of these bytes.
  MixedTrips,
  /// No command writes certain bytes of an output. `first` and `second` have no
  /// meaning.
  NotWritten,
  /// The commands up to `second` access bytes that were written in too many
  /// parts to be checked. Later commands were not checked.
  TooManyParts,
};

/// The spelling of `kind` in messages, for instance "read after write".
std::string_view toString(FindingKind kind);

/// One defect of a schedule. Fields without a meaning for its kind are zero.
struct Finding {
  FindingKind kind = FindingKind::Malformed;
  CommandId first;
  CommandId second;
  /// The buffers through which `first` and `second` access the same bytes. They
  /// differ if two buffers share bytes of an arena.
  uint32_t firstBuffer = 0;
  uint32_t secondBuffer = 0;
  /// The shared bytes, counted from the start of the arena, or from the start
  /// of a buffer outside of arenas.
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t event = 0;
  int64_t value = 0;

  /// The finding as text, with commands as "queue 1 command 7". A caller that
  /// knows names composes its own message from the fields.
  std::string toString() const;
};

/// All defects of `schedule`: unordered hazards, waits that never end, events
/// that are recorded twice, and reads that do not see the bytes that they name.
/// If one command has several hazards with another queue over the same bytes,
/// only the hazard with the latest command of that queue is listed. Hazards are
/// checked only if every queue can run to its end. The flow of data is checked
/// only if there are no hazards: it is then the same in every order of a run.
/// For a fixed number of queues, the time is near-linear in the number of
/// accesses plus the number of parts in which their bytes were written.
std::vector<Finding> verifySchedule(const Schedule &schedule);

/// `to` must not start before `from` has completed.
struct Dependency {
  CommandId from;
  CommandId to;
};

/// Event `event` is recorded right after command `record`.
struct EventRecord {
  uint32_t event = 0;
  CommandId record;
};

/// Command `wait` waits, right before it starts, for event `event`.
struct EventWait {
  uint32_t event = 0;
  CommandId wait;
};

/// Events in the order of their records, and waits in the order of (queue,
/// index). Several waits may be for one event, but at most one in each queue.
struct EventAssignment {
  std::vector<EventRecord> records;
  std::vector<EventWait> waits;
};

/// The fewest records and waits that enforce `dependencies` in queues with the
/// given numbers of commands. Positions count these commands only, without
/// records and waits. A dependency that program order or other waits imply is
/// dropped; the result is the transitive reduction. It is an error if the
/// dependencies form a cycle or name a command that does not exist.
StatusOr<EventAssignment>
assignEvents(std::span<const uint32_t> commandsPerQueue,
             std::span<const Dependency> dependencies);

/// The steps between which the bytes of a buffer are in use. They are command
/// indices of one queue. `last` may be one past the last command.
struct LiveSteps {
  uint32_t buffer = 0;
  uint32_t first = 0;
  uint32_t last = 0;
};

/// When each buffer is in use, as seen from the queue `owners[buffer]`, even if
/// other queues access it.
/// - All steps before `first` have completed before any use.
/// - All uses have completed when step `last` has completed. For a use by the
///   owner that is the step of the use, and for a use by another queue a later
///   wait of the owner. If there is no such step, `last` is the number of steps
///   of the owner.
///
/// So two buffers with the same owner may share bytes if their [first, last] do
/// not overlap: every use of one is ordered before every use of the other.
/// Buffers that no command accesses are left out. It is an error if the
/// schedule cannot run to its end.
StatusOr<std::vector<LiveSteps>> liveSteps(const Schedule &schedule,
                                           std::span<const uint32_t> owners);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_SCHEDULE_H
