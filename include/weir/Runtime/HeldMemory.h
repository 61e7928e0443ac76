//===- HeldMemory.h - Counts the memory that a model holds ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_HELDMEMORY_H
#define WEIR_RUNTIME_HELDMEMORY_H

#include "weir/Runtime/SessionStats.h"
#include "weir/Support/Status.h"

#include <string>
#include <vector>

namespace weir {

namespace artifact {
class Artifact;
} // namespace artifact

struct SessionOptions;

/// The memory that a session would hold on each device.
struct HeldMemory {
  /// The devices, in the order of the variant.
  std::vector<DeviceHeld> devices;
  /// Whether the kernels of this machine were asked for their needs. If not,
  /// the counts assume that kernels read all parameters in place and need no
  /// workspace. This is about the least that a machine needs.
  bool isExact = true;
  /// Ok, or why the kernels could not be asked although a variant of the
  /// artifact can run here.
  Status failure;
};

/// Counts what a session that loads `artifact` with `options` would hold.
/// Prepares the kernels, but allocates no memory for the model, reads no
/// parameter and loads no code. So the blobs may be empty
/// (`artifact::outline`).
StatusOr<HeldMemory> countHeldMemory(artifact::Artifact artifact,
                                     const SessionOptions &options);

/// "1024 of scratch, 256 of variables and copies of parameters": the parts of
/// `DeviceHeld::heldBytes` that are not zero.
std::string describeHeld(const DeviceHeld &device);

} // namespace weir

#endif // WEIR_RUNTIME_HELDMEMORY_H
