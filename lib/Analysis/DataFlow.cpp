//===- DataFlow.cpp - Checks that commands see the bytes that they name ---===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Without hazards, every byte has the same history in all orders of a run. So
// one sweep over the accesses, in one of these orders, finds what each read
// sees.
//
// Each trip of a repeat writes the buffers of the repeat again. A command in a
// repeat must see the bytes of a single trip. This is also true if the writer
// is in a repeat of another queue that belongs to the repeat of the reader. The
// events decide which trip the command sees: a read that comes too early or too
// late would be a hazard, or would mix the bytes of several trips. Trips of
// unrelated repeats are not compared.
//
// A read must come after the writers of its version, except for writers in
// later trips. If the writer is in a repeat of another queue, it may be unknown
// which of the two is in the earlier trip. Then it is enough that any trip has
// written the version before the read. If no trip has, the read comes too
// early, unless it is known to be in an earlier trip than the writer. For
// example, a cache that grows with each trip is read as a whole, although later
// trips have not written their parts.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

using namespace weir;
using namespace weir::analysis;

namespace {

/// A read of some bytes of a buffer. `command` expects that the bytes hold
/// `version`.
struct Read {
  uint32_t version;
  CommandId command;
};

/// The queue of some reads, and the innermost repeat around them. From one read
/// of a place to the next, the trip never decreases.
struct ReadPlace {
  static constexpr uint32_t noRepeat = ~0u;
  uint32_t queue;
  uint32_t repeat;
  /// Whether the bytes held an earlier version than expected at the time of the
  /// read.
  bool isEarly;
  auto operator<=>(const ReadPlace &) const = default;
};

/// The reads of one place against which later writers are checked, in the order
/// of the run. If a read comes too early for a writer, every later read of the
/// same place comes too early too. So a read replaces all earlier reads whose
/// version is not larger, and versions decrease from one read to the next.
using ReadStack = std::vector<Read>;

/// All reads of some bytes since the bytes were written.
class Reads {
public:
  void add(const ReadPlace &place, const Read &read);

  /// Calls `visit` with each place and its reads. `visit` may change the reads.
  template <typename Visit> void forEach(Visit visit) {
    for (auto &[place, stack] : stacks)
      visit(place, stack);
  }
  bool isEmpty() const { return stacks.empty(); }
  /// Takes over `stack` as the reads of a place that has no reads yet.
  void take(const ReadPlace &place, ReadStack stack) {
    stacks.emplace(place, std::move(stack));
  }

private:
  std::map<ReadPlace, ReadStack> stacks;
};

/// The last version that was written to the bytes [key, end) of a buffer. This
/// is kept even if other buffers have used the bytes since.
struct Contents {
  uint64_t end;
  uint32_t version;
  /// The command that wrote the version; nothing if the bytes were given at the
  /// start.
  std::optional<CommandId> writer;
  Reads reads = {};
};

/// The buffer that was written last to the bytes [key, end).
struct Holder {
  uint64_t end;
  uint32_t buffer;
  CommandId writer;
};

/// Sweeps over the accesses to one space.
class ContentSweep {
public:
  ContentSweep(const Schedule &schedule, std::vector<Finding> &findings)
      : schedule(schedule), findings(findings) {}

  /// Returns the number of segments of the access.
  uint64_t visit(const Access &access);
  /// Reports the bytes of the output `buffer` that nothing has written.
  void checkOutput(uint32_t buffer);

private:
  using Segments = SegmentMap<Contents>;
  /// Early reads of the bytes [begin, end), which have to be checked against
  /// later writers.
  struct Waiting {
    uint64_t begin, end;
    Reads reads;
  };

