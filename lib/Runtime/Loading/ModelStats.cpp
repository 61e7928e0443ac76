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
                        std::span<DeviceHeld> held) {
  for (size_t i = 0; i < held.size(); ++i) {
    const PackedOperands::Bytes packed =
        sources.plans.kernels->packedBytes(sources.devices[i]);
    held[i].packedBytes = packed.all - packed.countedElsewhere;
    held[i].inPlaceBytes = 0;
    held[i].sharedBytes = packed.countedElsewhere;
  }
  for (const auto &[blob, device] : sources.plans.readInPlace) {
    const uint64_t bytes = alignTo(sources.model.blobs()->Get(blob)->bytes(),
                                   deviceMemoryAlignment);
    DeviceHeld &to = held[device];
    (sources.parameters.isCounted(blob) ? to.inPlaceBytes : to.sharedBytes) +=
        bytes;
  }
}

/// The plan of the session's own entry; without such an entry, the first plan.
static const Plan &defaultPlan(const ChosenVariant &chosen,
                               const ModelPlans &loaded) {
  for (const std::unique_ptr<Plan> &plan : loaded.plans)
    if (chosen.defaultEntry && plan->name == *chosen.defaultEntry)
      return *plan;
  return *loaded.plans.front();
}

std::vector<DeviceHeld> weir::describeDevices(const ChosenVariant &chosen,
                                              const WeightSources &sources,
                                              const ModelMemory &memory,
                                              const ModelWorkspaces &workspaces,
                                              const SessionOptions &options) {
  const ModelPlans &loaded = sources.plans;
  const std::vector<uint64_t> &groups =
      defaultPlan(chosen, loaded).groupsOfDevices;
  std::vector<DeviceHeld> held(chosen.requests.size());
  for (size_t i = 0; i < held.size(); ++i) {
    const Device &device = sources.devices[i];
    const ModelMemory::Bytes &bytes = memory.bytesOn(i);
    held[i].info = device.info();
    if (DeviceInfo &info = held[i].info; info.notes.empty())
      if (const std::string note = std::exchange(info.note, {}); !note.empty())
        info.addNote({"device", note});
    held[i].isolated = chosen.requests[i].isolated;
    held[i].groups = i < groups.size() ? groups[i] : 0;
    held[i].plannedBytes = held[i].allocatedBytes = bytes.arenas;
    held[i].lowerBoundBytes = bytes.lowerBound;
    held[i].workspaceBytes = workspaces.bytes[i];
    held[i].parameterBytes = bytes.parameters;
    held[i].memoryCap =
        chosen.variant->devices()->Get(static_cast<uint32_t>(i))->memory_cap();
    held[i].kernels = loaded.kernels->numKernels(device);
  }
  countWeights(sources, held);
  noteDevices(loaded.plans, chosen.requests, held);
  noteTuning(loaded.plans, devicesToTune(chosen.requests, options), held);
  noteVariant(chosen.lacking, held);
  noteRunsInFlight(static_cast<size_t>(options.inFlight),
                   compiledFrames(*chosen.variant), held);
  return held;
}
