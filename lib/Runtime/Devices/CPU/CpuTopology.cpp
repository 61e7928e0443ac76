//===- CpuTopology.cpp - The cores this process may use -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CpuTopology.h"

#include "../../OpenMP/OpenMPLibrary.h"
#include "ProcessorMask.h"

#include "weir/Support/CgroupLimits.h"
#include "weir/Support/Counted.h"
#include "weir/Support/ProcessorList.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwloc.h>
#include <map>
#include <memory>
#include <set>
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

/// The processors that this process may use: the processors of its main thread
/// and of OpenMP's places. The mask of the calling thread may be narrower, for
/// example if it drives a device itself. OMP_PROC_BIND narrows the mask of the
/// main thread before it can be read, but the places keep the original mask.
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

/// The elements of `cores` by NUMA node. Nodes without such elements are left
/// out.
std::map<int, std::vector<int>> coresOfNodes(hwloc_topology_t topology,
                                             const std::vector<int> &cores) {
  std::map<int, std::vector<int>> nodes;
  const int numNodes = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
  for (int i = 0; i < numNodes; ++i) {
    const hwloc_obj_t node =
        hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, i);
    for (const int core : cores)
      if (hwloc_bitmap_isset(node->cpuset, static_cast<unsigned>(core)))
        nodes[static_cast<int>(node->os_index)].push_back(core);
  }
  return nodes;
}

std::vector<int> allProcessors(const AllowedProcessors &allowed) {
  std::vector<int> processors;
  for (int i = 0; i < sysconf(_SC_NPROCESSORS_CONF); ++i)
    if (allowed.contains(i))
      processors.push_back(i);
  return processors;
}

} // namespace

CpuTopology weir::detectCpuTopology(const std::string &root) {
  CpuTopology found;
  const AllowedProcessors allowed;
  if (TopologyPtr topology = loadTopology()) {
    found.cores = usableCores(topology.get(), allowed);
    found.nodes = coresOfNodes(topology.get(), found.cores);
    const hwloc_obj_t package =
        hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PACKAGE, 0);
    const char *model =
        package ? hwloc_obj_get_info_by_name(package, "CPUModel") : nullptr;
    found.model = model ? model : "";
  }
  found.processors = allProcessors(allowed);
  // Some virtual machines report no cores.
  if (found.cores.empty())
    found.cores = found.processors;

  const CgroupLimits limits = readCgroupLimits(root);
  found.numBusyCores = found.cores.size();
  if (limits.processors > 0)
    found.numBusyCores = std::clamp<size_t>(
        static_cast<size_t>(limits.processors), 1, found.cores.size());
  found.memoryBytes = usableMemory(limits);
  return found;
}

