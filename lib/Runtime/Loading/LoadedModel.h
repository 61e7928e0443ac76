//===- LoadedModel.h - What is loaded once for all runs ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A model is loaded as a chain of values. Each value is made from the values
// before it: the artifact, the chosen variant, its devices, the parameters and
// the other memory, the plans with their kernels, the workspaces, and the
// variables. `LoadedModel` has them in that order.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_LOADEDMODEL_H
#define WEIR_LIB_RUNTIME_LOADING_LOADEDMODEL_H

#include "ChosenVariant.h"
#include "DevicePool.h"
#include "ModelMemory.h"
#include "ModelPlans.h"
#include "VariableTable.h"
#include "weir/Artifact/Artifact.h"
#include "weir/Runtime/Session.h"

#include <memory>
#include <span>
#include <vector>

namespace weir {

/// An artifact on its devices: parameters, variables, kernels, and a plan for
/// each entry. Addresses inside are stable. Members are destroyed from the last
/// to the first, so memory and kernels are destroyed before their devices.
struct LoadedModel {
  std::shared_ptr<const artifact::Artifact> artifact;
  ChosenVariant chosen;
  ModelDevices devices;
  std::unique_ptr<ParameterMemory> parameters;
  ModelMemory memory;
  ModelPlans loaded;
  ModelWorkspaces workspaces;
  VariableTable variables;
  /// Whether an observer receives tensors.
  bool isObserved = false;
  /// The counts that are known when the model is loaded, one for each device.
  std::vector<DeviceHeld> held;

  std::span<const std::unique_ptr<Plan>> plans() const { return loaded.plans; }

  /// The present counts of each device. They change, because a shared weight is
  /// counted for one model at a time.
  std::vector<DeviceHeld> heldNow() const;
};

/// Opens devices, loads parameters, prepares kernels and resolves all commands.
/// If devices have memory caps, these are checked before memory is allocated.
StatusOr<std::unique_ptr<LoadedModel>> loadModel(artifact::Artifact artifact,
                                                 const SessionOptions &options);

/// Loads the model on counting devices. The result has the counts of a real
/// model, but cannot run. If no variant can run on this machine, the first
/// variant is loaded on null devices. A variant that cannot be loaded is loaded
/// on null devices, too, and `failure` gets the reason.
StatusOr<std::unique_ptr<LoadedModel>> countModel(artifact::Artifact artifact,
                                                  const SessionOptions &options,
                                                  Status &failure);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_LOADEDMODEL_H
