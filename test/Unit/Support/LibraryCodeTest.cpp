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

using namespace weir;

namespace {

/// A part of the address space, as the system describes it.
struct Mapping {
  uintptr_t begin = 0, end = 0;
  size_t residentKB = 0;
};

/// The one that `address` is in.
Mapping mappingOf(uintptr_t address) {
  std::ifstream maps("/proc/self/smaps");
  Mapping mapping;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    char dash = 0;
    uintptr_t begin = 0, end = 0;
    if (words >> std::hex >> begin >> dash >> end && dash == '-')
      mapping = {begin, end, 0};
    else if (address >= mapping.begin && address < mapping.end &&
             line.starts_with("Rss:"))
      return mapping.residentKB = std::stoul(line.substr(4)), mapping;
  }
  return {};
}

/// Reads a byte of each page.
size_t touch(const Mapping &mapping) {
  constexpr size_t pageBytes = 4096;
  size_t sum = 0;
  for (uintptr_t at = mapping.begin; at < mapping.end; at += pageBytes)
    sum += *reinterpret_cast<const volatile unsigned char *>(at);
  return sum;
}

} // namespace

TEST(LibraryCode, IsGivenBackAndComesAgain) {
  const auto address = reinterpret_cast<uintptr_t>(&releaseLibraryCode);
  const Mapping before = mappingOf(address);
  ASSERT_NE(before.end, 0u);
  const size_t sum = touch(before);
  const size_t all = mappingOf(address).residentKB;
  ASSERT_EQ(all, (before.end - before.begin) / 1024);
  releaseLibraryCode(reinterpret_cast<const void *>(address));
  // What this test uses itself is back at once.
  EXPECT_LT(mappingOf(address).residentKB, all / 2);
  EXPECT_EQ(touch(before), sum);
}

TEST(LibraryCode, LeavesOtherMemoryAlone) {
  int variable = 7;
  releaseLibraryCode(&variable);
  EXPECT_EQ(variable, 7);
}
