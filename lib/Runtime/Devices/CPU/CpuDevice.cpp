//===- CpuDevice.cpp - Shares of the machine's cores -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "../Host/HostDevice.h"
#include "CpuDriver.h"
#include "CpuFeatures.h"
#include "CpuTopology.h"
#include "weir/Runtime/KernelTable.h"

#include <fmt/format.h>
#include <omp.h>
#include <sched.h>

using namespace weir;

namespace {

/// Enough to bridge the gap between two short steps, too little to be noticed
/// on a machine that has other work.
constexpr int spinsOfOwnCores = 2000;

void pinThread(std::span<const int> processors) {
  constexpr int maxProcessors = 4096;
  cpu_set_t *mask = CPU_ALLOC(maxProcessors);
  const size_t maskBytes = CPU_ALLOC_SIZE(maxProcessors);
  CPU_ZERO_S(maskBytes, mask);
  for (int processor : processors)
    CPU_SET_S(processor, maskBytes, mask);
  // Where the system refuses, the device works as well, only less evenly.
  (void)sched_setaffinity(0, maskBytes, mask);
  CPU_FREE(mask);
}

/// Makes the calling thread the master of a team of `share.threads`.
void startTeam(const CoreShare &share) {
  omp_set_dynamic(0);
  omp_set_num_threads(share.threads);
  if (share.processors.empty())
    return;
  pinThread(std::span(share.processors).first(1));
  if (share.threads == 1)
    return;
#pragma omp parallel num_threads(share.threads)
  {
    const auto thread = static_cast<size_t>(omp_get_thread_num());
    pinThread(std::span(share.processors).subspan(thread, 1));
  }
}

HostQueueOptions computeQueue(const DeviceInfo &info, const CoreShare &share) {
  return {info.name, share.processors.empty() ? 0 : spinsOfOwnCores,
          [share] { startTeam(share); }};
}

/// Copies may use any core of the device: they are short and must not wait for
/// a kernel.
HostQueueOptions copyQueue(const DeviceInfo &info, const CoreShare &share) {
  return {info.name, 0, [share] {
            if (!share.processors.empty())
              pinThread(share.processors);
          }};
}

class CpuDevice final : public HostDevice {
public:
  CpuDevice(const DeviceInfo &info, const CoreShare &share, bool isolated,
            std::span<const KernelTableEntry> kernels)
      : HostDevice(info, computeQueue(info, share), copyQueue(info, share)),
        isolated(isolated), kernels(kernels) {}

  std::string packingKey() const override {
    return isolated ? std::string()
                    : fmt::format("{}/{}", info().kind, info().threads);
  }

  StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &spec,
                                            PrepareContext &context) override {
    const KernelTableEntry *row = findKernel(kernels, spec.name);
    if (!row)
      return unimplemented(
          fmt::format("{} devices of this build have no kernel '{}'",
                      info().kind, spec.name));
    // The vendor library looks at the team of the thread that calls it.
    WEIR_ASSIGN_OR_RETURN(HostQueue * queue, hostQueue(0));
    StatusOr<std::unique_ptr<Kernel>> kernel = internalError("not prepared");
    queue->call([&] { kernel = row->prepare(spec, context); });
    return kernel;
  }

private:
  bool isolated;
  std::span<const KernelTableEntry> kernels;
};

} // namespace

DeviceInfo CpuDriver::describe(const CpuTopology &topology) const {
  DeviceInfo info;
  info.name = kind + ":0";
  info.kind = kind;
  info.threads = static_cast<int>(topology.cores.size());
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

StatusOr<std::vector<std::unique_ptr<Device>>>
CpuDriver::open(std::span<const DeviceRequest> requests) const {
  const CpuTopology topology = detectCpuTopology();
  const std::vector<CoreShare> shares = splitCores(topology.cores, requests);
  std::vector<std::unique_ptr<Device>> devices;
  for (size_t i = 0; i < requests.size(); ++i) {
    DeviceInfo info = describe(topology);
    info.name = requests[i].name;
    info.threads = shares[i].threads;
    info.note = shares[i].note;
    devices.push_back(std::make_unique<CpuDevice>(
        info, shares[i], requests[i].isolated, kernels));
  }
  return devices;
}

std::unique_ptr<DeviceDriver>
weir::makeCpuDriver(std::string name,
                    std::span<const KernelTableEntry> kernels) {
  return std::make_unique<CpuDriver>(std::move(name), kernels);
}
