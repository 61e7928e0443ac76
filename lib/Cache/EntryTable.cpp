//===- EntryTable.cpp - The bytes of a cache file ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A file is a header, the end of the ring, the table, and the ring. A position
// is the number of all bytes that were written to the ring before it. So
// positions show which bytes were overwritten. Bytes behind the end of the file
// count as zeros.
//
//===----------------------------------------------------------------------===//

#include "EntryTable.h"

#include "weir/Support/ContentHash.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <span>
#include <unistd.h>
#include <vector>

using namespace weir;

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

namespace {
constexpr size_t keyBytes = 32;
/// The number of slots that one key may use.
constexpr size_t slotsPerBucket = 8;

struct Header {
  char magic[8] = {'W', 'E', 'I', 'R', 'K', 'R', 'N', 'L'};
  CacheLimits limits;
};
static_assert(sizeof(Header) == 24, "the header has no padding");

constexpr uint64_t endOffset = sizeof(Header);
constexpr uint64_t tableOffset = endOffset + sizeof(uint64_t);
} // namespace

/// A slot of the table. It says where the entry of a key is. Empty slots are
/// zeros.
struct EntryTable::Slot {
  std::array<char, keyBytes> key = {};
  uint64_t position = 0;
  uint64_t bytes = 0;
  /// XXH3-64 of the fields before this one, and of the entry.
  uint64_t checksum = 0;

  Slot() = default;
  Slot(std::string_view name, uint64_t position, std::string_view entry)
      : position(position), bytes(entry.size()) {
    name.copy(key.data(), keyBytes);
    checksum = computeChecksum(entry);
  }

  std::string_view getKey() const { return {key.data(), keyBytes}; }
  bool isEmpty() const { return key.front() == '\0'; }
  uint64_t computeChecksum(std::string_view entry) const;
};

uint64_t EntryTable::Slot::computeChecksum(std::string_view entry) const {
  Checksum sum;
  sum.update(
      std::as_bytes(std::span(this, 1)).first(sizeof(Slot) - sizeof(checksum)));
  sum.update(std::as_bytes(std::span(entry)));
  return sum.value();
}

struct EntryTable::Bucket {
  uint64_t offset = 0;
  std::array<Slot, slotsPerBucket> slots;
};

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// Reads bytes at `offset`. Bytes that cannot be read become zeros.
static void readAt(int file, uint64_t offset, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    offset += static_cast<uint64_t>(count);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  std::fill(bytes.begin(), bytes.end(), std::byte(0));
}

static bool writeAt(int file, uint64_t offset,
                    std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return false;
    offset += static_cast<uint64_t>(count);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

EntryTable::Kind EntryTable::identify(int file, const CacheLimits &limits) {
  const Header expected{.limits = limits};
  std::array<std::byte, sizeof(Header)> found, zeros{};
  readAt(file, 0, found);
  if (found == zeros)
    return Kind::New;
  return std::memcmp(&found, &expected, sizeof(Header)) == 0 ? Kind::Known
                                                             : Kind::Foreign;
}

bool EntryTable::begin(int file, const CacheLimits &limits) {
  const Header header{.limits = limits};
  return writeAt(file, 0, std::as_bytes(std::span(&header, 1)));
}

uint64_t EntryTable::readEnd() const {
  uint64_t read;
  readAt(file, endOffset, std::as_writable_bytes(std::span(&read, 1)));
  return read;
}

EntryTable::Bucket EntryTable::readBucket(std::string_view key) const {
  constexpr size_t digits = 8;
  uint64_t number = 0;
  std::from_chars(key.data(), key.data() + digits, number, 16);
  Bucket bucket;
  bucket.offset = tableOffset + number % (limits.entries / slotsPerBucket) *
                                    sizeof(bucket.slots);
  readAt(file, bucket.offset, std::as_writable_bytes(std::span(bucket.slots)));
  return bucket;
}

/// Writes to the slot with the same key. If there is none, writes to an empty
/// slot, or else to the slot with the oldest entry. An entry that was
/// overwritten is older than all others.
bool EntryTable::writeSlot(const Slot &slot) const {
  const Bucket bucket = readBucket(slot.getKey());
  size_t number = 0;
  for (size_t i = 0; i < slotsPerBucket; ++i) {
    if (bucket.slots[i].key == slot.key) {
      number = i;
      break;
    }
    if (ageOf(bucket.slots[i]) > ageOf(bucket.slots[number]))
      number = i;
  }
  return writeAt(file, bucket.offset + number * sizeof(Slot),
                 std::as_bytes(std::span(&slot, 1)));
}

//===----------------------------------------------------------------------===//
// The ring
//===----------------------------------------------------------------------===//

uint64_t EntryTable::ringOffset() const {
  return tableOffset + limits.entries * sizeof(Slot);
}

std::pair<uint64_t, size_t> EntryTable::place(uint64_t position,
                                              size_t size) const {
  const uint64_t begin = position % limits.bytes;
  return {ringOffset() + begin, std::min<uint64_t>(size, limits.bytes - begin)};
}

std::string EntryTable::readRing(uint64_t position, size_t size) const {
  std::string bytes(size, '\0');
  const auto all = std::as_writable_bytes(std::span(bytes));
  auto [offset, first] = place(position, size);
  readAt(file, offset, all.first(first));
  readAt(file, ringOffset(), all.subspan(first));
  return bytes;
}

bool EntryTable::writeRing(uint64_t position, std::string_view bytes) const {
  const auto all = std::as_bytes(std::span(bytes));
  auto [offset, first] = place(position, bytes.size());
  return writeAt(file, offset, all.first(first)) &&
         writeAt(file, ringOffset(), all.subspan(first));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

uint64_t EntryTable::ageOf(const Slot &slot) const {
  return slot.isEmpty() ? UINT64_MAX : end - slot.position;
}

bool EntryTable::isPresent(const Slot &slot) const {
  return ageOf(slot) <= limits.bytes && slot.bytes <= ageOf(slot);
}

EntryTable::Found EntryTable::find(const std::string &key) const {
  for (const Slot &slot : readBucket(key).slots) {
    if (slot.getKey() != key || !isPresent(slot))
      continue;
    std::string bytes = readRing(slot.position, slot.bytes);
    if (slot.computeChecksum(bytes) != slot.checksum)
      return {State::Damaged, {}};
    const bool isOld = ageOf(slot) > limits.bytes / 2;
    return {isOld ? State::Old : State::Young, std::move(bytes)};
  }
  return {State::Missing, {}};
}

bool EntryTable::write(const std::map<std::string, std::string> &entries) {
  std::vector<Slot> slots;
  std::string bytes;
  for (const auto &[key, entry] : entries) {
    // Another process may have written the entry in the meantime.
    if (find(key).state == State::Young)
      continue;
    slots.emplace_back(key, end + bytes.size(), entry);
    bytes += entry;
  }
  const uint64_t position = std::exchange(end, end + bytes.size());
  // The new end is written first. It makes the overwritten entries invalid,
  // even if this process ends before it has written the new ones.
  if (!writeAt(file, endOffset, std::as_bytes(std::span(&end, 1))) ||
      !writeRing(position, bytes))
    return false;
  return std::all_of(slots.begin(), slots.end(),
                     [&](const Slot &slot) { return writeSlot(slot); });
}