  void read(const Access &access);
  void readOwn(const Access &access, uint64_t begin, uint64_t end);
  void readSegment(const Access &access, uint64_t begin, Contents &contents);
  void readGap(const Access &access, uint64_t begin, uint64_t end);
  ReadPlace placeOf(const Access &read, bool isEarly) const;
  void write(const Access &access);
  void hold(const Access &access);
  std::vector<Waiting> takeWaiting(Segments::iterator first,
                                   Segments::iterator last,
                                   const Access &access) const;
  std::optional<CommandId> findTooEarly(Contents &old,
                                        const Access &access) const;
  void checkTrips(const Access &access);
  bool isOlder(const Contents &contents, const Access &access) const;
  bool isTooEarly(CommandId read, bool isEarly, CommandId writer) const;
  size_t countCommon(CommandId a, CommandId b) const;
  const Command &commandOf(CommandId id) const {
    return schedule.queues[id.queue][id.index];
  }
  /// The trips of the `depth` outermost repeats around command `id`.
  std::span<const int64_t> tripsOf(CommandId id, size_t depth) const {
    return std::span(commandOf(id).trips).first(depth);
  }
  void report(FindingKind kind, const Access &access, CommandId first,
              uint32_t firstBuffer, uint64_t begin, uint64_t end);

  const Schedule &schedule;
  std::vector<Finding> &findings;
  std::unordered_map<uint32_t, Segments> history;
  SegmentMap<Holder> holders;
  uint64_t numVisited = 0;
};

} // namespace

void Reads::add(const ReadPlace &place, const Read &read) {
  ReadStack &stack = stacks[place];
  while (!stack.empty() && stack.back().version <= read.version)
    stack.pop_back();
  stack.push_back(read);
}

/// The end of the reads that expect `version` or a later one. These reads come
/// first in `stack`.
static ReadStack::const_iterator endOfVersions(const ReadStack &stack,
                                               uint32_t version) {
  return std::ranges::partition_point(
      stack, [&](const Read &read) { return read.version >= version; });
}

/// Adds a finding. If the last finding is about the bytes directly before and
/// is equal otherwise, extends the last finding instead.
void ContentSweep::report(FindingKind kind, const Access &access,
                          CommandId first, uint32_t firstBuffer, uint64_t begin,
                          uint64_t end) {
  Finding finding;
  finding.kind = kind;
  finding.first = first;
  finding.second = access.id;
  finding.firstBuffer = firstBuffer;
  finding.secondBuffer = access.buffer;
  finding.begin = begin;
  finding.end = end;
  if (!findings.empty()) {
    Finding &last = findings.back();
    if (last.kind == kind && last.first == first && last.second == access.id &&
        last.firstBuffer == firstBuffer && last.secondBuffer == access.buffer &&
        last.end == begin) {
      last.end = end;
      return;
    }
  }
  findings.push_back(finding);
}

/// The number of outermost repeats that both commands are in. Repeats of two
/// queues count as one if they have the same number of trips.
size_t ContentSweep::countCommon(CommandId a, CommandId b) const {
  const std::vector<uint32_t> &left = commandOf(a).repeats;
  const std::vector<uint32_t> &right = commandOf(b).repeats;
  const size_t most = std::min(left.size(), right.size());
  const auto belongTogether = [&](uint32_t one, uint32_t other) {
    return a.queue == b.queue
               ? one == other
               : schedule.tripCounts[one] == schedule.tripCounts[other];
  };
  size_t count = 0;
  while (count < most && belongTogether(left[count], right[count]))
    ++count;
  return count;
}

ReadPlace ContentSweep::placeOf(const Access &read, bool isEarly) const {
  const std::vector<uint32_t> &repeats = commandOf(read.id).repeats;
  return {read.id.queue, repeats.empty() ? ReadPlace::noRepeat : repeats.back(),
          isEarly};
}

/// Whether the contents were written in an earlier trip of a repeat that the
/// access and the writer have in common.
bool ContentSweep::isOlder(const Contents &contents,
                           const Access &access) const {
  if (!contents.writer)
    return false;
  const size_t depth = countCommon(*contents.writer, access.id);
  return std::ranges::lexicographical_compare(tripsOf(*contents.writer, depth),
                                              tripsOf(access.id, depth));
}

