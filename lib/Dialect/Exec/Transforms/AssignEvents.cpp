//===- AssignEvents.cpp - Orders commands by events -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Exec/Transforms/EntrySchedule.h"
#include "weir/Dialect/Exec/Transforms/Passes.h"

#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "exec-assign-events"

using namespace mlir;
using namespace weir;
using namespace weir::exec;
using analysis::ByteRange;
using analysis::CommandId;

namespace weir::exec {
#define GEN_PASS_DEF_EXECASSIGNEVENTS
#include "weir/Dialect/Exec/Transforms/Passes.h.inc"
} // namespace weir::exec

namespace {
/// The commands that read and that write one buffer.
struct Accesses {
  std::vector<CommandId> reads;
  std::vector<CommandId> writes;
};

struct AssignEvents : exec::impl::ExecAssignEventsBase<AssignEvents> {
  void runOnOperation() override;
};
} // namespace

static void dropEvents(EntryOp entry) {
  for (ProgramOp program : entry.getBlock().getOps<ProgramOp>())
    for (Operation &op : llvm::make_early_inc_range(program.getBlock()))
      if (isa<RecordOp, WaitOp>(op))
        op.erase();
}

static std::vector<Accesses> collectAccesses(const analysis::Schedule &plan) {
  std::vector<Accesses> accesses(plan.buffers.size());
  for (uint32_t queue = 0; queue < plan.queues.size(); ++queue)
    for (uint32_t i = 0; i < plan.queues[queue].size(); ++i) {
      const analysis::Command &command = plan.queues[queue][i];
      for (const ByteRange &range : command.reads)
        accesses[range.buffer].reads.push_back({queue, i});
      for (const ByteRange &range : command.writes)
        accesses[range.buffer].writes.push_back({queue, i});
    }
  return accesses;
}

/// The last of `ids` in each queue: a command that comes after these comes
/// after all. `ids` are ordered by (queue, index).
static SmallVector<CommandId> lastOfEachQueue(ArrayRef<CommandId> ids) {
  SmallVector<CommandId> last;
  for (CommandId id : ids)
    if (!last.empty() && last.back().queue == id.queue)
      last.back() = id;
    else
      last.push_back(id);
  return last;
}

/// The first of `ids` in each queue: what comes before these comes before all.
static SmallVector<CommandId> firstOfEachQueue(ArrayRef<CommandId> ids) {
  SmallVector<CommandId> first;
  for (CommandId id : ids)
    if (first.empty() || first.back().queue != id.queue)
      first.push_back(id);
  return first;
}

static std::vector<analysis::Dependency>
findDependencies(EntrySchedule &entry) {
  std::vector<analysis::Dependency> found;
  std::vector<Accesses> accesses = collectAccesses(entry.schedule);
  for (auto [buffer, access] : llvm::zip(entry.buffers, accesses)) {
    bool readsFirst = isa<VariableOp>(buffer.getOperation());
    const auto &before = readsFirst ? access.reads : access.writes;
    const auto &after = readsFirst ? access.writes : access.reads;
    for (CommandId from : lastOfEachQueue(before))
      for (CommandId to : firstOfEachQueue(after))
        found.push_back({from, to});
  }
  return found;
}

static void insertEvents(EntrySchedule &entry,
                         const analysis::EventAssignment &events) {
  for (const analysis::EventRecord &record : events.records) {
    Operation *op = entry.getOp(record.record);
    LDBG() << "event " << record.event << " behind " << getCommandName(op);
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    RecordOp::create(builder, op->getLoc(), record.event);
  }
  for (const analysis::EventWait &wait : events.waits) {
    Operation *op = entry.getOp(wait.wait);
    OpBuilder builder(op);
    WaitOp::create(builder, op->getLoc(), wait.event);
  }
}

void AssignEvents::runOnOperation() {
  dropEvents(getOperation());
  EntrySchedule entry(getOperation());
  std::vector<uint32_t> numCommands;
  for (const auto &commands : entry.commands)
    numCommands.push_back(static_cast<uint32_t>(commands.size()));
  auto events = analysis::assignEvents(numCommands, findDependencies(entry));
  if (!events) {
    getOperation().emitError("the order of the commands cannot be kept: ")
        << events.status().message();
    return signalPassFailure();
  }
  insertEvents(entry, *events);
}
