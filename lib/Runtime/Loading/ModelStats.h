//===- ModelStats.h - What a loaded model has on its devices ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_MODELSTATS_H
#define WEIR_LIB_RUNTIME_LOADING_MODELSTATS_H

#include "ChosenVariant.h"
#include "DevicePool.h"
#include "ModelMemory.h"
#include "ModelPlans.h"
#include "weir/Runtime/SessionStats.h"

#include <span>
#include <vector>

namespace weir {

/// The objects that know where the weights of a model are.
struct WeightSources {
  const artifact::Model &model;
  const ModelDevices &devices;
  const ParameterMemory &parameters;
  const ModelPlans &plans;
};

/// Writes to `held`, which has one record per device, how much of the weights
/// is counted for this model and how much for others at the moment.
void countWeights(const WeightSources &sources, std::span<DeviceHeld> held);

/// The counts of the model on its devices, with remarks for the user. While
/// other models are loaded, this may change what devices say about themselves,
/// so the devices must be locked.
std::vector<DeviceHeld> describeDevices(const ChosenVariant &chosen,
                                        const WeightSources &sources,
                                        const ModelMemory &memory,
                                        const ModelWorkspaces &workspaces,
                                        const SessionOptions &options);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_MODELSTATS_H
