//===- Schedule.h - Order between the commands of several queues ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//
// A plain model of an exec program: queues run their commands in order, and
// events order commands of different queues. Happens-before is program order
// and event edges, kept as one vector clock per command (Mattern, "Virtual time
// and global states of distributed systems", 1989); races are found in one
// sweep as in FastTrack (Flanagan and Freund, 2009).
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

/// Bytes [begin, end) of a buffer, counted from the buffer's start.
struct ByteRange {
  uint32_t buffer = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// Where a buffer lies. Buffers of one arena may share bytes; a buffer in no
/// arena shares bytes with none.
struct BufferPlace {
  static constexpr uint32_t noArena = ~0u;
  uint32_t arena = noArena;
  /// Bytes from the start of the arena.
  uint64_t offset = 0;
};

/// What a command does to the order.
enum class CommandKind : uint8_t {
  /// Reads and writes bytes: a launch, copy or fill.
  Work,
  /// Sets an event, after all earlier commands of its queue.
  Record,
  /// Holds its queue until an event is set.
  Wait,
};

struct Command {
  CommandKind kind = CommandKind::Work;
  /// The event of a Record or Wait.
  uint32_t event = 0;
  std::vector<ByteRange> reads;
  std::vector<ByteRange> writes;
};

/// The queues of one entry, over all devices. All start at once.
struct Schedule {
  std::vector<BufferPlace> buffers;
  std::vector<std::vector<Command>> queues;
  uint32_t numEvents = 0;
};

/// What `verifySchedule` can find.
enum class FindingKind : uint8_t {
  /// `second` reads what `first` writes, without an order between them.
  ReadAfterWrite,
  /// `second` writes what `first` reads.
  WriteAfterRead,
  /// Both write.
  WriteAfterWrite,
  /// `second` waits for an event that nothing records.
  NeverRecorded,
  /// `second` records an event that `first` has recorded.
  RecordedTwice,
  /// `second` waits for an event whose record, `first`, waits for it in turn.
  Deadlock,
  /// `second` names a buffer or event that does not exist, or a range that
  /// ends before it begins or past the end of the address space.
  Malformed,
};

/// The spelling of `kind` in messages, for instance "read after write".
std::string_view toString(FindingKind kind);

/// One defect of a schedule. Where a field has no meaning it is zero.
struct Finding {
  FindingKind kind = FindingKind::Malformed;
  CommandId first;
  CommandId second;
  /// Buffers through which `first` and `second` touch the same bytes; they
  /// differ when two buffers share bytes of an arena.
  uint32_t firstBuffer = 0;
  uint32_t secondBuffer = 0;
  /// The shared bytes, from the start of the arena or, outside arenas, of the
  /// buffer.
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t event = 0;

  /// The finding with commands written as "queue 1 command 7". A caller that
  /// knows names writes its own message from the fields.
  std::string toString() const;
};

/// Everything wrong with `schedule`: hazards without an order, waits that are
/// never over, events recorded twice. Of several hazards between one command
/// and another queue over the same bytes, the one with the latest command of
/// that queue is listed. Hazards are looked for only if every queue can run to
/// its end. Near-linear in the number of accesses for a fixed number of queues.
std::vector<Finding> verifySchedule(const Schedule &schedule);

/// `to` must not start before `from` is complete.
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

/// Events in the order of their records, waits in the order of (queue, index);
/// one event may be waited for several times, but once by each queue.
struct EventAssignment {
  std::vector<EventRecord> records;
  std::vector<EventWait> waits;
};

/// The fewest records and waits that enforce `dependencies` in queues of the
/// given numbers of commands (positions before any record or wait is
/// inserted). A dependency that program order or other waits imply is elided:
/// what is left is the transitive reduction. Fails when the dependencies form
/// a cycle or name a command that does not exist.
StatusOr<EventAssignment>
assignEvents(std::span<const uint32_t> commandsPerQueue,
             std::span<const Dependency> dependencies);

/// The steps of one queue between which a buffer's bytes are in use, in terms
/// of command indices of that queue; `last` may be one past the last command.
struct LiveSteps {
  uint32_t buffer = 0;
  uint32_t first = 0;
  uint32_t last = 0;
};

/// When each buffer is in use, seen from the queue `owners[buffer]`, also where
/// other queues touch it. `last` is the first step at whose end all uses are
/// complete (a use by the owner is its own step; one elsewhere needs a wait of
/// the owner behind it), else the number of steps of that queue. `first` is the
/// first step that is not complete before every use. So two buffers with the
/// same owner whose [first, last] do not overlap may share bytes: every use of
/// the one is ordered before every use of the other. Buffers that no command
/// touches are left out. Fails when the schedule cannot run to its end.
StatusOr<std::vector<LiveSteps>> liveSteps(const Schedule &schedule,
                                           std::span<const uint32_t> owners);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_SCHEDULE_H
