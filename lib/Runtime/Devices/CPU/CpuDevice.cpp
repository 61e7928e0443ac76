//===- CpuDevice.cpp - Shares of the machine's cores -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "../../OpenMP/OpenMPLibrary.h"
#include "../../OpenMP/Team.h"
#include "../Host/HostMemory.h"
#include "../Host/TeamUse.h"
#include "../OptionCheck.h"
#include "CpuDriver.h"
#include "CpuFeatures.h"
#include "CpuTopology.h"
#include "TeamChoice.h"
#include "TeamLease.h"
#include "ThreadTeam.h"
#include "weir/Runtime/Guarded.h"
#include "weir/Runtime/HostDevice.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

using namespace weir;

namespace {

/// The number of polls before a thread sleeps. They bridge the gap between two
/// short steps, but hardly disturb other work of the machine.
constexpr int spinsOfOwnCores = 2000;

/// Lets threads do without their teams while a team is slower than one thread.
/// If a list has a kernel that cannot do without its team, the threads of the
/// team wait briefly instead.
class MeasuredUse final : public TeamUse {
public:
  bool isAlone(const CommandList &list) override {
    return list.mayRunAlone && isSlow(list);
  }
  void begin(const CommandList &list) override {
    const bool slow = isSlow(list);
    if (slow && list.mayRunAlone)
      alone.emplace();
    else if (slow)
      waitBriefly();
    else if (waits && --runsLeft == 0)
      waits.reset();
  }
  void end(const CommandList &list, std::optional<uint64_t> ns) override {
    alone.reset();
    if (TeamChoice *choice = choiceOf(list); choice && ns)
      choice->add(*ns);
  }

private:
  /// After this many runs of other lists, threads no longer wait briefly. To
  /// change how they wait takes as long as a short run.
  static constexpr int runsKept = 64;

  void waitBriefly() {
    if (!waits)
      waits.emplace();
    runsLeft = runsKept;
  }
  /// The choice for the list; null if there is no memory for one.
  static TeamChoice *choiceOf(const CommandList &list) {
    if (!list.derived)
      (void)guarded("a choice", [&] {
        list.derived = std::make_shared<TeamChoice>();
        return Status::ok();
      });
    return static_cast<TeamChoice *>(list.derived.get());
  }
  static bool isSlow(const CommandList &list) {
    const TeamChoice *choice = choiceOf(list);
    return choice && choice->isAlone();
  }

  std::optional<WithoutTeam> alone;
  std::optional<BriefWaits> waits;
  int runsLeft = 0;
};

HostQueueOptions computeQueue(const DeviceInfo &info, const CoreShare &share,
                              std::shared_ptr<StepHook> hook) {
  auto lease = std::make_shared<TeamLease>(share);
  HostQueueOptions options;
  options.deviceName = info.name;
  options.spins = share.isCrowded ? 0 : spinsOfOwnCores;
  options.spinsForWork = share.leavesCores ? spinsOfOwnCores : 0;
  options.onStart = [lease] { return lease->startDriver(); };
  options.onWork = [lease] { return lease->beginWork(); };
  options.hook = std::move(hook);
  if (share.threads > 1 && hasLevelsPerThread())
    options.teamUse = std::make_shared<MeasuredUse>();
  options.team = std::move(lease);
  return options;
}

/// The options of a queue for copies. Copies may use any core of the device,
/// because they are short and must not wait for a kernel.
HostQueueOptions copyQueue(const DeviceInfo &info, const CoreShare &share,
                           std::shared_ptr<StepHook> hook) {
  HostQueueOptions options;
  options.deviceName = info.name;
  options.onStart = [share] {
    pinThread(share.processors);
    return Status::ok();
  };
  options.hook = std::move(hook);
  return options;
}

class CpuDevice final : public HostDevice {
public:
  CpuDevice(const DeviceInfo &info, const CoreShare &share, bool isolated,
            std::span<const KernelTableEntry> kernels,
            const std::shared_ptr<StepHook> &hook)
      : HostDevice(info, computeQueue(info, share, hook),
                   copyQueue(info, share, hook)),
        isolated(isolated), node(share.node), kernels(kernels) {}

