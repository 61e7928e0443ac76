//===- AssignEvents.cpp - Orders commands by events -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AccessList.h"
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
/// The accesses to one version of a buffer, ordered by (queue, index).
using VersionAccesses = Accesses<CommandId>;

struct AssignEvents : exec::impl::ExecAssignEventsBase<AssignEvents> {
  void runOnOperation() override;
};
} // namespace

/// The accesses to each version of each buffer.
static std::vector<std::vector<VersionAccesses>>
collectAccesses(const analysis::Schedule &plan) {
  std::vector<std::vector<VersionAccesses>> accesses(plan.buffers.size());
  auto versionOf = [&](const ByteRange &range) -> VersionAccesses & {
    std::vector<VersionAccesses> &versions = accesses[range.buffer];
    if (versions.size() <= range.version)
      versions.resize(range.version + 1);
    return versions[range.version];
  };
  for (uint32_t queue = 0; queue < plan.queues.size(); ++queue)
    for (uint32_t i = 0; i < plan.queues[queue].size(); ++i) {
      const analysis::Command &command = plan.queues[queue][i];
      for (const ByteRange &range : command.reads)
        versionOf(range).reads.add({queue, i}, {range.begin, range.end});
      for (const ByteRange &range : command.writes)
        versionOf(range).writes.add({queue, i}, {range.begin, range.end});
    }
  return accesses;
}

/// The last of `ids` in each queue, if `ids` are ordered by (queue, index). A
/// command that comes after these comes after all of `ids`.
static SmallVector<CommandId> lastOfEachQueue(ArrayRef<CommandId> ids) {
  SmallVector<CommandId> last;
  for (CommandId id : ids)
    if (!last.empty() && last.back().queue == id.queue)
      last.back() = id;
    else
      last.push_back(id);
  return last;
}

/// The first of `ids` in each queue, if `ids` are ordered by (queue, index). A
/// command that comes before these comes before all of `ids`.
static SmallVector<CommandId> firstOfEachQueue(ArrayRef<CommandId> ids) {
  SmallVector<CommandId> first;
  for (CommandId id : ids)
    if (first.empty() || first.back().queue != id.queue)
      first.push_back(id);
  return first;
}

static void addDependencies(ArrayRef<CommandId> before,
                            ArrayRef<CommandId> after,
                            std::vector<analysis::Dependency> &found) {
  for (CommandId from : lastOfEachQueue(before))
    for (CommandId to : firstOfEachQueue(after))
      // A command that reads the bytes that it writes does not wait for itself.
      if (from != to)
        found.push_back({from, to});
}

/// Finds two kinds of dependencies:
/// - The writes of a version come behind the reads and writes of the version
///   before.
/// - The reads of a version come behind the last writes of their bytes.
static std::vector<analysis::Dependency>
findDependencies(const analysis::Schedule &plan) {
  std::vector<analysis::Dependency> found;
  const auto order = [&](ArrayRef<CommandId> before,
                         ArrayRef<CommandId> after) {
    addDependencies(before, after, found);
  };
  for (const std::vector<VersionAccesses> &versions : collectAccesses(plan)) {
    AccessList<CommandId> written;
    SmallVector<CommandId> read;
    for (const auto &[writes, reads] : versions) {
      if (!writes.commands.empty()) {
        order(written.commands, writes.commands);
        order(read, writes.commands);
        written = writes;
        read.clear();
      }
      orderReads(written, reads, order);
      read.append(reads.commands);
      llvm::sort(read);
    }
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

/// Refuses repeats: this pass cannot determine values of events that change
/// with each trip.
static LogicalResult refuseRepeats(EntryOp entry) {
  WalkResult result = entry.walk([](RepeatOp repeat) {
    repeat.emitOpError("needs events with values, which are written by hand; "
                       "leave out exec-assign-events");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

void AssignEvents::runOnOperation() {
  if (failed(refuseRepeats(getOperation())))
    return signalPassFailure();
  dropEvents(getOperation());
  FailureOr<EntrySchedule> entry = EntrySchedule::create(getOperation());
  if (failed(entry))
    return signalPassFailure();
  std::vector<uint32_t> numCommands;
  for (const EntrySchedule::Queue &queue : entry->queues)
    numCommands.push_back(static_cast<uint32_t>(queue.commands.size()));
  auto events =
      analysis::assignEvents(numCommands, findDependencies(entry->schedule));
  if (!events) {
    getOperation().emitError("the order of the commands cannot be kept: ")
        << events.status().message();
    return signalPassFailure();
  }
  insertEvents(*entry, *events);
}
