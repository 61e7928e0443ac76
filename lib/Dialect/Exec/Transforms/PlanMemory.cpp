//===- PlanMemory.cpp - Places scratch buffers in arenas --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/MemoryPlan.h"
#include "weir/Dialect/Exec/Transforms/Arenas.h"
#include "weir/Dialect/Exec/Transforms/Passes.h"

#include "llvm/Support/DebugLog.h"

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
struct PlanMemory : exec::impl::ExecPlanMemoryBase<PlanMemory> {
  using Base::Base;
  void runOnOperation() override;

private:
  FailureOr<analysis::MemoryPlan> plan(const ArenaKey &key,
                                       const ArenaContents &contents);
  void place(const ArenaKey &key, ArenaContents &contents,
             const analysis::MemoryPlan &plan);
};
} // namespace

static void dropArenas(EntryOp entry) {
  for (Operation &op : llvm::make_early_inc_range(entry.getBlock()))
    if (auto scratch = dyn_cast<ScratchOp>(op)) {
      scratch.removeOffsetAttr();
      scratch.removeQueueAttr();
    } else if (isa<ArenaOp>(op)) {
      op.erase();
    }
}

/// For each buffer, the only queue that accesses the buffer. Nothing if several
/// queues access it, or if the queue is on another device than the buffer.
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
          ProgramOp(entry.queues[users[buffer]].program).getDevice() ==
          op.getDevice())
        only[buffer] = users[buffer];
  return only;
}

/// Gives each scratch buffer that only one queue accesses to the arena of that
/// queue.
static void chooseQueues(const EntrySchedule &entry) {
  for (auto [buffer, user] : llvm::zip(entry.buffers, findOnlyUsers(entry)))
    if (auto scratch =
            dyn_cast<ScratchOp>(BufferOpInterface(buffer).getOperation());
        scratch && user)
      scratch.setQueue(ProgramOp(entry.queues[*user].program).getQueue());
}

FailureOr<analysis::MemoryPlan>
PlanMemory::plan(const ArenaKey &key, const ArenaContents &contents) {
  auto plan = analysis::planMemory(contents.lives);
  if (!plan)
    return getOperation().emitError("cannot plan the memory of ")
           << key.first << ": " << plan.status().message();
  Status checked = analysis::checkMemoryPlan(contents.lives, *plan);
  if (!checked.isOk())
    return getOperation().emitError(StringRef(checked.message()));
  LDBG() << key.first << " queue "
         << (key.second ? toString(*key.second) : "of each run") << ": "
         << plan->peakBytes << " bytes by " << plan->method;
  return *std::move(plan);
}

/// Writes the plan to the buffers, and adds the arena.
void PlanMemory::place(const ArenaKey &key, ArenaContents &contents,
                       const analysis::MemoryPlan &plan) {
  OpBuilder builder(&getContext());
  for (auto [buffer, offset] : llvm::zip(contents.buffers, plan.offsets))
    buffer.setOffset(offset);
  Block &block = getOperation().getBlock();
  auto programs = block.getOps<ProgramOp>();
  if (programs.empty())
    builder.setInsertionPointToEnd(&block);
  else
    builder.setInsertionPoint(*programs.begin());
  ArenaOp::create(
      builder, getOperation().getLoc(),
      builder.getI64IntegerAttr(static_cast<int64_t>(plan.peakBytes)),
      key.first,
      key.second ? QueueRoleAttr::get(&getContext(), *key.second)
                 : QueueRoleAttr(),
      builder.getI64IntegerAttr(static_cast<int64_t>(plan.lowerBoundBytes)));
}

void PlanMemory::runOnOperation() {
  if (inFlight != 0)
    getOperation().setInFlight(static_cast<uint64_t>(inFlight));
  dropArenas(getOperation());
  FailureOr<EntrySchedule> entry = EntrySchedule::create(getOperation());
  if (failed(entry))
    return signalPassFailure();
  // If only one run is in flight, one arena for all queues of a device is
  // smaller than an arena for each queue.
  if (getOperation().getInFlight() > 1)
    chooseQueues(*entry);
  FailureOr<ArenaTable> arenas = findArenas(*entry);
  if (failed(arenas))
    return signalPassFailure();
  for (auto &[key, contents] : *arenas) {
    FailureOr<analysis::MemoryPlan> planned = plan(key, contents);
    if (failed(planned))
      return signalPassFailure();
    place(key, contents, *planned);
  }
}