void ContentSweep::readSegment(const Access &access, uint64_t begin,
                               Contents &contents) {
  if (contents.version > access.version && !isOlder(contents, access))
    return report(FindingKind::Outdated, access,
                  contents.writer.value_or(CommandId()), access.buffer, begin,
                  contents.end);
  contents.reads.add(placeOf(access, contents.version < access.version),
                     {access.version, access.id});
}

/// Bytes that no command has accessed hold what was given at the start.
void ContentSweep::readGap(const Access &access, uint64_t begin, uint64_t end) {
  if (!schedule.buffers[access.buffer].isGiven)
    report(FindingKind::NeverWritten, access, {}, access.buffer, begin, end);
}

/// Checks that a read in a repeat sees bytes of a single trip. Only repeats
/// that the reader and the writers have in common are compared.
void ContentSweep::checkTrips(const Access &access) {
  if (commandOf(access.id).trips.empty())
    return;
  // The trips of the writer that has the most repeats in common with the
  // reader.
  std::span<const int64_t> known;
  Segments &own = history[access.buffer];
  splitAt(own, access.begin);
  splitAt(own, access.end);
  for (auto it = own.lower_bound(access.begin);
       it != own.end() && it->first < access.end; ++it) {
    const std::optional<CommandId> writer = it->second.writer;
    if (!writer)
      continue;
    const size_t depth = countCommon(*writer, access.id);
    const size_t both = std::min(depth, known.size());
    const std::span<const int64_t> trips = tripsOf(*writer, depth);
    if (!std::ranges::equal(known.first(both), trips.first(both)))
      return report(FindingKind::MixedTrips, access, *writer, access.buffer,
                    access.begin, access.end);
    if (depth > known.size())
      known = trips;
  }
}

/// Reads the bytes [begin, end), which hold no other buffer.
void ContentSweep::readOwn(const Access &access, uint64_t begin, uint64_t end) {
  Segments &own = history[access.buffer];
  splitAt(own, begin);
  splitAt(own, end);
  auto it = own.lower_bound(begin);
  for (; begin < end; ++numVisited) {
    if (it != own.end() && it->first == begin) {
      readSegment(access, begin, it->second);
      begin = it->second.end;
      ++it;
      continue;
    }
    const uint64_t next = it == own.end() ? end : std::min(end, it->first);
    readGap(access, begin, next);
    if (schedule.buffers[access.buffer].isGiven) {
      Contents given{next, 0, std::nullopt};
      given.reads.add(placeOf(access, access.version > 0),
                      {access.version, access.id});
      own.emplace_hint(it, begin, std::move(given));
    }
    begin = next;
  }
}

void ContentSweep::read(const Access &access) {
  checkTrips(access);
  splitAt(holders, access.begin);
  splitAt(holders, access.end);
  uint64_t at = access.begin;
  for (auto it = holders.lower_bound(access.begin);
       it != holders.end() && it->first < access.end; ++it) {
    if (it->second.buffer == access.buffer)
      continue;
    readOwn(access, at, it->first);
    at = it->second.end;
    report(FindingKind::Clobbered, access, it->second.writer, it->second.buffer,
           it->first, at);
  }
  readOwn(access, at, access.end);
}

/// Whether it is an error that `read` runs before `writer`, which writes the
/// version that the read expects.
bool ContentSweep::isTooEarly(CommandId read, bool isEarly,
                              CommandId writer) const {
  const size_t depth = countCommon(read, writer);
  const std::span<const int64_t> trips = tripsOf(read, depth);
  const std::span<const int64_t> later = tripsOf(writer, depth);
  if (read.queue == writer.queue)
    return std::ranges::equal(trips, later);
  if (isEarly)
    return !std::ranges::lexicographical_compare(trips, later);
  return commandOf(writer).trips.empty();
}

