//===- CpuTopology.cpp - The cores this process may use -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CpuTopology.h"

#include "../../OpenMP/OpenMPLibrary.h"
#include "CgroupLimits.h"
#include "ProcessorMask.h"

#include "weir/Support/Counted.h"

#include <algorithm>
#include <fmt/format.h>
#include <hwloc.h>
#include <memory>
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

/// The processors that this process may use: those of its main thread and those
/// of OpenMP's places. The mask of the calling thread may be narrower, for
/// example if it drives a device itself. OMP_PROC_BIND narrows the mask of the
/// main thread before it can be read, but the places keep the original one.
class AllowedProcessors {
public:
  AllowedProcessors() : isKnown(mask.readFrom(getpid())) {
    for (int processor : processorsOfOpenMP())
      mask.add(processor);
  }

  bool contains(int processor) const {
    return !isKnown || mask.contains(processor);
  }

private:
  ProcessorMask mask;
  bool isKnown;
};

/// The first usable processor of each core, in topology order.
std::vector<int> usableCores(hwloc_topology_t topology,
                             const AllowedProcessors &allowed) {
  std::vector<int> cores;
  const int numCores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
  for (int i = 0; i < numCores; ++i) {
    const hwloc_obj_t core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, i);
    for (int pu = hwloc_bitmap_first(core->cpuset); pu >= 0;
         pu = hwloc_bitmap_next(core->cpuset, pu))
      if (allowed.contains(pu)) {
        cores.push_back(pu);
        break;
      }
  }
  return cores;
}

std::vector<int> allProcessors(const AllowedProcessors &allowed) {
  std::vector<int> processors;
  for (int i = 0; i < sysconf(_SC_NPROCESSORS_CONF); ++i)
    if (allowed.contains(i))
      processors.push_back(i);
  return processors;
}

uint64_t physicalMemory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

} // namespace

CpuTopology weir::detectCpuTopology(const std::string &root) {
  CpuTopology found;
  const AllowedProcessors allowed;
  if (TopologyPtr topology = loadTopology()) {
    found.cores = usableCores(topology.get(), allowed);
    const hwloc_obj_t package =
        hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PACKAGE, 0);
    const char *model =
        package ? hwloc_obj_get_info_by_name(package, "CPUModel") : nullptr;
    found.model = model ? model : "";
  }
  // Some virtual machines report no cores.
  if (found.cores.empty())
    found.cores = allProcessors(allowed);

  const CgroupLimits limits = readCgroupLimits(root);
  found.numBusyCores = found.cores.size();
  if (limits.processors > 0)
    found.numBusyCores = std::clamp<size_t>(
        static_cast<size_t>(limits.processors), 1, found.cores.size());
  found.memoryBytes = physicalMemory();
  if (limits.memoryBytes)
    found.memoryBytes = std::min(found.memoryBytes, limits.memoryBytes);
  return found;
}

std::vector<CoreShare>
weir::splitCores(const CpuTopology &topology,
                 std::span<const DeviceRequest> requests) {
  const std::span<const int> cores = topology.cores;
  const size_t numCores = topology.numBusyCores;
  const size_t even = std::max<size_t>(numCores / requests.size(), 1);
  std::vector<CoreShare> shares(requests.size());
  size_t total = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    const int asked = requests[i].threads;
    shares[i].threads = asked > 0 ? asked : static_cast<int>(even);
    total += static_cast<size_t>(shares[i].threads);
  }
  const bool pins =
      total == cores.size() &&
      std::all_of(requests.begin(), requests.end(),
                  [](const DeviceRequest &request) { return request.mayPin; });
  size_t next = 0;
  for (CoreShare &share : shares) {
    const auto count = static_cast<size_t>(share.threads);
    const auto own = pins ? cores.subspan(next, count) : cores;
    share.processors.assign(own.begin(), own.end());
    share.isPinned = pins;
    next += count;
    share.isCrowded = total > numCores;
    share.leavesCores = total < numCores;
    if (share.isCrowded)
      share.note = fmt::format("{} threads on {} share {}", total,
                               counted(requests.size(), "device"),
                               counted(numCores, "core"));
  }
  return shares;
}
