//===- LoadedEntry.h - An entry with everything resolved -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADEDENTRY_H
#define WEIR_LIB_RUNTIME_LOADEDENTRY_H

#include "BufferPlacement.h"
#include "KernelCache.h"
#include "weir/Artifact/Artifact.h"
#include "weir/Runtime/Device.h"
#include "weir/Runtime/Session.h"

#include <memory>
#include <vector>

namespace weir {

/// A slot that gets the address of an input or output in each run.
struct PortPatch {
  uint32_t slot;
  uint32_t port;
  uint64_t offset;
};

/// One program, flattened into steps.
struct LoadedProgram {
  size_t device = 0;
  int queueIndex = 0;
  DeviceQueue *queue = nullptr;
  std::vector<Step> steps;
  std::vector<StepInfo> infos;
  std::vector<StepTensor> tensors;
  CommandList list;
};

/// Everything that a run uses. Addresses inside are stable. Members are
/// destroyed from the last to the first, so memory and kernels are destroyed
/// before their devices.
struct LoadedEntry {
  std::vector<std::unique_ptr<Device>> devices;
  BufferPlacement buffers;
  std::unique_ptr<KernelCache> kernels;
  std::vector<std::unique_ptr<DeviceMemory>> workspaces;
  std::unique_ptr<Event[]> events;
  /// The addresses that steps use.
  std::vector<void *> slots;
  std::vector<PortPatch> inputPatches;
  std::vector<PortPatch> outputPatches;
  std::vector<LoadedProgram> programs;
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  /// The tensors of the model; empty without an observer.
  std::vector<PlanTensor> tensors;
  /// One per device; the counts of runs are zero.
  std::vector<DeviceStats> stats;
};

/// Opens devices, loads parameters, prepares kernels and resolves all commands.
/// The artifact must outlive the result.
StatusOr<std::unique_ptr<LoadedEntry>>
loadEntry(const artifact::Artifact &artifact, const SessionOptions &options);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADEDENTRY_H
