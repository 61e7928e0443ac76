//===- CpuTopology.cpp - The cores this process may use -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CpuTopology.h"

#include "CgroupLimits.h"

#include <algorithm>
#include <fmt/format.h>
#include <hwloc.h>
#include <memory>
#include <sched.h>
#include <thread>
#include <unistd.h>

using namespace weir;

namespace {

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const {
    hwloc_topology_destroy(topology);
  }
};
using TopologyPtr =
    std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, DestroyTopology>;

TopologyPtr loadTopology() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0)
    return nullptr;
  TopologyPtr owner(topology);
  return hwloc_topology_load(topology) == 0 ? std::move(owner) : nullptr;
}

/// The affinity mask of the process. The mask of the calling thread may be
/// narrower, for instance when it drives a device itself.
bool mayUse(int processor) {
  static const size_t maskBytes = CPU_ALLOC_SIZE(4096);
  cpu_set_t *mask = CPU_ALLOC(4096);
  const bool known = sched_getaffinity(getpid(), maskBytes, mask) == 0;
  const bool allowed = !known || CPU_ISSET_S(processor, maskBytes, mask);
  CPU_FREE(mask);
  return allowed;
}

/// The first usable processor of each core, in the order of the topology.
std::vector<int> usableCores(hwloc_topology_t topology) {
  std::vector<int> cores;
  const int numCores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
  for (int i = 0; i < numCores; ++i) {
    const hwloc_obj_t core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, i);
    for (int pu = hwloc_bitmap_first(core->cpuset); pu >= 0;
         pu = hwloc_bitmap_next(core->cpuset, pu))
      if (mayUse(pu)) {
        cores.push_back(pu);
        break;
      }
  }
  return cores;
}

std::vector<int> allProcessors() {
  std::vector<int> processors;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
    if (mayUse(static_cast<int>(i)))
      processors.push_back(static_cast<int>(i));
  return processors;
}

uint64_t physicalMemory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

} // namespace

CpuTopology weir::detectCpuTopology() {
  CpuTopology found;
  if (TopologyPtr topology = loadTopology()) {
    found.cores = usableCores(topology.get());
    const hwloc_obj_t package =
        hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PACKAGE, 0);
    const char *model =
        package ? hwloc_obj_get_info_by_name(package, "CPUModel") : nullptr;
    found.model = model ? model : "";
  }
  // Some virtual machines show no cores.
  if (found.cores.empty())
    found.cores = allProcessors();

  const CgroupLimits limits = readCgroupLimits();
  if (limits.processors > 0) {
    const auto paid =
        std::max<size_t>(1, static_cast<size_t>(limits.processors));
    found.cores.resize(std::min(found.cores.size(), paid));
  }
  found.memoryBytes = physicalMemory();
  if (limits.memoryBytes)
    found.memoryBytes = std::min(found.memoryBytes, limits.memoryBytes);
  return found;
}

std::vector<CoreShare>
weir::splitCores(std::span<const int> cores,
                 std::span<const DeviceRequest> requests) {
  const size_t numCores = std::max<size_t>(cores.size(), 1);
  const size_t even = std::max<size_t>(numCores / requests.size(), 1);
  std::vector<CoreShare> shares(requests.size());
  size_t total = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    const int asked = requests[i].threads;
    shares[i].threads = asked > 0 ? asked : static_cast<int>(even);
    total += static_cast<size_t>(shares[i].threads);
  }
  size_t next = 0;
  for (CoreShare &share : shares) {
    if (total > numCores) {
      share.note = fmt::format("{} threads on {} devices share {} cores", total,
                               requests.size(), numCores);
      continue;
    }
    for (int i = 0; i < share.threads && next < cores.size(); ++i)
      share.processors.push_back(cores[next++]);
  }
  return shares;
}
