//===- CheckMemory.cpp - Compares memory with the caps of devices ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Exec/Transforms/HeldMemory.h"
#include "weir/Dialect/Exec/Transforms/Passes.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/OptionText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <fmt/format.h>

#include <algorithm>

using namespace mlir;
using namespace weir;
using namespace weir::exec;

namespace weir::exec {
#define GEN_PASS_DEF_EXECCHECKMEMORY
#include "weir/Dialect/Exec/Transforms/Passes.h.inc"
} // namespace weir::exec

namespace {
/// The most bytes that a device may hold, and who says so.
struct Cap {
  uint64_t bytes = 0;
  std::string origin;
};

struct CheckMemory : exec::impl::ExecCheckMemoryBase<CheckMemory> {
  using Base::Base;
  void runOnOperation() override;

private:
  void readEntries();
  LogicalResult readOptions(const HeldMemory &devices);
  LogicalResult check(StringAttr device, const DeviceMemory &held);
  LogicalResult refuse(StringRef device, const DeviceMemory &held,
                       const Cap &cap);

  llvm::StringMap<Cap> capOf;
};
} // namespace

/// The caps that the topology file has set.
void CheckMemory::readEntries() {
  for (auto entry : getOperation().getOps<EntryOp>())
    for (auto [device, bytes] :
         llvm::zip(entry.getDevices().getAsValueRange<StringAttr>(),
                   entry.getMemory()))
      if (bytes) {
        const auto cap = static_cast<uint64_t>(bytes);
        auto [it, isNew] =
            capOf.try_emplace(device, Cap{cap, "memory_bytes of the topology"});
        it->second.bytes = std::min(it->second.bytes, cap);
      }
}

LogicalResult CheckMemory::readOptions(const HeldMemory &devices) {
  llvm::StringMap<StringRef> given;
  for (StringRef cap : caps) {
    StatusOr<MemoryCap> parsed = parseMemoryCap(cap);
    if (!parsed.isOk())
      return getOperation().emitError(StringRef(parsed.status().message()));
    std::string device = parsed->device.toString();
    auto names = llvm::map_range(
        devices, [](const auto &listed) { return listed.first.getValue(); });
    if (!llvm::is_contained(names, device))
      return getOperation().emitError("memory cap '")
             << cap << "' names a device that is not used; expected one of "
             << llvm::join(names, ", ");
    auto [other, isNew] = given.try_emplace(device, cap);
    if (!isNew)
      return getOperation().emitError("memory caps '")
             << other->second << "' and '" << cap
             << "' are of one device; give one of them";
    capOf[device] = {parsed->bytes, ("--memory-cap=" + cap).str()};
  }
  return success();
}

/// "the scratch of queue 0 takes 512 bytes in entry 'main'".
static std::string describeArena(HeldArena arena, int64_t queue) {
  auto entry = cast<EntryOp>(arena.largest->getParentOp());
  std::string what = queue == eachRun
                         ? "the scratch"
                         : fmt::format("the scratch of queue {}", queue);
  if (arena.copies > 1)
    what += fmt::format(", which each of {} runs in flight has,", arena.copies);
  return fmt::format("{} takes {} bytes in entry '{}'", what,
                     ArenaOp(arena.largest).getBytes(),
                     entry.getSymName().str());
}

/// The largest buffers of the arena that are live when it needs most.
static std::string describePeak(const ArenaContents &contents) {
  const analysis::LivePeak peak = analysis::livePeak(contents.lives);
  std::vector<std::pair<uint64_t, std::string>> live;
  for (auto [scratch, life] : llvm::zip(contents.buffers, contents.lives))
    if (life.bytes && life.first <= peak.step && peak.step <= life.last) {
      StringRef name = getName(ScratchOp(scratch).getLoc());
      live.emplace_back(life.bytes, name.empty() ? "a tensor without a name"
                                                 : "'" + name.str() + "'");
    }
  std::ranges::stable_sort(live, [](const auto &left, const auto &right) {
    return left.first > right.first;
  });
  constexpr size_t numShown = 5;
  std::string text;
  for (const auto &[bytes, name] : ArrayRef(live).take_front(numShown))
    text +=
        fmt::format("{}{} ({} bytes)", text.empty() ? "" : ", ", name, bytes);
  if (live.size() > numShown)
    text += fmt::format(" and {} more", live.size() - numShown);
  return text;
}

static void explain(InFlightDiagnostic &error, int64_t queue, HeldArena arena) {
  auto entry = cast<EntryOp>(arena.largest->getParentOp());
  std::string text = describeArena(arena, queue);
  FailureOr<EntrySchedule> schedule = EntrySchedule::create(entry);
  FailureOr<ArenaTable> arenas = failure();
  if (succeeded(schedule))
    arenas = findArenas(*schedule);
  if (succeeded(arenas))
    if (auto it = arenas->find(getArenaKey(arena.largest)); it != arenas->end())
      text += "; at its peak it holds " + describePeak(it->second);
  error.attachNote(entry.getLoc()) << text;
}

LogicalResult CheckMemory::refuse(StringRef device, const DeviceMemory &held,
                                  const Cap &cap) {
  auto arenas = llvm::to_vector(held.arenas);
  llvm::stable_sort(arenas, [](const auto &left, const auto &right) {
    return left.second.getBytes() > right.second.getBytes();
  });
  // The entry that needs most.
  Location where = arenas.empty()
                       ? getOperation().getLoc()
                       : arenas.front().second.largest->getParentOp()->getLoc();
  InFlightDiagnostic error = emitError(where);
  error << "device \"" << device << "\" has a memory cap of " << cap.bytes
        << " bytes (" << cap.origin << "), but the model holds "
        << held.toText() << "; pass --memory-cap=" << device << "="
        << held.getTotal()
        << " or more, or compile for smaller inputs, fewer runs in flight or "
           "more devices";
  for (auto &[queue, arena] : arenas)
    explain(error, queue, arena);
  return error;
}

LogicalResult CheckMemory::check(StringAttr device, const DeviceMemory &held) {
  auto cap = capOf.find(device.getValue());
  if (cap == capOf.end() || held.getTotal() <= cap->second.bytes)
    return success();
  return refuse(device.getValue(), held, cap->second);
}

void CheckMemory::runOnOperation() {
  capOf.clear();
  readEntries();
  if (capOf.empty() && caps.empty())
    return;
  const HeldMemory devices = countHeldMemory(getOperation());
  if (failed(readOptions(devices)))
    return signalPassFailure();
  for (const auto &[device, held] : devices)
    if (failed(check(device, held)))
      signalPassFailure();
}
