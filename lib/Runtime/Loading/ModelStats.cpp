//===- ModelStats.cpp - What a loaded model has on its devices ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ModelStats.h"

#include "DeviceNotes.h"
#include "DeviceRequests.h"
#include "weir/Support/Alignment.h"

#include <utility>

using namespace weir;

void weir::countWeights(const WeightSources &sources,
                        std::span<DeviceStats> stats) {
  for (size_t i = 0; i < stats.size(); ++i) {
    const PackedOperands::Bytes packed =
        sources.plans.kernels->packedBytes(sources.devices[i]);
    stats[i].packedBytes = packed.all - packed.countedElsewhere;
    stats[i].inPlaceBytes = 0;
    stats[i].sharedBytes = packed.countedElsewhere;
  }
  for (const auto &[blob, device] : sources.plans.readInPlace) {
    const uint64_t bytes = alignTo(sources.model.blobs()->Get(blob)->bytes(),
                                   deviceMemoryAlignment);
    DeviceStats &to = stats[device];
    (sources.parameters.isCounted(blob) ? to.inPlaceBytes : to.sharedBytes) +=
        bytes;
  }
}

/// The plan of the session's own entry, or else the first one.
static const Plan &defaultPlan(const ChosenVariant &chosen,
                               const ModelPlans &loaded) {
  for (const std::unique_ptr<Plan> &plan : loaded.plans)
    if (chosen.defaultEntry && plan->name == *chosen.defaultEntry)
      return *plan;
  return *loaded.plans.front();
}

std::vector<DeviceStats>
weir::describeDevices(const ChosenVariant &chosen, const WeightSources &sources,
                      const ModelMemory &memory,
                      const ModelWorkspaces &workspaces,
                      const SessionOptions &options) {
  const ModelPlans &loaded = sources.plans;
  const std::vector<uint64_t> &groups =
      defaultPlan(chosen, loaded).groupsOfDevices;
  std::vector<DeviceStats> stats(chosen.requests.size());
  for (size_t i = 0; i < stats.size(); ++i) {
    const Device &device = sources.devices[i];
    const ModelMemory::Bytes &bytes = memory.bytesOn(i);
    stats[i].info = device.info();
    if (DeviceInfo &info = stats[i].info; info.notes.empty())
      if (const std::string note = std::exchange(info.note, {}); !note.empty())
        info.addNote({"device", note});
    stats[i].isolated = chosen.requests[i].isolated;
    stats[i].groups = i < groups.size() ? groups[i] : 0;
    stats[i].plannedBytes = stats[i].allocatedBytes = bytes.arenas;
    stats[i].lowerBoundBytes = bytes.lowerBound;
    stats[i].workspaceBytes = workspaces.bytes[i];
    stats[i].parameterBytes = bytes.parameters;
    stats[i].memoryCap =
        chosen.variant->devices()->Get(static_cast<uint32_t>(i))->memory_cap();
    stats[i].kernels = loaded.kernels->numKernels(device);
  }
  countWeights(sources, stats);
  noteDevices(loaded.plans, chosen.requests, stats);
  noteTuning(loaded.plans, devicesToTune(chosen.requests, options), stats);
  noteVariant(chosen.lacking, stats);
  noteRunsInFlight(static_cast<size_t>(options.inFlight),
                   compiledFrames(*chosen.variant), stats);
  return stats;
}
