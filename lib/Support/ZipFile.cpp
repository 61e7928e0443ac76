//===- ZipFile.cpp - The members of a zip archive -------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// PKWARE's APPNOTE.TXT defines the format. Numbers such as 4.3.16 refer to its
// sections. The end of an archive says where its directory is.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ZipFile.h"

#include "weir/Support/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

using namespace weir;
using namespace std::string_view_literals;

namespace {
/// A part of the archive in memory. All positions are positions in the archive,
/// and must be inside of the part.
class Bytes {
public:
  /// Reads `count` bytes from `begin` on. They must be inside of the archive.
  static StatusOr<Bytes> read(const DataBytes &file, uint64_t begin,
                              uint64_t count) {
    WEIR_ASSIGN_OR_RETURN(std::vector<std::byte> held,
                          file.part(begin, count).readAll());
    return Bytes(std::move(held), begin);
  }

  uint64_t number(uint64_t at, unsigned size) const {
    uint64_t value = 0;
    for (unsigned i = size; i-- > 0;)
      value = value << 8 | static_cast<uint64_t>(held[at - begin + i]);
    return value;
  }
  uint64_t two(uint64_t at) const { return number(at, 2); }
  uint64_t four(uint64_t at) const { return number(at, 4); }
  uint64_t eight(uint64_t at) const { return number(at, 8); }
  bool has(uint64_t at, uint64_t size) const {
    return at >= begin && at <= end() && size <= end() - at;
  }
  bool startsWith(uint64_t at, std::string_view magic) const {
    return has(at, magic.size()) && text(at, magic.size()) == magic;
  }
  std::string_view text(uint64_t at, uint64_t size) const {
    return {reinterpret_cast<const char *>(held.data()) + (at - begin), size};
  }
  uint64_t end() const { return begin + held.size(); }

private:
  Bytes(std::vector<std::byte> held, uint64_t begin)
      : held(std::move(held)), begin(begin) {}

