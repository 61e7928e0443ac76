//===- PredictTimes.cpp - Predicts how long each command lasts ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/CostModel.h"
#include "weir/Analysis/Timeline.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Dialect/Exec/Transforms/Passes.h"
#include "weir/Dialect/Weir/IR/KernelNames.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/Topology.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <string>

using namespace mlir;
using namespace weir;
using namespace weir::exec;

namespace weir::exec {
#define GEN_PASS_DEF_EXECPREDICTTIMES
#include "weir/Dialect/Exec/Transforms/Passes.h.inc"
} // namespace weir::exec

namespace {
struct PredictTimes : exec::impl::ExecPredictTimesBase<PredictTimes> {
  using ExecPredictTimesBase::ExecPredictTimesBase;
  void runOnOperation() override;
};

/// A device, and its rates or those of its kind.
struct TimedDevice {
  DeviceName name;
  DeviceRates rates = defaultRates(DeviceKind::CPU);
};

/// Predicts how long the commands of an entry last.
class CommandTimes {
public:
  /// Devices that `topology` lacks have the rates of their kind.
  CommandTimes(EntryOp entry, const Topology &topology);

  /// Whether some device wants to know.
  bool areWanted() const;
  void predict(ProgramOp program) const;

private:
  /// The device of a buffer.
  DeviceName nameOf(Value buffer) const;
  double secondsOf(LaunchOp launch, const TimedDevice &device) const;
  double secondsOf(CopyOp copy, const TimedDevice &device) const;
  void predict(LaunchOp launch, const TimedDevice &device) const;
  void predict(CopyOp copy, const TimedDevice &device) const;
  void predict(FillOp fill, const TimedDevice &device) const;

  const Topology &topology;
  /// The host's memory is under "". It counts as that of the first device that
  /// shares it, else as that of cpu:0.
  llvm::StringMap<TimedDevice> devices;
  /// The numbers of shared links, by their names.
  std::map<std::string, int64_t> sharedLinks;
};
} // namespace

CommandTimes::CommandTimes(EntryOp entry, const Topology &topology)
    : topology(topology) {
  ArrayRef<int64_t> threads = entry.getThreads();
  for (auto [number, text] :
       llvm::enumerate(entry.getDevices().getAsValueRange<StringAttr>())) {
    StatusOr<DeviceName> name = parseDeviceName(text);
    if (!name.isOk())
      continue;
    DeviceDesc device;
    if (auto at = topology.indexOf(*name))
      device = topology.devices[*at];
    device.name = *name;
    if (number < threads.size())
      device.threads = static_cast<uint32_t>(threads[number]);
    devices[text] = {*name, analysis::ratesOf(device)};
    if (entry.getSpace(text).empty())
      devices.try_emplace("", devices[text]);
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

static StringRef deviceOf(Value buffer) {
  return cast<BufferOpInterface>(buffer.getDefiningOp()).getDevice();
}

DeviceName CommandTimes::nameOf(Value buffer) const {
  return devices.lookup(deviceOf(buffer)).name;
}

/// A copy inside of one memory reads and writes it.
double CommandTimes::secondsOf(CopyOp copy, const TimedDevice &device) const {
  const auto bytes = static_cast<double>(copy.getBytes());
  if (copy.getBytes() == 0)
    return 0;
  auto entry = copy->getParentOfType<EntryOp>();
  if (entry.getSpace(deviceOf(copy.getFrom())) ==
      entry.getSpace(deviceOf(copy.getTo())))
    return 2 * bytes / device.rates.bytesPerSecond;
  return analysis::predictCopySeconds(
      analysis::linkRates(topology, nameOf(copy.getFrom()),
                          nameOf(copy.getTo())),
      bytes);
}

void CommandTimes::predict(LaunchOp launch, const TimedDevice &device) const {
  launch.setPredictedNs(analysis::toNs(secondsOf(launch, device)));
}

void CommandTimes::predict(CopyOp copy, const TimedDevice &device) const {
  copy.setPredictedNs(analysis::toNs(secondsOf(copy, device)));
  const LinkDesc *link = copy.getBytes() ? topology.link(nameOf(copy.getFrom()),
                                                         nameOf(copy.getTo()))
                                         : nullptr;
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

void PredictTimes::runOnOperation() {
  EntryOp entry = getOperation();
  Topology described;
  if (!topology.empty()) {
    StatusOr<Topology> read = readTopology(topology);
    if (!read.isOk()) {
      entry.emitError(StringRef(read.status().message()));
      return signalPassFailure();
    }
    described = *std::move(read);
  }
  const CommandTimes times(entry, described);
  if (!all && !times.areWanted())
    return;
  for (ProgramOp program : entry.getBlock().getOps<ProgramOp>())
    times.predict(program);
}
