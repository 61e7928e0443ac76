//===- LibraryCodeTest.cpp - Resident code of a loaded library ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/LibraryCode.h"

#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <sys/mman.h>

using namespace weir;

namespace {

/// A part of the address space, as the system describes it.
struct Mapping {
  uintptr_t begin = 0, end = 0;
  size_t residentKB = 0, anonymousKB = 0;
};

/// The one that `address` is in.
Mapping mappingOf(uintptr_t address) {
  std::ifstream maps("/proc/self/smaps");
  Mapping mapping;
  bool isFound = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    char dash = 0;
    uintptr_t begin = 0, end = 0;
    if (words >> std::hex >> begin >> dash >> end && dash == '-') {
      if (isFound)
        return mapping;
      mapping = {begin, end, 0, 0};
      isFound = address >= begin && address < end;
    } else if (line.starts_with("Rss:")) {
      mapping.residentKB = std::stoul(line.substr(4));
    } else if (line.starts_with("Anonymous:")) {
      mapping.anonymousKB = std::stoul(line.substr(10));
    }
  }
  return isFound ? mapping : Mapping();
}

constexpr size_t pageBytes = 4096;

/// Reads a byte of each page.
size_t touch(const Mapping &mapping) {
  size_t sum = 0;
  for (uintptr_t at = mapping.begin; at < mapping.end; at += pageBytes)
    sum += *reinterpret_cast<const volatile unsigned char *>(at);
  return sum;
}

/// Pages of this program's constants, each filled with `value`.
template <unsigned char value> struct alignas(pageBytes) Constants {
  unsigned char bytes[2 * pageBytes];
  constexpr Constants() : bytes() {
    for (unsigned char &byte : bytes)
      byte = value;
  }
  /// The first page, which the tests change behind the compiler's back.
  void *page() const { return const_cast<unsigned char *>(bytes); }
  unsigned read() const {
    return *static_cast<const volatile unsigned char *>(bytes);
  }
};

const Constants<11> patched;
const Constants<22> moved;

/// Something that is called through a table of addresses, which the loader
/// fills in.
class Number {
public:
  virtual ~Number() = default;
  virtual int get() const = 0;
};

class Seven final : public Number {
public:
  int get() const override { return 7; }
};

volatile int changed = 1;

} // namespace

// Unmodified code is removed from memory, and is read again when used.
TEST(LibraryCode, IsGivenBackAndComesAgain) {
  const auto address = reinterpret_cast<uintptr_t>(&releaseLibraryCode);
  const Mapping before = mappingOf(address);
  ASSERT_NE(before.end, 0u);
  if (before.anonymousKB)
    GTEST_SKIP() << "a debugger has breakpoints in the code";
  const size_t sum = touch(before);
  const size_t all = mappingOf(address).residentKB;
  ASSERT_EQ(all, (before.end - before.begin) / 1024);
  releaseLibraryCode(reinterpret_cast<const void *>(address));
  // What this test uses itself is back at once.
  EXPECT_LT(mappingOf(address).residentKB, all / 2);
  EXPECT_EQ(touch(before), sum);
}

// Variables and relocated pages keep their contents.
TEST(LibraryCode, LeavesVariablesAndRelocationsAlone) {
  Seven seven;
  const Number *volatile number = &seven;
  changed = 5;
  releaseLibraryCode(&patched);
  EXPECT_EQ(changed, 5);
  EXPECT_EQ(number->get(), 7);
}

// A hot patch or a breakpoint makes a page differ from the file.
TEST(LibraryCode, LeavesPatchesAlone) {
  ASSERT_EQ(mprotect(patched.page(), pageBytes, PROT_READ | PROT_WRITE), 0);
  *static_cast<volatile unsigned char *>(patched.page()) = 99;
  ASSERT_EQ(mprotect(patched.page(), pageBytes, PROT_READ), 0);
  releaseLibraryCode(patched.page());
  EXPECT_EQ(patched.read(), 99u);
}

// Tools move code to huge pages, which no file is behind.
TEST(LibraryCode, LeavesMemoryWithoutFileAlone) {
  ASSERT_NE(mmap(moved.page(), pageBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
            MAP_FAILED);
  *static_cast<volatile unsigned char *>(moved.page()) = 22;
  ASSERT_EQ(mprotect(moved.page(), pageBytes, PROT_READ), 0);
  releaseLibraryCode(moved.page());
  EXPECT_EQ(moved.read(), 22u);
  releaseLibraryCode(moved.bytes + pageBytes);
  EXPECT_EQ(moved.read(), 22u);
}