/// A read of `old` that came before the write `access`, but should come after
/// it.
std::optional<CommandId>
ContentSweep::findTooEarly(Contents &old, const Access &access) const {
  std::optional<CommandId> found;
  old.reads.forEach([&](const ReadPlace &place, const ReadStack &stack) {
    // If several reads expect this version or later ones, the last of these
    // reads stands for all of them.
    const auto end = endOfVersions(stack, access.version);
    if (!found && end != stack.begin() &&
        isTooEarly(std::prev(end)->command, place.isEarly, access.id))
      found = std::prev(end)->command;
  });
  return found;
}

/// Takes early reads out of the segments that `access` overwrites: the reads
/// that expect a later version than `access` writes.
std::vector<ContentSweep::Waiting>
ContentSweep::takeWaiting(Segments::iterator first, Segments::iterator last,
                          const Access &access) const {
  std::vector<Waiting> found;
  for (auto it = first; it != last; ++it) {
    Contents &old = it->second;
    Waiting part{it->first, old.end, {}};
    old.reads.forEach([&](const ReadPlace &place, ReadStack &stack) {
      if (!place.isEarly)
        return;
      stack.erase(endOfVersions(stack, access.version + 1), stack.end());
      // Reads that came too early for this write have been reported.
      while (!stack.empty() &&
             isTooEarly(stack.back().command, true, access.id))
        stack.pop_back();
      if (!stack.empty())
        part.reads.take(place, std::move(stack));
    });
    if (!part.reads.isEmpty())
      found.push_back(std::move(part));
  }
  return found;
}

void ContentSweep::write(const Access &access) {
  Segments &own = history[access.buffer];
  splitAt(own, access.begin);
  splitAt(own, access.end);
  auto first = own.lower_bound(access.begin);
  auto last = own.lower_bound(access.end);
  for (auto it = first; it != last; ++it, ++numVisited) {
    Contents &old = it->second;
    if (old.version > access.version && !isOlder(old, access))
      report(FindingKind::Outdated, access, old.writer.value_or(CommandId()),
             access.buffer, it->first, old.end);
    else if (const std::optional<CommandId> read = findTooEarly(old, access))
      report(FindingKind::ReadTooEarly, access, *read, access.buffer, it->first,
             old.end);
  }
  // Early reads of later versions are kept for the writers of those versions.
  std::vector<Waiting> waiting = takeWaiting(first, last, access);
  auto next = own.erase(first, last);
  uint64_t at = access.begin;
  const auto add = [&](uint64_t end, Reads reads) {
    if (at == end)
      return;
    own.emplace_hint(
        next, at, Contents{end, access.version, access.id, std::move(reads)});
    at = end;
  };
  for (Waiting &part : waiting) {
    add(part.begin, {});
    add(part.end, std::move(part.reads));
  }
  add(access.end, {});
  hold(access);
}

/// Notes that the bytes of `access` now hold the buffer of `access`.
void ContentSweep::hold(const Access &access) {
  splitAt(holders, access.begin);
  splitAt(holders, access.end);
  auto next = holders.erase(holders.lower_bound(access.begin),
                            holders.lower_bound(access.end));
  holders.emplace_hint(next, access.begin,
                       Holder{access.end, access.buffer, access.id});
}

uint64_t ContentSweep::visit(const Access &access) {
  numVisited = 0;
  if (access.isWrite)
    write(access);
  else
    read(access);
  return numVisited;
}

void ContentSweep::checkOutput(uint32_t buffer) {
  const uint64_t size = schedule.buffers[buffer].outputBytes;
  Access whole{};
  whole.buffer = buffer;
  uint64_t at = 0;
  for (const auto &[begin, part] : history[buffer]) {
    if (begin > at)
      report(FindingKind::NotWritten, whole, {}, buffer, at,
             std::min(begin, size));
    at = std::max(at, part.end);
    if (at >= size)
      return;
  }
  if (at < size)
    report(FindingKind::NotWritten, whole, {}, buffer, at, size);
}

