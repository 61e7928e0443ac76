//===- ModelPlans.h - The plans of a model and their kernels ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_MODELPLANS_H
#define WEIR_LIB_RUNTIME_LOADING_MODELPLANS_H

#include "ChosenVariant.h"
#include "DevicePool.h"
#include "KernelCache.h"
#include "ModelMemory.h"
#include "Plan.h"
#include "weir/Artifact/Artifact.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace weir {

/// The plans of all entries, and the kernels that they launch.
struct ModelPlans {
  std::unique_ptr<KernelCache> kernels;
  /// The plans in the order of the entries. Their lists of commands have no
  /// workspace yet.
  std::vector<std::unique_ptr<Plan>> plans;
  /// The parameters that runs read in the host's memory, each with the number
  /// of the first device that reads it.
  std::map<uint32_t, size_t> readInPlace;
};

/// Prepares the kernels of `variant` and loads its plans. The kernels share
/// weights with kernels of other models through `weights`, unless that is null.
StatusOr<ModelPlans>
loadPlans(const artifact::Artifact &artifact, const artifact::Variant &variant,
          const ModelDevices &devices, ParameterMemory &parameters,
          const ModelMemory &memory, SharedWeights *weights,
          const SessionOptions &options);

/// The memory that kernels use while they run. Each queue has one piece for all
/// launches, since it carries them out one after the other. Sessions share the
/// pieces.
struct ModelWorkspaces {
  explicit ModelWorkspaces(const ModelDevices &devices)
      : devices(devices), bytes(devices.size()) {}
  ModelWorkspaces(ModelWorkspaces &&) = default;
  /// Stops sharing memory of a device that was given up, because the device may
  /// still use it.
  ~ModelWorkspaces();

  ModelDevices devices;
  std::vector<std::shared_ptr<DeviceMemory>> memory;
  /// Bytes per device.
  std::vector<uint64_t> bytes;
};

/// Allocates workspaces for the kernels of `plans`, and sets them in the lists
/// of these plans.
StatusOr<ModelWorkspaces>
allocateWorkspaces(std::span<const std::unique_ptr<Plan>> plans,
                   const ModelDevices &devices);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_MODELPLANS_H