  std::vector<std::byte> held;
  uint64_t begin;
};

/// Whether `size` bytes from `at` on are in the archive.
bool isInside(const DataBytes &file, uint64_t at, uint64_t size) {
  return at <= file.size() && size <= file.size() - at;
}

struct Directory {
  uint64_t numMembers = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
};

constexpr uint64_t endBytes = 22, locatorBytes = 20, wideEndBytes = 56;
constexpr uint64_t entryBytes = 46, localBytes = 30;
/// These values say that a number is in the Zip64 field instead.
constexpr uint64_t isWide16 = 0xffff, isWide32 = 0xffffffff;

/// 4.3.16: finds the end record of the directory in the last bytes of the
/// archive. Only a comment may follow the record.
std::optional<uint64_t> findEnd(const Bytes &tail) {
  for (uint64_t at = tail.end() - std::min(tail.end(), endBytes);
       tail.has(at, endBytes); --at) {
    if (tail.startsWith(at, "PK\5\6"sv) &&
        tail.two(at + 20) == tail.end() - at - endBytes)
      return at;
    if (at == 0)
      break;
  }
  return std::nullopt;
}

/// 4.3.14: reads the Zip64 end record at `at`, which has room for larger
/// numbers.
StatusOr<Directory> readWideEnd(const DataBytes &file, uint64_t at) {
  const auto damaged = [] {
    return dataLoss("the zip archive's directory is damaged: its Zip64 end is "
                    "not where it should be");
  };
  if (!isInside(file, at, wideEndBytes))
    return damaged();
  WEIR_ASSIGN_OR_RETURN(const Bytes end, Bytes::read(file, at, wideEndBytes));
  if (!end.startsWith(at, "PK\6\6"sv))
    return damaged();
  return Directory{end.eight(at + 32), end.eight(at + 48), end.eight(at + 40)};
}

StatusOr<Directory> findDirectory(const DataBytes &file) {
  // These bytes are enough for the longest comment, the end record, and the
  // Zip64 locator in front of it.
  const uint64_t most =
      std::min(file.size(), endBytes + locatorBytes + isWide16);
  WEIR_ASSIGN_OR_RETURN(const Bytes tail,
                        Bytes::read(file, file.size() - most, most));
  const std::optional<uint64_t> end = findEnd(tail);
  if (!end)
    return dataLoss("the zip archive has no directory at its end; it is cut "
                    "off, or other bytes follow it");
  Directory directory{tail.two(*end + 10), tail.four(*end + 16),
                      tail.four(*end + 12)};
  uint64_t limit = *end;
  const bool isWide = directory.numMembers == isWide16 ||
                      directory.offset == isWide32 ||
                      directory.size == isWide32;
  // 4.3.15: reads the locator of the Zip64 end record.
  if (isWide && *end >= locatorBytes &&
      tail.startsWith(*end - locatorBytes, "PK\6\7"sv)) {
    limit = tail.eight(*end - locatorBytes + 8);
    WEIR_ASSIGN_OR_RETURN(directory, readWideEnd(file, limit));
  }
  if (directory.offset > limit || directory.size > limit - directory.offset)
    return dataLoss(fmt::format("the zip archive's directory is damaged: it "
                                "should be {} bytes at byte {}, but ends at "
                                "byte {}",
                                directory.size, directory.offset, limit));
  return directory;
}

/// A member in the directory.
struct Entry {
  std::string_view name;
  uint64_t flags, method, crc, packed, size, offset;
};

/// 4.5.3: sets the numbers of `entry` that are in its Zip64 field.
Status widen(Entry &entry, const Bytes &file, uint64_t at, uint64_t length) {
  const uint64_t end = at + length;
  while (at + 4 <= end) {
    const uint64_t id = file.two(at), bytes = file.two(at + 2);
    at += 4;
    if (bytes > end - at)
      break;
    if (id == 1) {
      uint64_t field = at;
      for (uint64_t *number : {&entry.size, &entry.packed, &entry.offset}) {
        if (*number != isWide32)
          continue;
        if (field + 8 > at + bytes)
          return dataLoss("a Zip64 field is too short");
        *number = file.eight(field);
        field += 8;
      }
      return Status::ok();
    }
    at += bytes;
  }
  return Status::ok();
}

/// 4.3.12: reads the entry of the directory at `at`. Moves `at` to the end of
/// the entry.
StatusOr<Entry> readEntry(const Bytes &file, uint64_t &at, uint64_t end) {
  if (end - at < entryBytes || !file.startsWith(at, "PK\1\2"sv))
    return dataLoss(
        fmt::format("the zip archive's directory is damaged at byte {}", at));
  const uint64_t nameBytes = file.two(at + 28), extraBytes = file.two(at + 30),
                 commentBytes = file.two(at + 32);
  const uint64_t bytes = entryBytes + nameBytes + extraBytes + commentBytes;
  if (bytes > end - at)
    return dataLoss(
        fmt::format("the zip archive's directory is cut off at byte {}", at));
  Entry entry{file.text(at + entryBytes, nameBytes),
              file.two(at + 8),
              file.two(at + 10),
              file.four(at + 16),
              file.four(at + 20),
              file.four(at + 24),
              file.four(at + 42)};
  WEIR_RETURN_IF_ERROR(
      widen(entry, file, at + entryBytes + nameBytes, extraBytes));
  at += bytes;
  return entry;
}

/// 4.3.7: reads the member to which `entry` refers.
StatusOr<ZipMember> readMember(const DataBytes &file, const Entry &entry) {
  constexpr uint64_t stored = 0, deflated = 8;
  if (entry.flags & 1)
    return unimplemented("it is encrypted");
  if (entry.method != stored && entry.method != deflated)
    return unimplemented(fmt::format(
        "it is compressed by method {}; expected stored (0) or deflated (8)",
        entry.method));
  const auto noMember = [&] {
    return dataLoss(fmt::format("there is no member at byte {}", entry.offset));
  };
  // The name in the member must be as long as the name in the directory. If
  // not, the member has another name.
  const uint64_t headBytes = localBytes + entry.name.size();
  if (!isInside(file, entry.offset, headBytes))
    return noMember();
  WEIR_ASSIGN_OR_RETURN(const Bytes head,
                        Bytes::read(file, entry.offset, headBytes));
  if (!head.startsWith(entry.offset, "PK\3\4"sv))
    return noMember();
  const uint64_t nameBytes = head.two(entry.offset + 26);
  const uint64_t begin =
      entry.offset + localBytes + nameBytes + head.two(entry.offset + 28);
  if (!isInside(file, begin, entry.packed))
    return dataLoss(fmt::format("its {} bytes at byte {} go beyond the archive",
                                entry.packed, begin));
  if (nameBytes != entry.name.size() ||
      head.text(entry.offset + localBytes, nameBytes) != entry.name)
    return dataLoss(
        fmt::format("the member at byte {} has another name", entry.offset));
  if (entry.method == stored && entry.packed != entry.size)
    return dataLoss(fmt::format("it is stored as {} bytes but has {}",
                                entry.packed, entry.size));
  return ZipMember{std::string(entry.name), file.part(begin, entry.packed),
                   entry.method == deflated, entry.size,
                   static_cast<uint32_t>(entry.crc)};
}
} // namespace

StatusOr<std::vector<ZipMember>> weir::parseZip(const DataBytes &file) {
  WEIR_ASSIGN_OR_RETURN(const Directory directory, findDirectory(file));
  WEIR_ASSIGN_OR_RETURN(const Bytes entries,
                        Bytes::read(file, directory.offset, directory.size));
  std::vector<ZipMember> members;
  uint64_t at = directory.offset;
  const uint64_t end = directory.offset + directory.size;
  while (at < end) {
    WEIR_ASSIGN_OR_RETURN(const Entry entry, readEntry(entries, at, end));
    StatusOr<ZipMember> member = readMember(file, entry);
    if (!member)
      return std::move(member).status().withContext(
          fmt::format("member '{}'", printable(entry.name)));
    members.push_back(*std::move(member));
  }
  if (members.size() != directory.numMembers)
    return dataLoss(fmt::format("the zip archive's directory has {} members, "
                                "but should have {}",
                                members.size(), directory.numMembers));
  return members;
}
