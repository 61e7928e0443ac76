//===- PlanLoader.h - Resolves the commands of an entry ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_PLANLOADER_H
#define WEIR_LIB_RUNTIME_LOADING_PLANLOADER_H

#include "DevicePool.h"
#include "KernelCache.h"
#include "ModelMemory.h"
#include "Plan.h"
#include "weir/Artifact/Artifact.h"

#include <cstddef>
#include <cstdint>
#include <map>

namespace weir {

/// The sources from which the plans of a model are loaded, and the data that
/// the plans share.
struct PlanSources {
  const artifact::Artifact &artifact;
  const artifact::Variant &variant;
  const ModelDevices &devices;
  const ModelMemory &memory;
  KernelCache &kernels;
  /// The parameters that runs read in the host's memory, each with the number
  /// of the first device that reads it.
  std::map<uint32_t, size_t> &readInPlace;
  /// The observer that receives tensors during runs, or null.
  TensorObserver *observer;
};

/// Prepares the kernels of `entry` and resolves its commands into `plan`. The
/// lists of commands of `plan` have no workspace yet.
Status loadPlan(const PlanSources &sources, const artifact::Entry &entry,
                Plan &plan);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_PLANLOADER_H
