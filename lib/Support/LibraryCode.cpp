//===- LibraryCode.cpp - Resident code of a loaded library ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Some pages of a library differ from its file. The loader may have relocated a
// page, the page may be patched, a debugger or probe may have set a breakpoint
// in it, or it may have been moved to memory without a file. /proc/self/smaps
// shows which pages differ. The headers of the library do not show it.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/LibraryCode.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <vector>

using namespace weir;

namespace {

/// The device and inode of a file. The inode is 0 if there is no file.
struct FileId {
  unsigned major = 0, minor = 0;
  uint64_t number = 0;
  bool operator==(const FileId &) const = default;
};

/// A part of the address space. If smaps has no data about changed pages, the
/// part counts as changed.
struct Mapping {
  uintptr_t begin = 0, end = 0;
  std::string permissions;
  FileId file;
  bool hasNoAnonymous = false, hasNoSwapped = false;

  bool holds(uintptr_t address) const {
    return address >= begin && address < end;
  }
  bool continues(const Mapping &other) const {
    return begin == other.end && file == other.file;
  }
  bool isAsInFile() const {
    return (permissions == "r--p" || permissions == "r-xp") && hasNoAnonymous &&
           hasNoSwapped;
  }
};

} // namespace

/// Whether `line` is the header of a mapping. If so, sets `mapping` to it.
static bool readHeader(const std::string &line, Mapping &mapping) {
  char permissions[5] = {};
  Mapping read;
  if (std::sscanf(line.c_str(),
                  "%" SCNxPTR "-%" SCNxPTR " %4s %*x %x:%x %" SCNu64,
                  &read.begin, &read.end, permissions, &read.file.major,
                  &read.file.minor, &read.file.number) != 6)
    return false;
  read.permissions = permissions;
  mapping = std::move(read);
  return true;
}

static bool isNone(const std::string &line, const char *format) {
  uint64_t kilobytes = 0;
  return std::sscanf(line.c_str(), format, &kilobytes) == 1 && kilobytes == 0;
}

static void readField(const std::string &line, Mapping &mapping) {
  mapping.hasNoAnonymous |= isNone(line, "Anonymous: %" SCNu64 " kB");
  mapping.hasNoSwapped |= isNone(line, "Swap: %" SCNu64 " kB");
}

/// The adjacent mappings of one file around `address`. Other mappings of the
/// same file are left out, because their owner may unmap them.
static std::vector<Mapping> mappingsAround(uintptr_t address) {
  std::ifstream maps("/proc/self/smaps");
  std::vector<Mapping> around;
  bool isFound = false;
  Mapping next;
  for (std::string line; std::getline(maps, line);) {
    if (!readHeader(line, next)) {
      if (!around.empty())
        readField(line, around.back());
      continue;
    }
    if (!around.empty() && !next.continues(around.back())) {
      if (isFound)
        return around;
      around.clear();
    }
    isFound |= next.holds(address);
    around.push_back(next);
  }
  return isFound ? around : std::vector<Mapping>();
}

void weir::releaseLibraryCode(const void *address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  for (const Mapping &mapping : mappingsAround(at))
    if (mapping.file.number && mapping.isAsInFile())
      (void)madvise(reinterpret_cast<void *>(mapping.begin),
                    mapping.end - mapping.begin, MADV_DONTNEED);
}
