//===- ModelMemory.h - Places the buffers of a model in memory --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_MODELMEMORY_H
#define WEIR_LIB_RUNTIME_LOADING_MODELMEMORY_H

#include "DevicePool.h"
#include "ParameterMemory.h"
#include "weir/Artifact/Artifact.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace weir {

/// One buffer of an entry with its address.
struct PlacedBuffer {
  artifact::BufferKind kind = artifact::BufferKind::Scratch;
  /// Null for inputs and outputs, whose address differs between runs, and for
  /// buffers of which each run in flight has its own.
  std::byte *base = nullptr;
  /// The position of an input or output, the number of a variable in the
  /// variant, or the blob of a parameter.
  uint32_t index = 0;
  /// Whether the buffer is a parameter in the host's memory.
  bool isHostParameter = false;
  /// Whether each run in flight has a buffer of its own.
  bool isPerFrame = false;
  /// The number of the arena in `ModelMemory::frameArenas`, and the offset in
  /// this arena, if each run in flight has a buffer of its own.
  size_t arena = 0;
  uint64_t offset = 0;

  /// Whether the bytes never change during the session.
  bool isConstant() const { return kind == artifact::BufferKind::Parameter; }
};

/// The memory of a model: arenas, variables, and parameters of devices that
/// keep their own copies. All other parameters are in a `ParameterMemory`.
///
/// Only one queue accesses an arena that is not per frame, and this queue runs
/// in order. So all entries, all runs and even other sessions (SharedScratch.h)
/// share the arena, which is as large as the largest entry needs it. Entries
/// also share the arenas that are per frame.
class ModelMemory {
public:
  ModelMemory(ModelMemory &&) = default;
  ModelMemory &operator=(ModelMemory &&) = default;
  /// A device that was given up (Device::isGivenUp) may still use its memory.
  /// So this memory is kept until the process ends.
  ~ModelMemory();

  /// Allocates and fills all memory. `parameters` must outlive the result.
  static StatusOr<ModelMemory> create(const artifact::Artifact &artifact,
                                      const artifact::Variant &variant,
                                      const ModelDevices &devices,
                                      size_t numFrames,
                                      const ParameterMemory &parameters);

  /// The buffers of `entry`, an entry of the variant.
  std::vector<PlacedBuffer> place(const artifact::Entry &entry) const;
  /// The arenas that run `frame` in flight has of its own.
  std::span<std::byte *const> frameArenas(size_t frame) const {
    return perFrame[frame];
  }
  /// The address of variable `index` of the variant.
  std::byte *variable(size_t index) const { return variables[index]; }
  /// The numbers of the variables that the caller sees in variable `index` of
  /// the variant: the parameters of a bucket, else the variable itself. The
  /// numbers go from `first` to before `end`, in the order of the variant.
  struct Numbers {
    uint32_t first, end;
  };
  Numbers parametersOf(size_t index) const {
    return {firstParameters[index], firstParameters[index + 1]};
  }

  /// The bytes that the model has on a device.
  struct Bytes {
    uint64_t arenas = 0;
    uint64_t lowerBound = 0;
    /// The device's own copies of parameters, and its variables.
    uint64_t parameters = 0;
  };
  const Bytes &bytesOn(size_t device) const { return bytes[device]; }

private:
  /// The device and the queue; no queue if the arena is per frame. An entry has
  /// at most one arena for each key.
  using ArenaKey = std::pair<uint16_t, std::optional<QueueRole>>;
  struct ArenaPlace {
    uint64_t bytes = 0;
    uint64_t lowerBound = 0;
    /// The number of the arena among the arenas that are per frame, or the
    /// address of an arena that is not per frame.
    size_t number = 0;
    std::byte *base = nullptr;
  };
  static ArenaKey keyOf(const artifact::Arena &arena);

  explicit ModelMemory(const ModelDevices &devices) : devices(devices) {}

  ModelDevices devices;
  std::vector<std::shared_ptr<DeviceMemory>> memory;
  /// The objects that devices keep for memory of the host:
  /// Device::pinHostMemory.
  std::vector<std::shared_ptr<void>> pinned;
  std::map<ArenaKey, ArenaPlace> arenas;
  std::vector<std::vector<std::byte *>> perFrame;
  std::vector<std::byte *> variables;
  /// The first number of each variable. The end of the last variable's numbers
  /// follows.
  std::vector<uint32_t> firstParameters;
  /// The addresses of blobs in the memory of a device, by device and blob.
  std::map<std::pair<size_t, uint32_t>, std::byte *> ownBlobs;
  const ParameterMemory *parameters = nullptr;
  /// The bytes that the model has, one for each device.
  std::vector<Bytes> bytes;

  friend class ModelMemoryMaker;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_MODELMEMORY_H
