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
#include <utility>

using namespace weir;

namespace {

constexpr size_t hugePage = size_t(2) << 20;

/// The bytes of all sessions and devices of the process, which share one
/// memory.
std::atomic<uint64_t> bytesInUse{0};

/// Bytes that count as in use while the object exists.
class Claim {
public:
  static StatusOr<Claim> make(size_t bytes, uint64_t limit) {
    uint64_t inUse = bytesInUse;
    do {
      if (bytes > limit || inUse > limit - bytes)
        return resourceExhausted(
            fmt::format("{} bytes were requested with {} in use, but at most "
                        "{} are available",
                        bytes, inUse, limit));
    } while (!bytesInUse.compare_exchange_weak(inUse, inUse + bytes));
    return Claim(bytes);
  }
  Claim(Claim &&other) : bytes(std::exchange(other.bytes, 0)) {}
  ~Claim() { bytesInUse -= bytes; }

private:
  explicit Claim(size_t bytes) : bytes(bytes) {}
  size_t bytes;
};

/// Pages that are mapped while the object exists.
class Mapping {
public:
  static StatusOr<Mapping> make(size_t bytes) {
    void *start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
      return systemError(fmt::format("cannot map {} bytes of memory", bytes));
    return Mapping(start, bytes);
  }
  Mapping() = default;
  Mapping(Mapping &&other)
      : start(other.start), bytes(std::exchange(other.bytes, 0)) {}
  ~Mapping() {
    if (bytes)
      munmap(start, bytes);
  }
  void *data() const { return start; }

private:
  Mapping(void *start, size_t bytes) : start(start), bytes(bytes) {}
  void *start = nullptr;
  size_t bytes = 0;
};

class HostMemory final : public DeviceMemory {
public:
  HostMemory(Claim claim, Mapping mapping, void *start, size_t bytes)
      : DeviceMemory(start, bytes), claim(std::move(claim)),
        mapping(std::move(mapping)) {}

private:
  /// Destroyed after the mapping.
  Claim claim;
  Mapping mapping;
};

} // namespace

static void *alignUp(void *address, size_t alignment) {
  return reinterpret_cast<void *>(
      alignTo(reinterpret_cast<uintptr_t>(address), alignment));
}

StatusOr<std::unique_ptr<DeviceMemory>> weir::mapHostMemory(size_t bytes,
                                                            uint64_t limit) {
  WEIR_ASSIGN_OR_RETURN(Claim claim, Claim::make(bytes, limit));
  if (bytes == 0)
    return std::unique_ptr<DeviceMemory>(
        std::make_unique<HostMemory>(std::move(claim), Mapping(), nullptr, 0));
  // Huge pages need an address that is a multiple of their size.
  const bool huge = bytes >= hugePage;
  WEIR_ASSIGN_OR_RETURN(Mapping mapping,
                        Mapping::make(huge ? bytes + hugePage : bytes));
  void *start = huge ? alignUp(mapping.data(), hugePage) : mapping.data();
  if (huge)
    // Systems without huge pages refuse this call, and the memory works without
    // them.
    (void)madvise(start, bytes, MADV_HUGEPAGE);
  return std::unique_ptr<DeviceMemory>(std::make_unique<HostMemory>(
      std::move(claim), std::move(mapping), start, bytes));
}

void weir::touchPages(std::span<std::byte> memory) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto *bytes = reinterpret_cast<volatile char *>(memory.data());
  for (size_t at = 0; at < memory.size(); at += page)
    bytes[at] = 0;
}
