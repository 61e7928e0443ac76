//===- Simulation.cpp - The plan's timeline by predicted times ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

#include "weir/Analysis/Timeline.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Dialect/Exec/Transforms/EntrySchedule.h"
#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weir;

/// The category of a command in reports.
static StringRef getCategory(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](exec::LaunchOp) { return "launch"; })
      .Case([](exec::CopyOp copy) {
        return copy.getCrossing() ? "crossing" : "copy";
      })
      .Case([](exec::FillOp) { return "fill"; })
      .Case([](exec::WaitOp) { return "wait"; })
      .Default([](Operation *) { return "record"; });
}

static double toSeconds(uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-9;
}

/// Adds the rows of a timeline to `report`. They have the commands that take
/// time.
static void addRows(exec::EntrySchedule &schedule,
                    const analysis::Timeline &timeline,
                    TimelineReport &report) {
  for (auto [queue, spans] : llvm::zip(schedule.queues, timeline.spans)) {
    TimelineRow &row = report.rows.emplace_back();
    row.device = queue.program.getDevice().str();
    row.queue = queue.program.getQueue();
    for (auto [op, span] : llvm::zip(queue.commands, spans)) {
      if (span.begin == span.end)
        continue;
      const StringRef category = getCategory(op);
      const bool waits = category == "wait";
      const double begin = toSeconds(span.begin), end = toSeconds(span.end);
      if (!waits)
        row.busySeconds += end - begin;
      row.spans.push_back({(waits ? category : exec::getCommandName(op)).str(),
                           category, begin, end});
    }
  }
}

static analysis::TimedCommand timeOf(Operation *op,
                                     const analysis::Command &command) {
  return {command.kind, exec::getPredictedNs(op), command.event, command.value,
          exec::getSharedLink(op)};
}

static LogicalResult simulateEntry(exec::EntryOp entry,
                                   TimelineReport &report) {
  FailureOr<exec::EntrySchedule> schedule = exec::EntrySchedule::create(entry);
  if (failed(schedule))
    return failure();
  std::vector<std::vector<analysis::TimedCommand>> queues;
  for (auto [queue, commands] :
       llvm::zip(schedule->queues, schedule->schedule.queues)) {
    auto &timed = queues.emplace_back();
    for (auto [op, command] : llvm::zip(queue.commands, commands))
      timed.push_back(timeOf(op, command));
  }
  StatusOr<analysis::Timeline> timeline =
      analysis::simulateTimeline(queues, schedule->schedule.numEvents);
  if (!timeline.isOk())
    return entry.emitOpError(StringRef(timeline.status().message()));
  report.seconds = toSeconds(timeline->nanoseconds);
  addRows(*schedule, *timeline, report);
  return success();
}

LogicalResult weir::simulatePlan(ModuleOp module, CompileReport &report) {
  report.timelines.clear();
  for (exec::EntryOp entry : module.getOps<exec::EntryOp>()) {
    TimelineReport &timeline = report.timelines.emplace_back();
    timeline.entry = getReportName(entry).str();
    if (failed(simulateEntry(entry, timeline)))
      return failure();
  }
  return success();
}