  std::string packingKey() const override {
    if (isolated)
      return {};
    // Each NUMA node has packed operands of its own.
    return fmt::format("{}/{}/{}", info().kind, info().threads, node);
  }

  StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &spec,
                                            PrepareContext &context) override {
    // oneDNN looks at the size of the calling thread's team.
    return prepareFrom(kernels, spec, context);
  }

private:
  /// Lets each thread of the team touch an even share of adjacent pages. So
  /// these pages are in that thread's part of the machine.
  void placePages(std::span<std::byte> memory) const override {
    constexpr size_t chunkBytes = size_t(2) << 20;
    const size_t numChunks = (memory.size() + chunkBytes - 1) / chunkBytes;
    parallelFor(static_cast<int64_t>(numChunks), [&](int64_t chunk) {
      const size_t first = static_cast<size_t>(chunk) * chunkBytes;
      touchPages(
          memory.subspan(first, std::min(chunkBytes, memory.size() - first)));
    });
  }

  bool isolated;
  int node;
  std::span<const KernelTableEntry> kernels;
};

} // namespace

DeviceInfo CpuDriver::describe(const CpuTopology &topology) const {
  DeviceInfo info;
  info.name = kind + ":0";
  info.kind = kind;
  info.threads = static_cast<int>(topology.numBusyCores);
  info.memoryBytes = topology.memoryBytes;
  info.description = topology.model;
  return info;
}

std::vector<DeviceInfo> CpuDriver::detect() const {
  return {describe(detectCpuTopology())};
}

bool CpuDriver::hasFeature(std::string_view name) const {
  return hasCpuFeature(name);
}

Status CpuDriver::canOpen(std::span<const DeviceRequest>) const {
  return Status::ok();
}

Status CpuDriver::checkOptions(const DeviceRequest &request) const {
  // Only `open` compares the options with this machine. The names of the
  // devices do not matter here.
  return checkOptionsOf(DeviceKind::CPU, request);
}

std::vector<DeviceRequest>
CpuDriver::resolve(std::span<const DeviceRequest> requests) const {
  const StatusOr<std::vector<CoreShare>> shares =
      splitCores(detectCpuTopology(), requests);
  std::vector<DeviceRequest> resolved(requests.begin(), requests.end());
  for (size_t i = 0; shares.isOk() && i < requests.size(); ++i) {
    resolved[i].threads = (*shares)[i].threads;
    resolved[i].mayPin = (*shares)[i].isPinned;
  }
  return resolved;
}

StatusOr<std::vector<std::unique_ptr<Device>>>
CpuDriver::open(std::span<const DeviceRequest> requests) const {
  const CpuTopology topology = detectCpuTopology();
  WEIR_ASSIGN_OR_RETURN(const std::vector<CoreShare> shares,
                        splitCores(topology, requests));
  std::vector<std::unique_ptr<Device>> devices;
  for (size_t i = 0; i < requests.size(); ++i) {
    DeviceInfo info = describe(topology);
    info.name = requests[i].name;
    info.threads = shares[i].threads;
    info.processors = shares[i].processors;
    if (!shares[i].note.empty())
      info.addNote({"shared-cores", shares[i].note});
    devices.push_back(std::make_unique<CpuDevice>(
        info, shares[i], requests[i].isolated, kernels,
        hookOf ? hookOf(requests[i]) : nullptr));
  }
  return devices;
}

std::unique_ptr<DeviceDriver> weir::makeCpuDriver(
    std::string name, std::span<const KernelTableEntry> kernels,
    std::function<std::shared_ptr<StepHook>(const DeviceRequest &)> hookOf) {
  return std::make_unique<CpuDriver>(std::move(name), kernels,
                                     std::move(hookOf));
}
