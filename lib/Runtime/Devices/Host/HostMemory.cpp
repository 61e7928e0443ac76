//===- HostMemory.cpp - Device memory in this process -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "HostMemory.h"

#include "weir/Support/Alignment.h"
#include "weir/Support/SystemError.h"

#include <atomic>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace weir;

namespace {

constexpr size_t hugePage = size_t(2) << 20;

/// The bytes of all sessions and devices of the process, which share one
/// memory.
std::atomic<uint64_t> bytesInUse{0};

class HostMemory final : public DeviceMemory {
public:
  HostMemory(void *mapping, size_t mapped, void *start, size_t bytes)
      : DeviceMemory(start, bytes), mapping(mapping), mapped(mapped) {}
  ~HostMemory() override {
    if (mapped)
      munmap(mapping, mapped);
    bytesInUse -= size();
  }

private:
  void *mapping;
  size_t mapped;
};

} // namespace

static void *alignUp(void *address, size_t alignment) {
  return reinterpret_cast<void *>(
      alignTo(reinterpret_cast<uintptr_t>(address), alignment));
}

StatusOr<std::unique_ptr<DeviceMemory>> weir::mapHostMemory(size_t bytes,
                                                            uint64_t limit) {
  const uint64_t inUse = bytesInUse;
  if (bytes > limit || inUse > limit - bytes)
    return resourceExhausted(fmt::format(
        "{} bytes were requested with {} in use, but at most {} are available",
        bytes, inUse, limit));
  if (bytes == 0)
    return std::unique_ptr<DeviceMemory>(
        std::make_unique<HostMemory>(nullptr, 0, nullptr, 0));
  // Huge pages need an address that is a multiple of their size.
  const bool huge = bytes >= hugePage;
  const size_t mapped = huge ? bytes + hugePage : bytes;
  void *mapping = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    return systemError(fmt::format("cannot map {} bytes of memory", bytes));
  void *start = huge ? alignUp(mapping, hugePage) : mapping;
  if (huge)
    // Systems without huge pages refuse this call, and the memory works without
    // them.
    (void)madvise(start, bytes, MADV_HUGEPAGE);
  bytesInUse += bytes;
  return std::unique_ptr<DeviceMemory>(
      std::make_unique<HostMemory>(mapping, mapped, start, bytes));
}

void weir::touchPages(std::span<std::byte> memory) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto *bytes = reinterpret_cast<volatile char *>(memory.data());
  for (size_t at = 0; at < memory.size(); at += page)
    bytes[at] = 0;
}
