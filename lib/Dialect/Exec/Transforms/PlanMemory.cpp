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
#include "llvm/Support/MathExtras.h"

#include <optional>

#define DEBUG_TYPE "exec-plan-memory"

using namespace mlir;
using namespace weir;
using namespace weir::exec;

namespace weir::exec {
#define GEN_PASS_DEF_EXECPLANMEMORY
#include "weir/Dialect/Exec/Transforms/Passes.h.inc"
} // namespace weir::exec

namespace {
/// The number of an arena's queue, or this: each run in flight has the arena.
constexpr int64_t eachRun = -1;

/// The contents of one arena: scratch buffers and when they are live.
struct ArenaContents {
  StringAttr device;
  int64_t queue = eachRun;
  std::vector<ScratchOp> buffers;
  std::vector<analysis::LiveBuffer> lives;
  analysis::MemoryPlan plan;
};

/// By device and queue, in the order of their first buffers.
using Arenas = llvm::MapVector<std::pair<StringAttr, int64_t>, ArenaContents>;

struct PlanMemory : exec::impl::ExecPlanMemoryBase<PlanMemory> {
  using Base::Base;
  void runOnOperation() override;

private:
  LogicalResult readCaps();
  LogicalResult planArena(ArenaContents &contents);
  LogicalResult checkCaps(const Arenas &arenas);
  void place(ArenaContents &contents);

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
    if (auto scratch = dyn_cast<ScratchOp>(op)) {
      scratch.removeOffsetAttr();
      scratch.removeQueueAttr();
    } else if (isa<ArenaOp>(op)) {
      op.erase();
    }
}

/// For each buffer, the queue that alone accesses it, if it is one of the
/// buffer's device.
static std::vector<std::optional<uint32_t>>
findOnlyUsers(const EntrySchedule &entry) {
  constexpr uint32_t none = ~0u, several = ~0u - 1;
  std::vector<uint32_t> users(entry.buffers.size(), none);
  for (uint32_t queue = 0; queue < entry.schedule.queues.size(); ++queue)
    for (const analysis::Command &command : entry.schedule.queues[queue])
      for (const auto *ranges : {&command.reads, &command.writes})
        for (const analysis::ByteRange &range : *ranges) {
          uint32_t &user = users[range.buffer];
          user = user == none || user == queue ? queue : several;
        }
  std::vector<std::optional<uint32_t>> only(users.size());
  for (uint32_t buffer = 0; buffer < users.size(); ++buffer)
    if (users[buffer] < several)
      if (BufferOpInterface op = entry.buffers[buffer];
          ProgramOp(entry.programs[users[buffer]]).getDevice() ==
          op.getDevice())
        only[buffer] = users[buffer];
  return only;
}

/// For each buffer, the queue in whose steps its lifetime is counted: the one
/// to which its arena belongs, or the compute queue of its device.
static std::vector<uint32_t>
findOwners(const EntrySchedule &entry,
           ArrayRef<std::optional<uint32_t>> onlyUsers) {
  llvm::StringMap<uint32_t> queueOf;
  for (auto [number, program] : llvm::enumerate(entry.programs))
    if (ProgramOp(program).getQueue() == computeQueue)
      queueOf[ProgramOp(program).getDevice()] = static_cast<uint32_t>(number);
  std::vector<uint32_t> owners;
  for (auto [number, buffer] : llvm::enumerate(entry.buffers))
    owners.push_back(
        !onlyUsers.empty() && onlyUsers[number]
            ? *onlyUsers[number]
            : queueOf.lookup(BufferOpInterface(buffer).getDevice()));
  return owners;
}

static Arenas collectContents(const EntrySchedule &entry,
                              ArrayRef<analysis::LiveSteps> steps,
                              ArrayRef<std::optional<uint32_t>> onlyUsers) {
  Arenas arenas;
  for (const analysis::LiveSteps &step : steps) {
    BufferOpInterface buffer = entry.buffers[step.buffer];
    auto scratch = dyn_cast<ScratchOp>(buffer.getOperation());
    if (!scratch)
      continue;
    int64_t queue = eachRun;
    if (!onlyUsers.empty() && onlyUsers[step.buffer]) {
      ProgramOp user = entry.programs[*onlyUsers[step.buffer]];
      queue = static_cast<int64_t>(user.getQueue());
    }
    ArenaContents &arena = arenas[{scratch.getDeviceAttr(), queue}];
    arena.device = scratch.getDeviceAttr();
    arena.queue = queue;
    arena.buffers.push_back(scratch);
    arena.lives.push_back({scratch.getBytes(), step.first, step.last});
  }
  return arenas;
}

LogicalResult PlanMemory::planArena(ArenaContents &contents) {
  auto plan = analysis::planMemory(contents.lives);
  if (!plan)
    return getOperation().emitError("cannot plan the memory of ")
           << contents.device << ": " << plan.status().message();
  Status checked = analysis::checkMemoryPlan(contents.lives, *plan);
  if (!checked.isOk())
    return getOperation().emitError(StringRef(checked.message()));
  LDBG() << contents.device << " queue " << contents.queue << ": "
         << plan->peakBytes << " bytes by " << plan->method;
  contents.plan = *std::move(plan);
  return success();
}

/// A cap counts all arenas of a device, with those that each run has.
LogicalResult PlanMemory::checkCaps(const Arenas &arenas) {
  llvm::MapVector<StringAttr, uint64_t> needs;
  for (const auto &[key, contents] : arenas) {
    uint64_t copies =
        contents.queue == eachRun ? getOperation().getInFlight() : 1;
    uint64_t &need = needs[contents.device];
    need = llvm::SaturatingAdd(
        need, llvm::SaturatingMultiply(contents.plan.peakBytes, copies));
  }
  for (auto [device, bytes] : needs) {
    auto cap = capOf.find(device.getValue());
    if (cap != capOf.end() && bytes > cap->second)
      return getOperation().emitError("device ")
             << device << " has a memory cap of " << cap->second
             << " bytes; the smallest cap that can be met is " << bytes
             << " bytes";
  }
  return success();
}

/// Writes the plan to the buffers, and adds the arena.
void PlanMemory::place(ArenaContents &contents) {
  OpBuilder builder(&getContext());
  IntegerAttr queue = contents.queue == eachRun
                          ? IntegerAttr()
                          : builder.getI64IntegerAttr(contents.queue);
  for (auto [buffer, offset] :
       llvm::zip(contents.buffers, contents.plan.offsets)) {
    buffer.setOffset(offset);
    if (queue)
      buffer.setQueueAttr(queue);
  }
  Block &block = getOperation().getBlock();
  auto programs = block.getOps<ProgramOp>();
  if (programs.empty())
    builder.setInsertionPointToEnd(&block);
  else
    builder.setInsertionPoint(*programs.begin());
  ArenaOp::create(
      builder, getOperation().getLoc(),
      builder.getI64IntegerAttr(static_cast<int64_t>(contents.plan.peakBytes)),
      contents.device, queue,
      builder.getI64IntegerAttr(
          static_cast<int64_t>(contents.plan.lowerBoundBytes)));
}

void PlanMemory::runOnOperation() {
  if (inFlight != 0)
    getOperation().setInFlight(static_cast<uint64_t>(inFlight));
  if (failed(readCaps()))
    return signalPassFailure();
  dropArenas(getOperation());
  FailureOr<EntrySchedule> entry = EntrySchedule::create(getOperation());
  if (failed(entry))
    return signalPassFailure();
  if (entry->programs.empty())
    return;
  // With one run at a time, one arena for all queues of a device is smaller.
  std::vector<std::optional<uint32_t>> onlyUsers;
  if (getOperation().getInFlight() > 1)
    onlyUsers = findOnlyUsers(*entry);
  auto steps =
      analysis::liveSteps(entry->schedule, findOwners(*entry, onlyUsers));
  if (!steps) {
    getOperation().emitError("cannot plan memory: ")
        << steps.status().message();
    return signalPassFailure();
  }
  Arenas arenas = collectContents(*entry, *steps, onlyUsers);
  for (auto &[key, contents] : arenas)
    if (failed(planArena(contents)))
      return signalPassFailure();
  if (failed(checkCaps(arenas)))
    return signalPassFailure();
  for (auto &[key, contents] : arenas)
    place(contents);
}
