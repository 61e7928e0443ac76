//===- Accesses.h - The accesses of a schedule to memory --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_ACCESSES_H
#define WEIR_LIB_ANALYSIS_ACCESSES_H

#include "weir/Analysis/Schedule.h"

#include <cstdint>
#include <map>
#include <vector>

namespace weir::analysis {

/// A read or write of the bytes [begin, end) of one space. A space is an arena,
/// or a buffer outside of arenas. `position` is the index of the command in the
/// simulated run.
struct Access {
  uint64_t space;
  size_t position;
  bool isWrite;
  uint64_t begin;
  uint64_t end;
  uint32_t buffer;
  uint32_t version;
  CommandId id;
};

inline uint64_t spaceOf(const Schedule &schedule, uint32_t buffer) {
  const uint32_t arena = schedule.buffers[buffer].arena;
  return arena == BufferPlace::noArena ? (uint64_t(1) << 32) + buffer : arena;
}

/// An access to the bytes of `range`, as positions in the space of its buffer.
inline Access locate(const Schedule &schedule, const ByteRange &range) {
  const BufferPlace &place = schedule.buffers[range.buffer];
  const uint64_t offset =
      place.arena == BufferPlace::noArena ? 0 : place.offset;
  return {spaceOf(schedule, range.buffer),
          0,
          false,
          offset + range.begin,
          offset + range.end,
          range.buffer,
          range.version,
          {}};
}

/// Segments of bytes by their first byte. A segment has a member `end`.
template <typename Segment> using SegmentMap = std::map<uint64_t, Segment>;

/// The limit on the segments that all accesses of a schedule touch in total. A
/// range has one segment for each part in which it was written. A repeat that
/// writes a buffer in parts and reads the whole buffer touches many segments.
inline constexpr uint64_t mostSegments = uint64_t(1) << 26;

/// Counts the segments that a sweep visits.
class SegmentBudget {
public:
  /// Returns false if all accesses so far have touched more segments than the
  /// limit. Then adds a finding for `access`, which exceeded it.
  bool spend(uint64_t count, const Access &access,
             std::vector<Finding> &findings);

private:
  uint64_t left = mostSegments;
};

/// Splits the segment that contains the byte `at` in front of this byte. Does
/// nothing if no segment contains it.
template <typename Segment>
void splitAt(SegmentMap<Segment> &segments, uint64_t at) {
  auto it = segments.upper_bound(at);
  if (it == segments.begin())
    return;
  --it;
  if (it->first == at || it->second.end <= at)
    return;
  Segment upper = it->second;
  it->second.end = at;
  segments.emplace_hint(std::next(it), at, std::move(upper));
}

/// Checks that commands see the right bytes, and adds what is wrong to
/// `findings`. `accesses` are ordered by (space, position, isWrite) and free of
/// hazards.
void checkDataFlow(const Schedule &schedule,
                   const std::vector<Access> &accesses,
                   std::vector<Finding> &findings);

/// Adds a finding for each pair of ranges of `command` that share bytes. A
/// write may share bytes with a read if the command declares that the write
/// overwrites the read.
void checkOverlaps(const Schedule &schedule, CommandId id,
                   const Command &command, std::vector<Finding> &findings);

} // namespace weir::analysis

#endif // WEIR_LIB_ANALYSIS_ACCESSES_H
