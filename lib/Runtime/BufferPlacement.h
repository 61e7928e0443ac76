//===- BufferPlacement.h - Places the buffers of a plan in memory ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_BUFFERPLACEMENT_H
#define WEIR_LIB_RUNTIME_BUFFERPLACEMENT_H

#include "weir/Artifact/Artifact.h"
#include "weir/Runtime/Device.h"
#include "weir/Runtime/SessionStats.h"

#include <memory>
#include <vector>

namespace weir {

/// One buffer of the plan with its address.
struct PlacedBuffer {
  artifact::BufferKind kind = artifact::BufferKind::Scratch;
  /// Null for inputs and outputs, whose address differs between runs.
  std::byte *base = nullptr;
  /// For an input or output: its position.
  uint32_t port = 0;

  /// Whether the bytes never change during the session.
  bool isConstant() const { return kind == artifact::BufferKind::Parameter; }
  bool isPort() const {
    return kind == artifact::BufferKind::Input ||
           kind == artifact::BufferKind::Output;
  }
};

/// The memory of a session: arenas, variables, and parameters of devices that
/// keep their own copies. All other parameters stay in the mapped artifact.
class BufferPlacement {
public:
  /// Allocates and fills all memory, and adds the bytes to `stats`, which has
  /// one record per device.
  static StatusOr<BufferPlacement>
  create(const artifact::Artifact &artifact, const artifact::Variant &variant,
         const artifact::Entry &entry,
         std::span<const std::unique_ptr<Device>> devices,
         std::span<DeviceStats> stats);

  const PlacedBuffer &operator[](uint32_t buffer) const {
    return buffers[buffer];
  }

private:
  std::vector<PlacedBuffer> buffers;
  std::vector<std::unique_ptr<DeviceMemory>> memory;

  friend class BufferPlacer;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_BUFFERPLACEMENT_H