void weir::analysis::checkDataFlow(const Schedule &schedule,
                                   const std::vector<Access> &accesses,
                                   std::vector<Finding> &findings) {
  SegmentBudget budget;
  std::vector<bool> isAccessed(schedule.buffers.size());
  for (size_t i = 0; i < accesses.size();) {
    ContentSweep sweep(schedule, findings);
    const uint64_t space = accesses[i].space;
    const uint32_t buffer = accesses[i].buffer;
    for (; i < accesses.size() && accesses[i].space == space; ++i)
      if (!budget.spend(sweep.visit(accesses[i]), accesses[i], findings))
        return;
    // Outputs are in no arena, so this buffer is the only one of its space.
    isAccessed[buffer] = true;
    if (schedule.buffers[buffer].outputBytes != 0)
      sweep.checkOutput(buffer);
  }
  for (uint32_t buffer = 0; buffer < schedule.buffers.size(); ++buffer)
    if (!isAccessed[buffer] && schedule.buffers[buffer].outputBytes != 0)
      ContentSweep(schedule, findings).checkOutput(buffer);
}

namespace {
/// A range of bytes that a command reads or writes, and its index among the
/// command's reads or writes.
struct Piece {
  Access access;
  uint32_t index;
};
} // namespace

static std::vector<Piece> sortedPieces(const Schedule &schedule,
                                       const std::vector<ByteRange> &ranges) {
  std::vector<Piece> pieces;
  for (uint32_t i = 0; i < ranges.size(); ++i)
    if (ranges[i].begin < ranges[i].end)
      pieces.push_back({locate(schedule, ranges[i]), i});
  std::sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) {
    return std::tie(a.access.space, a.access.begin) <
           std::tie(b.access.space, b.access.begin);
  });
  return pieces;
}

/// Whether the command may overwrite the bytes of `read` when it writes
/// `write`.
static bool mayOverwrite(const Command &command, const Piece &read,
                         const Piece &write) {
  return write.index < command.overwrites.size() &&
         command.overwrites[write.index] == static_cast<int64_t>(read.index) &&
         read.access.begin == write.access.begin &&
         read.access.end == write.access.end;
}

void weir::analysis::checkOverlaps(const Schedule &schedule, CommandId id,
                                   const Command &command,
                                   std::vector<Finding> &findings) {
  auto report = [&](const Piece &other, const Piece &write) {
    Finding finding;
    finding.kind = FindingKind::Overlap;
    finding.first = finding.second = id;
    finding.firstBuffer = other.access.buffer;
    finding.secondBuffer = write.access.buffer;
    finding.begin = std::max(other.access.begin, write.access.begin);
    finding.end = std::min(other.access.end, write.access.end);
    findings.push_back(finding);
  };
  auto forEachFrom = [](const std::vector<Piece> &pieces, const Piece &piece,
                        bool isInclusive, auto visit) {
    auto it = std::partition_point(
        pieces.begin(), pieces.end(), [&](const Piece &other) {
          const Access &a = other.access, &b = piece.access;
          return isInclusive
                     ? std::tie(a.space, a.begin) < std::tie(b.space, b.begin)
                     : std::tie(a.space, a.begin) <= std::tie(b.space, b.begin);
        });
    for (; it != pieces.end() && it->access.space == piece.access.space &&
           it->access.begin < piece.access.end;
         ++it)
      visit(*it);
  };
  if (command.writes.empty())
    return;
  const std::vector<Piece> reads = sortedPieces(schedule, command.reads);
  const std::vector<Piece> writes = sortedPieces(schedule, command.writes);
  auto compare = [&](const Piece &read, const Piece &write) {
    if (!mayOverwrite(command, read, write))
      report(read, write);
  };
  for (size_t i = 0; i < writes.size(); ++i) {
    for (size_t k = i + 1; k < writes.size() &&
                           writes[k].access.space == writes[i].access.space &&
                           writes[k].access.begin < writes[i].access.end;
         ++k)
      report(writes[i], writes[k]);
    forEachFrom(reads, writes[i], true,
                [&](const Piece &read) { compare(read, writes[i]); });
  }
  for (const Piece &read : reads)
    forEachFrom(writes, read, false,
                [&](const Piece &write) { compare(read, write); });
}
