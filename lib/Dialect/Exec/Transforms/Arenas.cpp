//===- Arenas.cpp - What the arenas of an entry contain ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Exec/Transforms/Arenas.h"

#include "weir/Support/ShapeLimits.h"

#include <algorithm>
#include <map>

using namespace mlir;
using namespace weir;
using namespace weir::exec;

/// For each buffer, the queue whose steps count the lifetime of the buffer.
/// This is the queue to which the buffer's arena belongs, or else the compute
/// queue of the buffer's device.
static std::vector<uint32_t> findOwners(const EntrySchedule &entry) {
  std::map<std::pair<StringRef, QueueRole>, uint32_t> numberOf;
  for (auto [number, queue] : llvm::enumerate(entry.queues)) {
    ProgramOp op = queue.program;
    numberOf[{op.getDevice(), op.getQueue()}] = static_cast<uint32_t>(number);
  }
  std::vector<uint32_t> owners;
  for (BufferOpInterface buffer : entry.buffers) {
    auto scratch = dyn_cast<ScratchOp>(buffer.getOperation());
    const QueueRole queue =
        scratch ? scratch.getQueue().value_or(QueueRole::Compute)
                : QueueRole::Compute;
    auto it = numberOf.find({buffer.getDevice(), queue});
    owners.push_back(it == numberOf.end() ? 0 : it->second);
  }
  return owners;
}

FailureOr<ArenaTable> weir::exec::findArenas(const EntrySchedule &entry) {
  ArenaTable arenas;
  if (entry.queues.empty())
    return arenas;
  auto steps = analysis::liveSteps(entry.schedule, findOwners(entry));
  if (!steps)
    return ProgramOp(entry.queues.front().program)
               ->getParentOp()
               ->emitError("cannot plan memory: ")
           << steps.status().message();
  for (const analysis::LiveSteps &step : *steps) {
    BufferOpInterface buffer = entry.buffers[step.buffer];
    auto scratch = dyn_cast<ScratchOp>(buffer.getOperation());
    if (!scratch)
      continue;
    ArenaContents &arena = arenas[getArenaKey(scratch)];
    arena.buffers.push_back(scratch);
    arena.lives.push_back({scratch.getBytes(), step.first, step.last});
  }
  return arenas;
}

EntryOp LargestArena::getEntry() const {
  return cast<EntryOp>(ArenaOp(arena)->getParentOp());
}

static LargestArena describeArena(ArenaOp arena) {
  auto entry = cast<EntryOp>(arena->getParentOp());
  const auto copies =
      arena.getQueue() ? 1 : static_cast<int64_t>(entry.getInFlight());
  auto all = [&](uint64_t bytes) {
    return saturatingMultiply(static_cast<int64_t>(bytes), copies);
  };
  return {arena, copies, all(arena.getBytes()), all(arena.getLowerBound())};
}

llvm::MapVector<ArenaKey, LargestArena>
weir::exec::findLargestArenas(ModuleOp module) {
  llvm::MapVector<ArenaKey, LargestArena> arenas;
  for (auto entry : module.getOps<EntryOp>())
    for (auto arena : entry.getBlock().getOps<ArenaOp>()) {
      const LargestArena found = describeArena(arena);
      auto [known, isNew] = arenas.try_emplace(getArenaKey(arena), found);
      LargestArena &largest = known->second;
      const int64_t lowerBound = std::max(largest.lowerBound, found.lowerBound);
      if (found.bytes > largest.bytes)
        largest = found;
      largest.lowerBound = lowerBound;
    }
  return arenas;
}

int64_t weir::exec::countArenaBytes(EntryOp entry) {
  int64_t bytes = 0;
  for (auto arena : entry.getBlock().getOps<ArenaOp>())
    bytes = saturatingAdd(bytes, describeArena(arena).bytes);
  return bytes;
}
