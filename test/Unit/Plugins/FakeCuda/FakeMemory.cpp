//===- FakeMemory.cpp - Memory of pretended GPUs --------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "FakeMemory.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace weir::test;

static char *map(int file, size_t bytes, int protection) {
  void *start = mmap(nullptr, bytes, protection, MAP_SHARED, file, 0);
  if (start == MAP_FAILED)
    std::abort();
  return static_cast<char *>(start);
}

FakeMemory::FakeMemory(size_t bytes) : bytes(bytes) {
  constexpr size_t pageBytes = 4096;
  mapped = (bytes + pageBytes - 1) / pageBytes * pageBytes;
  const int file = memfd_create("weir-fake-gpu", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(mapped)) != 0)
    std::abort();
  outside = map(file, mapped, PROT_NONE);
  driverSide = map(file, mapped, PROT_READ | PROT_WRITE);
  close(file);
  std::memset(driverSide, 0xa5, mapped);
}

FakeMemory::FakeMemory(FakeMemory &&other) noexcept
    : outside(std::exchange(other.outside, nullptr)),
      driverSide(std::exchange(other.driverSide, nullptr)), bytes(other.bytes),
      mapped(other.mapped) {}

FakeMemory &FakeMemory::operator=(FakeMemory &&other) noexcept {
  std::swap(outside, other.outside);
  std::swap(driverSide, other.driverSide);
  std::swap(bytes, other.bytes);
  std::swap(mapped, other.mapped);
  return *this;
}

FakeMemory::~FakeMemory() {
  if (!outside)
    return;
  munmap(outside, mapped);
  munmap(driverSide, mapped);
}
