//===- GuardedBytes.cpp - Memory with guards around it ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GuardedBytes.h"

#include "weir/Support/SystemError.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <sys/mman.h>
#include <unistd.h>

using namespace weir;
using namespace weir::kernelcheck;

/// The number of guard bytes on each side. A vector has at most 64 bytes, so a
/// store that goes beyond the bytes hits a guard.
static constexpr size_t guardBytes = 128;
static constexpr std::byte guard{0xa5};

static size_t getPageSize() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

StatusOr<GuardedBytes> GuardedBytes::make(size_t size, size_t alignment,
                                          Place place) {
  const size_t page = getPageSize();
  const size_t least =
      place == Place::Middle ? size + 2 * guardBytes + alignment : size;
  GuardedBytes bytes;
  const size_t capacity = std::max(page, (least + page - 1) / page * page);
  void *pages = mmap(nullptr, capacity + 2 * page, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    return systemError("cannot get memory to check kernels");
  bytes.memory = static_cast<std::byte *>(pages) + page;
  bytes.capacity = capacity;
  bytes.length = size;
  if (mprotect(bytes.memory, capacity, PROT_READ | PROT_WRITE) != 0)
    return systemError("cannot get memory to check kernels");
  if (place == Place::Back)
    bytes.begin = (capacity - size) / alignment * alignment;
  else if (place == Place::Middle)
    bytes.begin = guardBytes + alignment;
  std::fill_n(bytes.memory, bytes.begin, guard);
  std::memset(bytes.data(), 0xff, size);
  std::fill(bytes.data() + size, bytes.memory + capacity, guard);
  return bytes;
}

GuardedBytes::GuardedBytes(GuardedBytes &&other) noexcept
    : memory(std::exchange(other.memory, nullptr)), capacity(other.capacity),
      begin(other.begin), length(other.length) {}

GuardedBytes &GuardedBytes::operator=(GuardedBytes &&other) noexcept {
  std::swap(memory, other.memory);
  std::swap(capacity, other.capacity);
  std::swap(begin, other.begin);
  std::swap(length, other.length);
  return *this;
}

GuardedBytes::~GuardedBytes() {
  if (memory)
    munmap(memory - getPageSize(), capacity + 2 * getPageSize());
}

Status GuardedBytes::protect() {
  if (mprotect(memory, capacity, PROT_READ) != 0)
    return systemError("cannot protect memory to check kernels");
  return Status::ok();
}

bool GuardedBytes::isIntact() const {
  auto isGuard = [](std::byte byte) { return byte == guard; };
  return std::all_of(memory, memory + begin, isGuard) &&
         std::all_of(memory + begin + length, memory + capacity, isGuard);
}

/// Whether `address` is in [begin, end). `address` may be in other memory.
static bool isBetween(const void *address, const std::byte *begin,
                      const std::byte *end) {
  const auto *byte = static_cast<const std::byte *>(address);
  return !std::less<>()(byte, begin) && std::less<>()(byte, end);
}

bool GuardedBytes::contains(const void *address) const {
  return isBetween(address, data(), data() + length);
}

bool GuardedBytes::isNear(const void *address) const {
  return isBetween(address, memory - getPageSize(),
                   memory + capacity + getPageSize());
}
