//===- OpenMPLibrary.cpp - The OpenMP library of the process --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// OpenMP cannot say whether a thread already has a team, and of what size. But
// all code that opens regions is linked with an OpenMP library. So this file
// looks for code that is linked with the library of Weir. Python packages bring
// copies of that library under other names. Code that uses these copies does
// not count.
//
//===----------------------------------------------------------------------===//

#include "OpenMPLibrary.h"

#include "Team.h"
#include "weir/Support/BlockedSignals.h"

#include <atomic>
#include <cstdint>
#include <dnnl.h>
#include <exception>
#include <link.h>
#include <omp.h>
#include <string_view>
#include <thread>

using namespace weir;

namespace {

/// A program or library that is loaded.
class LoadedObject {
public:
  explicit LoadedObject(const dl_phdr_info &info) : info(info) {
    for (int i = 0; i < info.dlpi_phnum; ++i)
      if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
        dynamic = reinterpret_cast<const ElfW(Dyn) *>(
            info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    for (const ElfW(Dyn) *at = dynamic; at && at->d_tag != DT_NULL; ++at)
      if (at->d_tag == DT_STRTAB)
        strings = at->d_un.d_ptr;
    // The loader turns offsets into addresses, except in the system's own
    // object.
    if (strings < info.dlpi_addr)
      strings += info.dlpi_addr;
  }

  bool contains(const void *address) const {
    const auto at = reinterpret_cast<uintptr_t>(address) - info.dlpi_addr;
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const ElfW(Phdr) &part = info.dlpi_phdr[i];
      if (part.p_type == PT_LOAD && at >= part.p_vaddr &&
          at - part.p_vaddr < part.p_memsz)
        return true;
    }
    return false;
  }

  /// The name by which other objects are linked with this object; empty if it
  /// has none.
  std::string_view name() const {
    for (const ElfW(Dyn) *at = dynamic; at && at->d_tag != DT_NULL; ++at)
      if (at->d_tag == DT_SONAME)
        return text(*at);
    return {};
  }

  bool isLinkedWith(std::string_view library) const {
    for (const ElfW(Dyn) *at = dynamic; at && at->d_tag != DT_NULL; ++at)
      if (at->d_tag == DT_NEEDED && text(*at) == library)
        return true;
    return false;
  }

private:
  std::string_view text(const ElfW(Dyn) & entry) const {
    return reinterpret_cast<const char *>(strings + entry.d_un.d_val);
  }

  const dl_phdr_info &info;
  const ElfW(Dyn) *dynamic = nullptr;
  uintptr_t strings = 0;
};

/// The state of a walk over the loaded objects: what it looks for, and what it
/// has found.
struct Search {
  std::string_view library;
  bool hasOthers = false;
};

} // namespace

template <typename Function> static const void *addressOf(Function *function) {
  return reinterpret_cast<const void *>(function);
}

static int findLibrary(dl_phdr_info *info, size_t, void *search) {
  const LoadedObject object(*info);
  if (!object.contains(addressOf(&omp_get_max_threads)))
    return 0;
  static_cast<Search *>(search)->library = object.name();
  return 1;
}

static int findOthers(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  const LoadedObject object(*info);
  search.hasOthers = object.isLinkedWith(search.library) &&
                     !object.contains(addressOf(&isOnlyUserOfOpenMP)) &&
                     !object.contains(addressOf(&dnnl_engine_create));
  return search.hasOthers;
}

static bool hasNoOthers() {
  Search search;
  dl_iterate_phdr(findLibrary, &search);
  // A program may contain the library itself, and may then be another user of
  // it.
  if (search.library.empty())
    return false;
  dl_iterate_phdr(findOthers, &search);
  return !search.hasOthers;
}

/// The number of libraries that the process has loaded up to now.
static uint64_t countLoads() {
  uint64_t loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *count) {
        *static_cast<uint64_t *>(count) = info->dlpi_adds;
        return 1;
      },
      &loads);
  return loads;
}

bool weir::isOnlyUserOfOpenMP() {
  // Twice the number of loads when the answer was found, plus the answer (0 or
  // 1).
  static std::atomic<uint64_t> known{0};
  const uint64_t loads = countLoads();
  uint64_t answer = known.load(std::memory_order_relaxed);
  if (answer / 2 != loads) {
    answer = loads * 2 + hasNoOthers();
    known.store(answer, std::memory_order_relaxed);
  }
  return answer % 2 != 0;
}

static bool findLevelsPerThread() {
  const int before = omp_get_max_active_levels();
  try {
    const BlockedSignals blocked;
    std::thread([&] { omp_set_max_active_levels(before + 1); }).join();
  } catch (const std::exception &) {
    return false;
  }
  if (omp_get_max_active_levels() == before)
    return true;
  omp_set_max_active_levels(before);
  return false;
}

bool weir::hasLevelsPerThread() {
  static const bool has = findLevelsPerThread();
  return has;
}

std::vector<int> weir::processorsOfOpenMP() {
  std::vector<int> processors;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    const size_t first = processors.size();
    processors.resize(first +
                      static_cast<size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, processors.data() + first);
  }
  return processors;
}

bool weir::runWithTeam(int threads, const std::function<void()> &run) {
  const FixedTeamSize team(threads);
  std::atomic<int> found{0};
  onEachThread(threads, [&](int) { ++found; });
  if (found == threads)
    run();
  endTeam();
  return found == threads;
}
