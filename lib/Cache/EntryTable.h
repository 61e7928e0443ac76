//===- EntryTable.h - The bytes of a cache file -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CACHE_ENTRYTABLE_H
#define WEIR_LIB_CACHE_ENTRYTABLE_H

#include "weir/Cache/CacheFile.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace weir {

/// The table and the ring of an open cache file, which the caller has locked.
class EntryTable {
public:
  EntryTable(int file, const CacheLimits &limits)
      : file(file), limits(limits), end(readEnd()) {}

  enum class Kind { New, Known, Foreign };
  /// Whether the file has the header of a cache with these limits.
  static Kind identify(int file, const CacheLimits &limits);
  /// Writes the header of a new file. All processes write the same header.
  /// Returns false after a system error, which errno describes.
  static bool begin(int file, const CacheLimits &limits);

  /// What the file has for a key. An old entry will soon be overwritten.
  enum class State { Missing, Damaged, Old, Young };
  struct Found {
    State state;
    std::string bytes;
  };
  Found find(const std::string &key) const;

  /// Writes `entries`, except those that the file already has as young entries.
  /// Returns false after a system error, which errno describes.
  bool write(const std::map<std::string, std::string> &entries);

private:
  struct Slot;
  struct Bucket;

  uint64_t readEnd() const;
  Bucket readBucket(std::string_view key) const;
  bool writeSlot(const Slot &slot) const;
  /// The number of bytes that were written since the entry began.
  uint64_t ageOf(const Slot &slot) const;
  bool isPresent(const Slot &slot) const;
  /// The offset of `position` in the file, and how many of `size` bytes lie
  /// there. The other bytes lie at the beginning of the ring.
  std::pair<uint64_t, size_t> place(uint64_t position, size_t size) const;
  uint64_t ringOffset() const;
  std::string readRing(uint64_t position, size_t size) const;
  bool writeRing(uint64_t position, std::string_view bytes) const;

  int file;
  CacheLimits limits;
  /// The position of the next entry that is written.
  uint64_t end;
};

} // namespace weir

#endif // WEIR_LIB_CACHE_ENTRYTABLE_H
