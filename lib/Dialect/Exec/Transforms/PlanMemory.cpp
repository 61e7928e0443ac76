//===- PlanMemory.cpp - Places scratch buffers in arenas --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/MemoryPlan.h"
#include "weir/Dialect/Exec/Transforms/EntrySchedule.h"
#include "weir/Dialect/Exec/Transforms/Passes.h"
#include "weir/Support/OptionText.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "exec-plan-memory"

using namespace mlir;
using namespace weir;
using namespace weir::exec;

namespace weir::exec {
#define GEN_PASS_DEF_EXECPLANMEMORY
#include "weir/Dialect/Exec/Transforms/Passes.h.inc"
} // namespace weir::exec

namespace {
/// The contents of one arena: scratch buffers and when they are live.
struct ArenaContents {
  std::vector<ScratchOp> buffers;
  std::vector<analysis::LiveBuffer> lives;
};

struct PlanMemory : exec::impl::ExecPlanMemoryBase<PlanMemory> {
  using Base::Base;
  void runOnOperation() override;

private:
  LogicalResult readCaps();
  LogicalResult planArena(StringAttr device, ArenaContents &contents);

  llvm::StringMap<uint64_t> capOf;
};
} // namespace

LogicalResult PlanMemory::readCaps() {
  capOf.clear();
  llvm::StringMap<StringRef> given;
  ArrayRef<int64_t> memory = getOperation().getMemory();
  for (auto [device, bytes] : llvm::zip(
           getOperation().getDevices().getAsValueRange<StringAttr>(), memory))
    if (bytes)
      capOf[device] = static_cast<uint64_t>(bytes);
  for (StringRef cap : caps) {
    StatusOr<MemoryCap> parsed = parseMemoryCap(cap);
    if (!parsed.isOk())
      return getOperation().emitError(StringRef(parsed.status().message()));
    std::string device = parsed->device.toString();
    auto isIt = [&](StringRef listed) { return listed == device; };
    if (llvm::none_of(getOperation().getDevices().getAsValueRange<StringAttr>(),
                      isIt))
      return getOperation().emitError("memory cap '")
             << cap << "' names a device that is not used; expected one of "
             << llvm::join(
                    getOperation().getDevices().getAsValueRange<StringAttr>(),
                    ", ");
    auto [other, isNew] = given.try_emplace(device, cap);
    if (!isNew)
      return getOperation().emitError("memory caps '")
             << other->second << "' and '" << cap
             << "' are of one device; give one of them";
    capOf[device] = parsed->bytes;
  }
  return success();
}

static void dropArenas(EntryOp entry) {
  for (Operation &op : llvm::make_early_inc_range(entry.getBlock()))
    if (auto scratch = dyn_cast<ScratchOp>(op))
      scratch.removeOffsetAttr();
    else if (isa<ArenaOp>(op))
      op.erase();
}

/// For each buffer, the queue in whose steps its lifetime is counted: the
/// compute queue of its device.
static std::vector<uint32_t> findOwners(EntrySchedule &entry) {
  llvm::StringMap<uint32_t> queueOf;
  for (auto [number, program] : llvm::enumerate(entry.programs))
    if (program.getQueue() == computeQueue)
      queueOf[program.getDevice()] = static_cast<uint32_t>(number);
  std::vector<uint32_t> owners;
  for (BufferOpInterface buffer : entry.buffers)
    owners.push_back(queueOf.lookup(buffer.getDevice()));
  return owners;
}

static llvm::MapVector<StringAttr, ArenaContents>
collectContents(EntrySchedule &entry, ArrayRef<analysis::LiveSteps> steps) {
  llvm::MapVector<StringAttr, ArenaContents> arenas;
  for (const analysis::LiveSteps &step : steps) {
    auto scratch =
        dyn_cast<ScratchOp>(entry.buffers[step.buffer].getOperation());
    if (!scratch)
      continue;
    ArenaContents &arena = arenas[scratch.getDeviceAttr()];
    arena.buffers.push_back(scratch);
    arena.lives.push_back({scratch.getBytes(), step.first, step.last});
  }
  return arenas;
}

LogicalResult PlanMemory::planArena(StringAttr device,
                                    ArenaContents &contents) {
  auto plan = analysis::planMemory(contents.lives);
  if (!plan)
    return getOperation().emitError("cannot plan the memory of ")
           << device << ": " << plan.status().message();
  Status checked = analysis::checkMemoryPlan(contents.lives, *plan);
  if (!checked.isOk())
    return getOperation().emitError(StringRef(checked.message()));
  LDBG() << device << ": " << plan->peakBytes << " bytes by " << plan->method;
  auto cap = capOf.find(device.getValue());
  if (cap != capOf.end() && plan->peakBytes > cap->second)
    return getOperation().emitError("device ")
           << device << " has a memory cap of " << cap->second
           << " bytes; the smallest cap that can be met is " << plan->peakBytes
           << " bytes";
  for (auto [buffer, offset] : llvm::zip(contents.buffers, plan->offsets))
    buffer.setOffset(offset);
  OpBuilder builder(&getContext());
  Block &block = getOperation().getBlock();
  auto programs = block.getOps<ProgramOp>();
  if (programs.empty())
    builder.setInsertionPointToEnd(&block);
  else
    builder.setInsertionPoint(*programs.begin());
  ArenaOp::create(builder, getOperation().getLoc(), plan->peakBytes, device,
                  plan->lowerBoundBytes);
  return success();
}

void PlanMemory::runOnOperation() {
  if (failed(readCaps()))
    return signalPassFailure();
  dropArenas(getOperation());
  EntrySchedule entry(getOperation());
  if (entry.programs.empty())
    return;
  auto steps = analysis::liveSteps(entry.schedule, findOwners(entry));
  if (!steps) {
    getOperation().emitError("cannot plan memory: ")
        << steps.status().message();
    return signalPassFailure();
  }
  for (auto &[device, contents] : collectContents(entry, *steps))
    if (failed(planArena(device, contents)))
      return signalPassFailure();
}
