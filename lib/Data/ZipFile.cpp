//===- ZipFile.cpp - The members of a zip archive -------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The format is PKWARE's APPNOTE.TXT. The directory is at the end of the file
// and is found from there. Sections are cited by their numbers.
//
//===----------------------------------------------------------------------===//

#include "ZipFile.h"

#include "weir/Support/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

using namespace weir;
using namespace std::string_view_literals;

namespace {
/// Little-endian numbers at places that were checked.
class Bytes {
public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes(bytes) {}

  uint64_t number(uint64_t at, unsigned size) const {
    uint64_t value = 0;
    for (unsigned i = size; i-- > 0;)
      value = value << 8 | static_cast<uint64_t>(bytes[at + i]);
    return value;
  }
  uint64_t two(uint64_t at) const { return number(at, 2); }
  uint64_t four(uint64_t at) const { return number(at, 4); }
  uint64_t eight(uint64_t at) const { return number(at, 8); }
  bool has(uint64_t at, uint64_t size) const {
    return at <= bytes.size() && size <= bytes.size() - at;
  }
  bool startsWith(uint64_t at, std::string_view magic) const {
    return has(at, magic.size()) && text(at, magic.size()) == magic;
  }
  std::string_view text(uint64_t at, uint64_t size) const {
    return {reinterpret_cast<const char *>(bytes.data()) + at, size};
  }
  uint64_t size() const { return bytes.size(); }
  std::span<const std::byte> part(uint64_t at, uint64_t size) const {
    return bytes.subspan(at, size);
  }

private:
  std::span<const std::byte> bytes;
};

struct Directory {
  uint64_t numMembers = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
};

constexpr uint64_t endBytes = 22, locatorBytes = 20, wideEndBytes = 56;
constexpr uint64_t entryBytes = 46, localBytes = 30;
/// In place of a number that a Zip64 field has.
constexpr uint64_t isWide16 = 0xffff, isWide32 = 0xffffffff;

/// 4.3.16: the end of the directory, behind which there is only a comment.
std::optional<uint64_t> findEnd(const Bytes &file) {
  if (file.size() < endBytes)
    return std::nullopt;
  const uint64_t last = file.size() - endBytes;
  for (uint64_t back = 0; back <= std::min<uint64_t>(last, isWide16); ++back)
    if (file.startsWith(last - back, "PK\5\6"sv) &&
        file.two(last - back + 20) == back)
      return last - back;
  return std::nullopt;
}

StatusOr<Directory> findDirectory(const Bytes &file) {
  const std::optional<uint64_t> end = findEnd(file);
  if (!end)
    return dataLoss("the zip archive has no directory at its end; it is cut "
                    "off, or other bytes follow it");
  Directory directory{file.two(*end + 10), file.four(*end + 16),
                      file.four(*end + 12)};
  uint64_t limit = *end;
  const bool isWide = directory.numMembers == isWide16 ||
                      directory.offset == isWide32 ||
                      directory.size == isWide32;
  // 4.3.14 and 4.3.15: the same in larger numbers.
  if (isWide && *end >= locatorBytes &&
      file.startsWith(*end - locatorBytes, "PK\6\7"sv)) {
    limit = file.eight(*end - locatorBytes + 8);
    if (!file.has(limit, wideEndBytes) || !file.startsWith(limit, "PK\6\6"sv))
      return dataLoss("the zip archive's directory is damaged: its Zip64 end "
                      "is not where it should be");
    directory = {file.eight(limit + 32), file.eight(limit + 48),
                 file.eight(limit + 40)};
  }
  if (directory.offset > limit || directory.size > limit - directory.offset)
    return dataLoss(fmt::format("the zip archive's directory is damaged: it "
                                "should be {} bytes at byte {}, but ends at "
                                "byte {}",
                                directory.size, directory.offset, limit));
  return directory;
}

/// A member as the directory has it.
struct Entry {
  std::string_view name;
  uint64_t flags, method, crc, packed, size, offset;
};

/// 4.5.3: the numbers of `entry` that are in its Zip64 field.
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

/// 4.3.12: reads an entry of the directory and moves `at` behind it.
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

/// 4.3.7: the member that `entry` leads to.
StatusOr<ZipMember> readMember(const Bytes &file, const Entry &entry) {
  constexpr uint64_t stored = 0, deflated = 8;
  if (entry.flags & 1)
    return unimplemented("it is encrypted");
  if (entry.method != stored && entry.method != deflated)
    return unimplemented(fmt::format(
        "it is compressed by method {}; expected stored (0) or deflated (8)",
        entry.method));
  if (!file.has(entry.offset, localBytes) ||
      !file.startsWith(entry.offset, "PK\3\4"sv))
    return dataLoss(fmt::format("there is no member at byte {}", entry.offset));
  const uint64_t nameBytes = file.two(entry.offset + 26);
  const uint64_t begin =
      entry.offset + localBytes + nameBytes + file.two(entry.offset + 28);
  if (!file.has(begin, entry.packed))
    return dataLoss(fmt::format("its {} bytes at byte {} go beyond the archive",
                                entry.packed, begin));
  if (file.text(entry.offset + localBytes, nameBytes) != entry.name)
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

StatusOr<std::vector<ZipMember>>
weir::parseZip(std::span<const std::byte> bytes) {
  const Bytes file(bytes);
  WEIR_ASSIGN_OR_RETURN(const Directory directory, findDirectory(file));
  std::vector<ZipMember> members;
  uint64_t at = directory.offset;
  const uint64_t end = directory.offset + directory.size;
  while (at < end) {
    WEIR_ASSIGN_OR_RETURN(const Entry entry, readEntry(file, at, end));
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
