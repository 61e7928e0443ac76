//===- CpuDevice.cpp - Shares of the machine's cores -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "../Host/HostDevice.h"
#include "../Host/HostMemory.h"
#include "CpuDriver.h"
#include "CpuFeatures.h"
#include "CpuTopology.h"
#include "weir/Runtime/KernelTable.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <new>
#include <omp.h>
#include <sched.h>
#include <thread>

using namespace weir;

namespace {

/// Enough to bridge the gap between two short steps, too little to be noticed
/// on a machine that has other work.
constexpr int spinsOfOwnCores = 2000;

// ThreadSanitizer does not see the barrier at the end of a region.
#if defined(__SANITIZE_THREAD__)
constexpr bool mayFork = false;
#else
constexpr bool mayFork = true;
#endif

void pinThread(std::span<const int> processors) {
  if (processors.empty())
    return;
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

/// Puts the calling thread, number `thread` of the team, where it belongs. It
/// may have inherited a narrower mask than the device has.
void settleThread(const CoreShare &share, size_t thread) {
  const std::span<const int> processors = share.processors;
  pinThread(share.isPinned ? processors.subspan(thread, 1) : processors);
}

/// Ok if `count` more threads can be had. OpenMP ends the process where one
/// cannot, so it is asked only when they have been there a moment ago.
Status probeThreads(int count) {
  std::vector<std::thread> threads;
  std::atomic<bool> mayEnd{false};
  Status status;
  try {
    for (int i = 0; i < count; ++i)
      threads.emplace_back([&] { mayEnd.wait(false); });
  } catch (const std::exception &error) {
    status = resourceExhausted(
        fmt::format("cannot start {} threads, only {}: {}; ask for fewer "
                    "threads, or raise the limits of the process",
                    count + 1, threads.size() + 1, error.what()));
  }
  mayEnd = true;
  mayEnd.notify_all();
  for (std::thread &thread : threads)
    thread.join();
  return status;
}

/// Makes the calling thread the master of a team of `share.threads`.
Status startTeam(const CoreShare &share) {
  omp_set_dynamic(0);
  omp_set_num_threads(share.threads);
  settleThread(share, 0);
  if (share.threads == 1)
    return Status::ok();
  WEIR_RETURN_IF_ERROR(probeThreads(share.threads - 1));
  std::atomic<int> teamSize{0};
#pragma omp parallel num_threads(share.threads)
  {
    settleThread(share, static_cast<size_t>(omp_get_thread_num()));
    ++teamSize;
  }
  if (teamSize == share.threads)
    return Status::ok();
  // Kernels are prepared for the size of the team, and so are their bits.
  return unavailable(
      fmt::format("expected a team of {} threads, OpenMP gives {}; unset "
                  "OMP_THREAD_LIMIT and OMP_MAX_ACTIVE_LEVELS, or ask for "
                  "fewer threads",
                  share.threads, teamSize.load()));
}

HostQueueOptions computeQueue(const DeviceInfo &info, const CoreShare &share) {
  return {info.name, share.isCrowded ? 0 : spinsOfOwnCores,
          [share] { return startTeam(share); }};
}

/// Copies may use any core of the device: they are short and must not wait for
/// a kernel.
HostQueueOptions copyQueue(const DeviceInfo &info, const CoreShare &share) {
  return {info.name, 0, [share] {
            pinThread(share.processors);
            return Status::ok();
          }};
}

/// An exception that left the thread of a queue would end the process.
StatusOr<std::unique_ptr<Kernel>> prepareSafely(const KernelTableEntry &row,
                                                const KernelSpec &spec,
                                                PrepareContext &context) {
  try {
    return row.prepare(spec, context);
  } catch (const std::bad_alloc &) {
    return resourceExhausted("out of memory while a kernel was prepared");
  } catch (const std::exception &error) {
    return internalError(
        fmt::format("an exception in prepare: {}", error.what()));
  } catch (...) {
    return internalError("an unknown exception in prepare");
  }
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
    queue->call([&] { kernel = prepareSafely(*row, spec, context); });
    return kernel;
  }

private:
  /// Every thread of the team has an even share near itself.
  void placePages(std::span<std::byte> memory) const override {
    constexpr size_t chunkBytes = size_t(2) << 20;
    const size_t numChunks = (memory.size() + chunkBytes - 1) / chunkBytes;
#pragma omp parallel for schedule(static) if (mayFork && numChunks > 1)
    for (size_t i = 0; i < numChunks; ++i)
      touchPages(
          memory.subspan(i * chunkBytes,
                         std::min(chunkBytes, memory.size() - i * chunkBytes)));
  }

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
