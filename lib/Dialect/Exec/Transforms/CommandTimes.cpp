//===- CommandTimes.cpp - How long commands last, by the cost model -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CommandTimes.h"

#include "weir/Analysis/Timeline.h"
#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/KernelNames.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "llvm/ADT/TypeSwitch.h"

#include <utility>

using namespace mlir;
using namespace weir;
using namespace weir::exec;

CommandTimes::CommandTimes(EntryOp entry)
    : topology(entry.getDevices().toTopology()) {
  bool hasHost = false;
  for (const DeviceDesc &device : topology.devices) {
    const std::string name = device.name.toString();
    auto [at, isNew] = devices.try_emplace(name);
    at->second = {device.name, device.isIsolated ? at->first() : StringRef(),
                  analysis::ratesOf(device)};
    if (!device.isIsolated && !std::exchange(hasHost, true))
      host = at->second;
  }
  for (const auto &[ends, link] : topology.links)
    if (!link.shared.empty())
      sharedLinks.try_emplace(link.shared);
  int64_t number = 0;
  for (auto &[name, each] : sharedLinks)
    each = ++number;
}

bool CommandTimes::areWanted() const {
  return llvm::any_of(devices, [](const auto &device) {
    return device.second.name.kind->usesPredictions;
  });
}

/// The element type that a launch computes in: that of its first result, as in
/// predictions of groups.
static DType typeOf(LaunchOp launch) {
  const auto firstResult = static_cast<unsigned>(launch.getReads().size());
  return describeView(launch.getView(firstResult).type).type;
}

static analysis::CodeKind codeOf(LaunchOp launch) {
  return launch.getKernel() == generatedKernel   ? analysis::CodeKind::Generated
         : launch.getKernel() == referenceKernel ? analysis::CodeKind::Reference
                                                 : analysis::CodeKind::Library;
}

double CommandTimes::secondsOf(LaunchOp launch,
                               const TimedDevice &device) const {
  double bytes = 0;
  for (unsigned i = 0; i < launch.getNumViews(); ++i)
    bytes +=
        static_cast<double>(describeView(launch.getView(i).type).spanBytes());
  return analysis::predictLaunchSeconds(device.rates, typeOf(launch),
                                        static_cast<double>(launch.getFlops()) /
                                            analysis::speedOf(codeOf(launch)),
                                        bytes);
}

const TimedDevice &CommandTimes::deviceOf(Value buffer) const {
  auto it =
      devices.find(cast<BufferOpInterface>(buffer.getDefiningOp()).getDevice());
  return it == devices.end() ? host : it->second;
}

/// A copy within one memory both reads and writes that memory.
double CommandTimes::secondsOf(CopyOp copy, const TimedDevice &device) const {
  const auto bytes = static_cast<double>(copy.getBytes());
  const TimedDevice &from = deviceOf(copy.getFrom());
  const TimedDevice &to = deviceOf(copy.getTo());
  if (from.space == to.space)
    return 2 * bytes / device.rates.bytesPerSecond;
  return analysis::predictCrossingSeconds(topology, from.name, to.name, bytes);
}

void CommandTimes::predict(LaunchOp launch, const TimedDevice &device) const {
  launch.setPredictedNs(analysis::toNs(secondsOf(launch, device)));
}

void CommandTimes::predict(CopyOp copy, const TimedDevice &device) const {
  copy.setPredictedNs(analysis::toNs(secondsOf(copy, device)));
  if (copy.getBytes() == 0)
    return;
  const LinkDesc *link =
      topology.link(deviceOf(copy.getFrom()).name, deviceOf(copy.getTo()).name);
  if (link && !link->shared.empty())
    copy.setSharedLink(sharedLinks.at(link->shared));
}

void CommandTimes::predict(FillOp fill, const TimedDevice &device) const {
  fill.setPredictedNs(analysis::toNs(static_cast<double>(fill.getBytes()) /
                                     device.rates.bytesPerSecond));
}

void CommandTimes::predict(ProgramOp program) const {
  const TimedDevice device = devices.lookup(program.getDevice());
  program.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](LaunchOp launch) { predict(launch, device); })
        .Case([&](CopyOp copy) { predict(copy, device); })
        .Case([&](FillOp fill) { predict(fill, device); });
  });
}

double CommandTimes::secondsOf(LaunchOp launch, ProgramOp program) const {
  return secondsOf(launch, devices.lookup(program.getDevice()));
}
