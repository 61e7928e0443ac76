//===- ModelPlans.cpp - The plans of a model and their kernels ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ModelPlans.h"

#include "PlanLoader.h"
#include "SharedScratch.h"

#include <algorithm>
#include <utility>

using namespace weir;

StatusOr<ModelPlans>
weir::loadPlans(const artifact::Artifact &artifact,
                const artifact::Variant &variant, const ModelDevices &devices,
                ParameterMemory &parameters, const ModelMemory &memory,
                SharedWeights *weights, const SessionOptions &options) {
  ModelPlans loaded;
  loaded.kernels =
      std::make_unique<KernelCache>(variant, artifact, parameters, weights);
  const PlanSources sources{
      artifact,           variant,         devices, memory, *loaded.kernels,
      loaded.readInPlace, options.observer};
  for (const artifact::Entry *entry : *variant.entries()) {
    auto plan = std::make_unique<Plan>();
    plan->index = loaded.plans.size();
    if (entry->num_groups())
      plan->groupsOfDevices.assign(entry->num_groups()->begin(),
                                   entry->num_groups()->end());
    WEIR_RETURN_IF_ERROR(loadPlan(sources, *entry, *plan));
    for (PlanProgram &program : plan->programs)
      program.list.checkNumerics = options.checkNumerics;
    loaded.plans.push_back(std::move(plan));
  }
  for (const auto &[blob, device] : loaded.readInPlace)
    WEIR_RETURN_IF_ERROR(parameters.readInPlace(blob));
  parameters.finish();
  return loaded;
}

ModelWorkspaces::~ModelWorkspaces() {
  if (devices.isSomeGivenUp())
    for (const std::shared_ptr<DeviceMemory> &each : memory)
      stopSharing(each);
}

/// A device and the role of a queue there.
using DeviceQueueKey = std::pair<size_t, QueueRole>;

/// The bytes of the largest workspace on each queue.
static std::map<DeviceQueueKey, size_t>
sizeWorkspaces(std::span<const std::unique_ptr<Plan>> plans) {
  std::map<DeviceQueueKey, size_t> largest;
  for (const std::unique_ptr<Plan> &plan : plans)
    for (const PlanProgram &program : plan->programs)
      for (const Step &step : program.steps)
        if (step.kind == StepKind::Launch) {
          size_t &bytes = largest[{program.device, program.role}];
          bytes = std::max(bytes, step.kernel->workspaceBytes());
        }
  return largest;
}

StatusOr<ModelWorkspaces>
weir::allocateWorkspaces(std::span<const std::unique_ptr<Plan>> plans,
                         const ModelDevices &devices) {
  ModelWorkspaces workspaces(devices);
  std::map<DeviceQueueKey, void *> places;
  for (const auto &[queue, bytes] : sizeWorkspaces(plans)) {
    if (bytes == 0)
      continue;
    auto memory = shareScratch(devices[queue.first], queue.second,
                               ScratchUse::Workspace, bytes);
    if (!memory)
      return std::move(memory).status().withContext(
          "cannot allocate workspace");
    places[queue] = (*memory)->data();
    workspaces.memory.push_back(*std::move(memory));
    workspaces.bytes[queue.first] += bytes;
  }
  for (const std::unique_ptr<Plan> &plan : plans)
    for (PlanProgram &program : plan->programs)
      if (const auto at = places.find({program.device, program.role});
          at != places.end())
        program.list.workspace = at->second;
  return workspaces;
}
