//===- Allocations.cpp - Counts allocations ---------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Replaces malloc and its kin for the whole process, including operator new of
// all libraries. The stack tells who made an allocation: the innermost frame
// that is neither in this file nor in the C or C++ library.
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

bool weir::batch::canCountAllocations() { return false; }
void weir::batch::startCounting() {}
weir::batch::Allocations weir::batch::stopCounting() { return {}; }

#else

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <execinfo.h>
#include <link.h>
#include <string_view>

using namespace weir::batch;

extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
}

namespace {
enum class Owner { System, Vendor };

/// The code of a library.
struct CodeRange {
  uintptr_t begin;
  uintptr_t end;
  Owner owner;
};
} // namespace

static std::array<CodeRange, 32> codeRanges;
static size_t numCodeRanges = 0;
static std::atomic<bool> isCounting{false};
static std::atomic<uint64_t> numOwn{0};
static std::atomic<uint64_t> numVendor{0};
/// Set while the stack is walked, which may allocate itself.
static thread_local bool isWalking = false;

static int addCodeRanges(dl_phdr_info *info, size_t, void *) {
  static constexpr std::pair<std::string_view, Owner> libraries[] = {
      {"libdnnl", Owner::Vendor},   {"libgomp", Owner::Vendor},
      {"libstdc++", Owner::System}, {"libc.so", Owner::System},
      {"ld-linux", Owner::System},
  };
  const std::string_view path = info->dlpi_name;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (auto [name, owner] : libraries)
    for (int i = 0; file.starts_with(name) && i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr) &part = info->dlpi_phdr[i];
      const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
      if (part.p_type == PT_LOAD && (part.p_flags & PF_X) &&
          numCodeRanges < codeRanges.size())
        codeRanges[numCodeRanges++] = {begin, begin + part.p_memsz, owner};
    }
  return 0;
}

/// The range that contains `code`, or null.
static const CodeRange *findCodeRange(const void *code) {
  const auto address = reinterpret_cast<uintptr_t>(code);
  for (size_t i = 0; i < numCodeRanges; ++i)
    if (address >= codeRanges[i].begin && address < codeRanges[i].end)
      return &codeRanges[i];
  return nullptr;
}

/// Whether the vendor's library made the allocation for which `count` was
/// called.
static bool isVendors(void *const *frames, int numFrames) {
  // count and the function that replaces malloc.
  constexpr int numOwnFrames = 2;
  for (int i = numOwnFrames; i < numFrames; ++i) {
    const CodeRange *range = findCodeRange(frames[i]);
    if (!range || range->owner == Owner::Vendor)
      return range != nullptr;
  }
  return false;
}

[[gnu::noinline]] static void count() {
  if (!isCounting.load(std::memory_order_relaxed) || isWalking)
    return;
  isWalking = true;
  std::array<void *, 32> frames;
  const int numFrames = backtrace(frames.data(), frames.size());
  isWalking = false;
  (isVendors(frames.data(), numFrames) ? numVendor : numOwn).fetch_add(1);
}

extern "C" {
[[gnu::noinline]] void *malloc(size_t bytes) {
  count();
  return __libc_malloc(bytes);
}

[[gnu::noinline]] void *calloc(size_t number, size_t bytes) {
  count();
  return __libc_calloc(number, bytes);
}

[[gnu::noinline]] void *realloc(void *memory, size_t bytes) {
  count();
  return __libc_realloc(memory, bytes);
}

[[gnu::noinline]] void *memalign(size_t alignment, size_t bytes) {
  count();
  return __libc_memalign(alignment, bytes);
}

[[gnu::noinline]] void *aligned_alloc(size_t alignment, size_t bytes) {
  count();
  return __libc_memalign(alignment, bytes);
}

[[gnu::noinline]] int posix_memalign(void **memory, size_t alignment,
                                     size_t bytes) {
  count();
  *memory = __libc_memalign(alignment, bytes);
  return *memory ? 0 : ENOMEM;
}
}

bool weir::batch::canCountAllocations() { return true; }

void weir::batch::startCounting() {
  if (!numCodeRanges)
    dl_iterate_phdr(addCodeRanges, nullptr);
  // The first walk loads the unwinder.
  void *frame;
  backtrace(&frame, 1);
  numOwn = numVendor = 0;
  isCounting = true;
}

Allocations weir::batch::stopCounting() {
  isCounting = false;
  return {numOwn, numVendor};
}

#endif
