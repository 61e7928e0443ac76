//===- CommandTimes.cpp - How long commands last, by the cost model -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CommandTimes.h"

#include "weir/Analysis/Timeline.h"
#include "weir/Dialect/Weir/IR/KernelNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weir;
using namespace weir::exec;

CommandTimes::CommandTimes(EntryOp entry)
    : model(entry.getDevices().toTopology()) {
  const Topology &topology = model.getTopology();
  for (auto [index, device] : llvm::enumerate(topology.devices))
    devices[device.name.toString()] = index;
  const auto shared =
      llvm::find_if(topology.devices, [](const DeviceDesc &device) {
        return !device.isIsolated;
      });
  if (shared != topology.devices.end())
    host = shared->name;
  for (const auto &[ends, link] : topology.links)
    if (!link.shared.empty())
      sharedLinks.try_emplace(link.shared);
  int64_t number = 0;
  for (auto &[name, each] : sharedLinks)
    each = ++number;
}

bool CommandTimes::areWanted() const {
  return llvm::any_of(model.getTopology().devices,
                      [](const DeviceDesc &device) {
                        return device.name.kind->usesPredictions;
                      });
}

/// The element type in which a launch computes. This is the type of its first
/// result. Predictions for groups use the same rule.
static DType typeOf(LaunchOp launch) {
  const auto firstResult = static_cast<unsigned>(launch.getReads().size());
  return describeView(launch.getView(firstResult).type).type;
}

static analysis::CodeKind codeOf(LaunchOp launch) {
  return launch.getKernel() == generatedKernel   ? analysis::CodeKind::Generated
         : launch.getKernel() == referenceKernel ? analysis::CodeKind::Reference
                                                 : analysis::CodeKind::Library;
}

double CommandTimes::secondsOf(LaunchOp launch, size_t device) const {
  analysis::LaunchWork work{.device = device, .type = typeOf(launch)};
  work.flopsOf(codeOf(launch)).others = static_cast<double>(launch.getFlops());
  for (unsigned i = 0; i < launch.getNumViews(); ++i)
    work.bytes +=
        static_cast<double>(describeView(launch.getView(i).type).spanBytes());
  return model.secondsOf(work);
}

const DeviceDesc *CommandTimes::deviceOf(Value buffer) const {
  const auto at =
      devices.find(cast<BufferOpInterface>(buffer.getDefiningOp()).getDevice());
  return at == devices.end() ? nullptr
                             : &model.getTopology().devices[at->second];
}

/// Whether both devices have their buffers in one memory.
static bool areInOneSpace(const DeviceDesc *one, const DeviceDesc *other) {
  const auto isShared = [](const DeviceDesc *device) {
    return !device || !device->isIsolated;
  };
  return one == other || (isShared(one) && isShared(other));
}

double CommandTimes::secondsOf(CopyOp copy, size_t device) const {
  const auto bytes = static_cast<double>(copy.getBytes());
  const DeviceDesc *from = deviceOf(copy.getFrom());
  const DeviceDesc *to = deviceOf(copy.getTo());
  return areInOneSpace(from, to)
             ? model.secondsOfCopy(device, bytes)
             : model.secondsOfCrossing(nameOf(from), nameOf(to), bytes);
}

double CommandTimes::secondsOf(Operation *command, ProgramOp program) const {
  const size_t device = devices.at(program.getDevice());
  return llvm::TypeSwitch<Operation *, double>(command)
      .Case<LaunchOp, CopyOp>(
          [&](auto timed) { return secondsOf(timed, device); })
      .Case([&](FillOp fill) {
        return model.secondsOfFill(device,
                                   static_cast<double>(fill.getBytes()));
      })
      .Default(0.0);
}

void CommandTimes::noteSharedLink(CopyOp copy) const {
  const DeviceDesc *from = deviceOf(copy.getFrom());
  const DeviceDesc *to = deviceOf(copy.getTo());
  copy.setSharedLink(0);
  if (copy.getBytes() == 0 || areInOneSpace(from, to))
    return;
  const LinkDesc *link = model.getTopology().link(nameOf(from), nameOf(to));
  if (link && !link->shared.empty())
    copy.setSharedLink(sharedLinks.at(link->shared));
}

void CommandTimes::predict(ProgramOp program) const {
  program.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op).Case<LaunchOp, CopyOp, FillOp>(
        [&](auto command) {
          command.setPredictedNs(
              analysis::toNs(secondsOf(command.getOperation(), program)));
        });
    if (auto copy = dyn_cast<CopyOp>(op))
      noteSharedLink(copy);
  });
}
