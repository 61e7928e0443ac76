//===- SharedScratch.cpp - Scratch memory that sessions share -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SharedScratch.h"

#include "../DeviceCall.h"

#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

using namespace weir;

namespace {

class SharedScratch {
public:
  /// A device, a queue of the device, and the use of the memory. The address of
  /// a device identifies it: before a device is closed, all its shared memory
  /// is freed, or is no longer shared.
  using Key = std::tuple<const Device *, QueueRole, ScratchUse>;
  using Memory = std::shared_ptr<DeviceMemory>;

  static SharedScratch &ofProcess() {
    // Never destroyed, since sessions may be loaded while the process ends.
    static SharedScratch &scratch = *new SharedScratch;
    return scratch;
  }

  /// Memory of `key` with at least `bytes`, but at most about twice as many;
  /// null if there is none.
  Memory find(const Key &key, uint64_t bytes) {
    const std::lock_guard lock(mutex);
    const auto found = known.find(key);
    if (found == known.end())
      return nullptr;
    for (const std::weak_ptr<DeviceMemory> &each : found->second)
      if (Memory memory = each.lock();
          memory && memory->size() >= bytes && memory->size() / 2 <= bytes)
        return memory;
    return nullptr;
  }

  void add(const Key &key, const Memory &memory) {
    const std::lock_guard lock(mutex);
    for (auto &[other, list] : known)
      std::erase_if(list, [](const auto &each) { return each.expired(); });
    std::erase_if(known, [](const auto &each) { return each.second.empty(); });
    known[key].push_back(memory);
  }

  void remove(const Memory &memory) {
    const std::lock_guard lock(mutex);
    for (auto &[key, list] : known)
      std::erase_if(list,
                    [&](const auto &each) { return each.lock() == memory; });
  }

private:
  std::mutex mutex;
  std::map<Key, std::vector<std::weak_ptr<DeviceMemory>>> known;
};

} // namespace

StatusOr<std::shared_ptr<DeviceMemory>> weir::shareScratch(Device &device,
                                                           QueueRole queue,
                                                           ScratchUse use,
                                                           uint64_t bytes) {
  SharedScratch &scratch = SharedScratch::ofProcess();
  const SharedScratch::Key key(&device, queue, use);
  if (SharedScratch::Memory memory = scratch.find(key, bytes))
    return memory;
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<DeviceMemory> made,
                        allocateOn(device, bytes));
  const SharedScratch::Memory memory = std::move(made);
  // Two sessions that are loaded at once may each allocate memory of their own.
  scratch.add(key, memory);
  return memory;
}

void weir::stopSharing(const std::shared_ptr<DeviceMemory> &memory) {
  SharedScratch::ofProcess().remove(memory);
}