static std::string listNumbers(std::span<const int> numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

static StatusOr<std::vector<int>> coresOfNode(const CpuTopology &topology,
                                              int number) {
  if (const auto node = topology.nodes.find(number);
      node != topology.nodes.end())
    return node->second;
  std::vector<int> known;
  for (const auto &[each, cores] : topology.nodes)
    known.push_back(each);
  return invalidArgument(fmt::format(
      "expected a NUMA node that this process may use ({}), found {}",
      listNumbers(known), number));
}

StatusOr<std::vector<int>>
weir::findBoundProcessors(const CpuTopology &topology,
                          const DeviceRequest &request) {
  const auto cores = request.options.find("cores");
  const auto node = request.options.find("numa_node");
  if (cores != request.options.end() && node != request.options.end())
    return invalidArgument("expected only one of cores and numa_node");
  std::vector<int> chosen;
  if (cores != request.options.end()) {
    chosen = parseProcessorList(cores->second).value_or(std::vector<int>());
  } else if (node != request.options.end()) {
    const auto numbers = parseProcessorList(node->second);
    WEIR_ASSIGN_OR_RETURN(
        chosen, coresOfNode(topology, numbers ? numbers->front() : -1));
  }
  for (const int processor : chosen)
    if (!std::ranges::binary_search(topology.processors, processor))
      return invalidArgument(fmt::format(
          "expected processors that this process may use ({}), found {}",
          listNumbers(topology.processors), processor));
  return chosen;
}

/// The NUMA node that has all of `processors`, if the machine has several
/// nodes; else -1.
static int nodeOf(const CpuTopology &topology,
                  std::span<const int> processors) {
  for (const auto &[number, cores] : topology.nodes)
    if (topology.nodes.size() > 1 && !processors.empty() &&
        std::ranges::all_of(processors, [&](int processor) {
          return std::ranges::find(cores, processor) != cores.end();
        }))
      return number;
  return -1;
}

static constexpr const char *sharedCores =
    "another device has some of its cores, too";

/// Fills in the share of each device in `bound`: its processors, its threads
/// and its remark.
static void shareBound(const CpuTopology &topology,
                       std::span<const DeviceRequest> requests,
                       std::span<const std::vector<int>> bound,
                       std::span<CoreShare> shares) {
  std::map<int, size_t> numUsers;
  size_t total = 0;
  for (size_t i = 0; i < bound.size(); ++i) {
    CoreShare &share = shares[i];
    share.isBound = !bound[i].empty();
    share.processors = bound[i];
    share.node = nodeOf(topology, bound[i]);
    share.threads = requests[i].threads > 0 ? requests[i].threads
                                            : static_cast<int>(bound[i].size());
    for (const int processor : bound[i])
      total += numUsers[processor]++ == 0;
  }
  for (size_t i = 0; i < bound.size(); ++i) {
    CoreShare &share = shares[i];
    if (!share.isBound)
      continue;
    const auto threads = static_cast<size_t>(share.threads);
    const bool isShared = std::ranges::any_of(
        bound[i], [&](int processor) { return numUsers[processor] > 1; });
    share.isPinned = requests[i].mayPin && threads == bound[i].size();
    share.isCrowded = isShared || threads > bound[i].size();
    share.leavesCores = total < topology.numBusyCores;
    if (isShared)
      share.note = sharedCores;
    else if (share.isCrowded)
      share.note = fmt::format("{} threads share {}", threads,
                               counted(bound[i].size(), "core"));
  }
}

/// Divides `cores`, of which `numBusy` can be busy all the time, between the
/// devices of `requests` whose shares are not bound.
static void shareEvenly(std::span<const int> cores, size_t numBusy,
                        std::span<const DeviceRequest> requests,
                        std::span<CoreShare> shares) {
  size_t numDevices = 0, total = 0;
  for (const CoreShare &share : shares)
    numDevices += !share.isBound;
  const size_t even = numBusy / std::max<size_t>(numDevices, 1);
  bool mayPin = true;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (shares[i].isBound)
      continue;
    const int asked = requests[i].threads;
    shares[i].threads =
        asked > 0 ? asked : static_cast<int>(std::max<size_t>(even, 1));
    total += static_cast<size_t>(shares[i].threads);
    mayPin &= requests[i].mayPin;
  }
  const bool pins = mayPin && total == cores.size();
  size_t next = 0;
  for (CoreShare &share : shares) {
    if (share.isBound)
      continue;
    const auto count = static_cast<size_t>(share.threads);
    const auto own = pins ? cores.subspan(next, count) : cores;
    share.processors.assign(own.begin(), own.end());
    share.isPinned = pins;
    next += count;
    share.isCrowded = total > numBusy;
    share.leavesCores = total < numBusy;
    if (share.isCrowded)
      share.note =
          fmt::format("{} threads on {} share {}", total,
                      counted(numDevices, "device"), counted(numBusy, "core"));
  }
}

StatusOr<std::vector<CoreShare>>
weir::splitCores(const CpuTopology &topology,
                 std::span<const DeviceRequest> requests) {
  std::vector<std::vector<int>> bound;
  std::set<int> taken;
  for (const DeviceRequest &request : requests) {
    auto found = findBoundProcessors(topology, request);
    if (!found)
      return std::move(found).status().withContext(request.name);
    bound.push_back(*std::move(found));
    taken.insert(bound.back().begin(), bound.back().end());
  }
  std::vector<CoreShare> shares(requests.size());
  shareBound(topology, requests, bound, shares);
  std::vector<int> rest;
  for (const int core : topology.cores)
    if (!taken.contains(core))
      rest.push_back(core);
  if (!rest.empty()) {
    shareEvenly(rest, std::min(topology.numBusyCores, rest.size()), requests,
                shares);
    return shares;
  }
  // Bound devices have all cores, so the other devices have to share these
  // cores.
  shareEvenly(topology.cores, topology.numBusyCores, requests, shares);
  const auto isBound = [](const CoreShare &share) { return share.isBound; };
  if (std::ranges::all_of(shares, isBound))
    return shares;
  for (CoreShare &share : shares) {
    share.isCrowded = true;
    share.note = share.isBound ? sharedCores
                               : "devices that are bound have its cores, too";
  }
  return shares;
}
