//===- Simulation.cpp - The plan's timeline by predicted times ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

#include "weir/Analysis/CostModel.h"
#include "weir/Analysis/Timeline.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Dialect/Exec/Transforms/EntrySchedule.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weir;
using analysis::CommandKind;

namespace {
/// Predicts how long the commands of an entry last.
class CommandTimes {
public:
  CommandTimes(exec::EntryOp entry, const Topology &topology)
      : topology(topology) {
    for (auto [text, threads] :
         llvm::zip(entry.getDevices().getAsValueRange<StringAttr>(),
                   entry.getThreads())) {
      StatusOr<DeviceName> name = parseDeviceName(text);
      if (!name.isOk())
        continue;
      DeviceDesc device;
      if (auto at = topology.indexOf(*name))
        device = topology.devices[*at];
      device.name = *name;
      device.threads = static_cast<uint32_t>(threads);
      devices[text] = device;
    }
  }

  double secondsOf(Operation *op, StringRef device) const {
    return llvm::TypeSwitch<Operation *, double>(op)
        .Case([&](exec::LaunchOp launch) {
          return secondsOfLaunch(launch, device);
        })
        .Case([&](exec::CopyOp copy) { return secondsOfCopy(copy, device); })
        .Case([&](exec::FillOp fill) {
          return static_cast<double>(fill.getBytes()) /
                 ratesOf(device).bytesPerSecond;
        })
        .Default(0.0);
  }

private:
  DeviceDesc describe(StringRef device) const {
    auto known = devices.find(device);
    return known == devices.end() ? DeviceDesc() : known->second;
  }
  DeviceRates ratesOf(StringRef device) const {
    return analysis::ratesOf(describe(device));
  }

  double secondsOfLaunch(exec::LaunchOp launch, StringRef device) const {
    double bytes = 0;
    for (unsigned i = 0; i < launch.getNumViews(); ++i)
      bytes += static_cast<double>(
          exec::describeView(launch.getView(i).type).spanBytes());
    const auto kind =
        launch.getKernel() == generatedKernel   ? analysis::CodeKind::Generated
        : launch.getKernel() == referenceKernel ? analysis::CodeKind::Reference
                                                : analysis::CodeKind::Library;
    const double flops =
        static_cast<double>(launch.getFlops()) / analysis::speedOf(kind);
    return analysis::predictLaunchSeconds(ratesOf(device), typeOf(launch),
                                          flops, bytes);
  }

  /// The type that the launch computes in: that of what it writes.
  static DType typeOf(exec::LaunchOp launch) {
    const unsigned last = launch.getNumViews();
    return last == 0 ? DType::F32
                     : exec::describeView(launch.getView(last - 1).type).type;
  }

  /// A copy inside of one memory reads and writes it. Memory of the host is
  /// that of the first CPU device.
  double secondsOfCopy(exec::CopyOp copy, StringRef device) const {
    const auto bytes = static_cast<double>(copy.getBytes());
    if (copy.getBytes() == 0)
      return 0;
    StringRef from = spaceOf(copy.getFrom()), to = spaceOf(copy.getTo());
    if (from == to)
      return 2 * bytes / ratesOf(device).bytesPerSecond;
    return analysis::predictCopySeconds(
        analysis::linkRates(topology, describe(from).name, describe(to).name),
        bytes);
  }

  static StringRef spaceOf(Value buffer) {
    return cast<exec::BufferOpInterface>(buffer.getDefiningOp()).getDevice();
  }

  const Topology &topology;
  llvm::StringMap<DeviceDesc> devices;
};
} // namespace

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

/// The rows of `report`: commands that last some time.
static void addRows(exec::EntrySchedule &schedule,
                    const analysis::Timeline &timeline,
                    TimelineReport &report) {
  for (auto [queue, program] : llvm::enumerate(schedule.programs)) {
    TimelineRow &row = report.rows.emplace_back();
    row.device = program.getDevice().str();
    row.queue = static_cast<int64_t>(program.getQueue());
    for (auto [op, span] :
         llvm::zip(schedule.commands[queue], timeline.spans[queue])) {
      if (span.begin == span.end)
        continue;
      const StringRef category = getCategory(op);
      const bool waits = category == "wait";
      if (!waits)
        row.busySeconds += span.end - span.begin;
      row.spans.push_back(
          {waits ? category.str() : exec::getCommandName(op).str(),
           category.str(), span.begin, span.end});
    }
  }
}

static LogicalResult simulateEntry(exec::EntryOp entry,
                                   const Topology &topology,
                                   TimelineReport &report) {
  FailureOr<exec::EntrySchedule> schedule = exec::EntrySchedule::create(entry);
  if (failed(schedule))
    return failure();
  const CommandTimes times(entry, topology);
  std::vector<std::vector<analysis::TimedCommand>> queues;
  for (auto [queue, program] : llvm::enumerate(schedule->programs)) {
    auto &commands = queues.emplace_back();
    for (auto [op, command] :
         llvm::zip(schedule->commands[queue], schedule->schedule.queues[queue]))
      commands.push_back({command.kind,
                          times.secondsOf(op, program.getDevice()),
                          command.event, command.value});
  }
  StatusOr<analysis::Timeline> timeline =
      analysis::simulateTimeline(queues, schedule->schedule.numEvents);
  if (!timeline.isOk())
    return entry.emitOpError(StringRef(timeline.status().message()));
  report.seconds = timeline->seconds;
  addRows(*schedule, *timeline, report);
  return success();
}

LogicalResult weir::simulatePlan(ModuleOp module, const Topology &topology,
                                 CompileReport &report) {
  for (auto [entry, known] :
       llvm::zip(module.getOps<exec::EntryOp>(), report.entries)) {
    TimelineReport &timeline = report.timelines.emplace_back();
    timeline.entry = known.name;
    if (failed(simulateEntry(entry, topology, timeline)))
      return failure();
  }
  return success();
}
