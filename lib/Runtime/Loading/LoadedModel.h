//===- LoadedModel.h - What is loaded once for all runs ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_LOADEDMODEL_H
#define WEIR_LIB_RUNTIME_LOADING_LOADEDMODEL_H

#include "DevicePool.h"
#include "KernelCache.h"
#include "ModelMemory.h"
#include "Plan.h"
#include "VariableTable.h"
#include "weir/Artifact/Artifact.h"
#include "weir/Runtime/Session.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace weir {

/// An artifact on its devices: parameters, variables, kernels, and a plan for
/// each entry. Addresses inside are stable. Members are destroyed from the last
/// to the first, so memory and kernels are destroyed before their devices.
struct LoadedModel {
  artifact::Artifact artifact;
  std::unique_ptr<ParameterMemory> parameters;
  ModelDevices devices;
  ModelMemory memory;
  std::unique_ptr<KernelCache> kernels;
  /// Each queue has one for all launches, since it is in order. Sessions share
  /// them.
  std::vector<std::shared_ptr<DeviceMemory>> workspaces;
  /// The plans in the order of the entries.
  std::vector<std::unique_ptr<Plan>> plans;
  VariableTable variables;
  /// Whether an observer receives tensors.
  bool isObserved = false;
  /// Whether it was loaded on null devices in place of its own.
  bool isForeign = false;
  /// The number of runs that may be in flight.
  size_t numFrames = 1;
  /// The name of the entry that runs if none is named, or why none does.
  StatusOr<std::string> defaultEntry{std::string()};
  /// One per device; the counts of runs are zero.
  std::vector<DeviceStats> stats;
  /// The parameters that runs read in the host's memory, each with the first
  /// device that does.
  std::map<uint32_t, size_t> readInPlace;

  explicit LoadedModel(artifact::Artifact artifact)
      : artifact(std::move(artifact)) {}
  ~LoadedModel();

  /// Writes to `devices` how much of the weights is counted here and how much
  /// by other models at the moment.
  void countWeights(std::span<DeviceStats> devices) const;
};

/// Opens devices, loads parameters, prepares kernels and resolves all commands.
/// If devices have memory caps, these are checked before memory is allocated.
StatusOr<std::unique_ptr<LoadedModel>> loadModel(artifact::Artifact artifact,
                                                 const SessionOptions &options);

/// Loads the model on counting devices. It has the counts of a real one, but
/// cannot run. If no variant can run on this machine, the first one is loaded
/// on null devices. So is one that cannot be loaded, and `failure` says why.
StatusOr<std::unique_ptr<LoadedModel>> countModel(artifact::Artifact artifact,
                                                  const SessionOptions &options,
                                                  Status &failure);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_LOADEDMODEL_H
