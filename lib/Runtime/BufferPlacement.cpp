//===- BufferPlacement.cpp - Places the buffers of a plan in memory -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "BufferPlacement.h"

#include "weir/Support/Alignment.h"

#include <fmt/format.h>
#include <map>
#include <utility>

using namespace weir;
using artifact::BufferKind;

namespace weir {

class BufferPlacer {
public:
  BufferPlacer(const artifact::Artifact &artifact,
               const artifact::Variant &variant, const artifact::Entry &entry,
               std::span<const std::unique_ptr<Device>> devices,
               std::span<DeviceStats> stats)
      : artifact(artifact), variant(variant), entry(entry), devices(devices),
        stats(stats) {}

  StatusOr<BufferPlacement> place();

private:
  /// The blobs of which a device keeps its own copies, one after the other.
  struct BlobLayout {
    std::map<uint32_t, uint64_t> offsets;
    uint64_t bytes = 0;
  };
  BlobLayout layOutBlobs(size_t device) const;
  Status allocateArenas();
  Status checkSizes() const;
  Status loadOwnBlobs(size_t device);
  bool needsOwnBlob(const artifact::Buffer &buffer) const;
  PlacedBuffer locate(const artifact::Buffer &buffer) const;
  StatusOr<std::byte *> allocate(size_t device, uint64_t bytes,
                                 std::string_view what);

  const artifact::Artifact &artifact;
  const artifact::Variant &variant;
  const artifact::Entry &entry;
  std::span<const std::unique_ptr<Device>> devices;
  std::span<DeviceStats> stats;

  BufferPlacement placed;
  std::vector<std::byte *> arenas;
  /// The addresses of blobs in the memory of a device, by device and blob.
  std::map<std::pair<size_t, uint32_t>, std::byte *> ownBlobs;
};

} // namespace weir

StatusOr<std::byte *> BufferPlacer::allocate(size_t device, uint64_t bytes,
                                             std::string_view what) {
  auto memory = devices[device]->allocate(bytes);
  if (!memory)
    return std::move(memory).status().withContext(
        fmt::format("cannot allocate {}", what));
  placed.memory.push_back(*std::move(memory));
  return static_cast<std::byte *>(placed.memory.back()->data());
}

Status BufferPlacer::allocateArenas() {
  if (!entry.arenas())
    return Status::ok();
  for (const artifact::Arena *arena : *entry.arenas()) {
    WEIR_ASSIGN_OR_RETURN(
        std::byte * base,
        allocate(arena->device(), arena->bytes(), "scratch memory"));
    arenas.push_back(base);
    DeviceStats &counts = stats[arena->device()];
    counts.plannedBytes += arena->bytes();
    counts.lowerBoundBytes += arena->lower_bound();
    counts.allocatedBytes += placed.memory.back()->size();
  }
  return Status::ok();
}

bool BufferPlacer::needsOwnBlob(const artifact::Buffer &buffer) const {
  if (buffer.kind() == BufferKind::Variable)
    return true;
  return buffer.kind() == BufferKind::Parameter &&
         variant.devices()->Get(buffer.device())->isolated();
}

BufferPlacer::BlobLayout BufferPlacer::layOutBlobs(size_t device) const {
  BlobLayout layout;
  for (const artifact::Buffer *buffer : *entry.buffers())
    if (buffer->device() == device && needsOwnBlob(*buffer) &&
        layout.offsets.try_emplace(buffer->index(), layout.bytes).second)
      layout.bytes +=
          alignTo(artifact.blob(buffer->index()).size(), deviceMemoryAlignment);
  return layout;
}

/// Refuses a plan that a device cannot hold before any memory is allocated,
/// since allocation touches every page.
Status BufferPlacer::checkSizes() const {
  for (size_t i = 0; i < devices.size(); ++i) {
    uint64_t scratch = 0, leastScratch = 0;
    if (entry.arenas())
      for (const artifact::Arena *arena : *entry.arenas()) {
        scratch += arena->device() == i ? arena->bytes() : 0;
        leastScratch += arena->device() == i ? arena->lower_bound() : 0;
      }
    const uint64_t blobs = entry.buffers() ? layOutBlobs(i).bytes : 0;
    const DeviceInfo &info = devices[i]->info();
    if (info.memoryBytes && scratch + blobs > info.memoryBytes)
      return resourceExhausted(fmt::format(
          "{}: the plan needs {} bytes of scratch memory and {} of "
          "parameters, at most {} are available; compile {}for smaller "
          "inputs, for more devices, or for a machine with more memory",
          info.name, scratch, blobs, info.memoryBytes,
          leastScratch < scratch ? "with a --memory-cap, " : ""));
  }
  return Status::ok();
}

Status BufferPlacer::loadOwnBlobs(size_t device) {
  const auto [offsets, bytes] = layOutBlobs(device);
  if (offsets.empty())
    return Status::ok();
  WEIR_ASSIGN_OR_RETURN(std::byte * base,
                        allocate(device, bytes, "parameters"));
  stats[device].parameterBytes += bytes;
  for (const auto &[blob, offset] : offsets) {
    const std::span<const std::byte> source = artifact.blob(blob);
    WEIR_RETURN_IF_ERROR(devices[device]->copyFromHost(
        base + offset, source.data(), source.size()));
    artifact.release(source);
    ownBlobs[{device, blob}] = base + offset;
  }
  return Status::ok();
}

PlacedBuffer BufferPlacer::locate(const artifact::Buffer &buffer) const {
  PlacedBuffer placed;
  placed.kind = buffer.kind();
  if (placed.isPort())
    placed.port = buffer.index();
  else if (buffer.kind() == BufferKind::Scratch)
    placed.base = arenas[buffer.index()] + buffer.offset();
  else if (needsOwnBlob(buffer))
    placed.base = ownBlobs.at({buffer.device(), buffer.index()});
  else
    // Kernels take only non-const pointers. The verifier has checked that
    // nothing writes here.
    placed.base = const_cast<std::byte *>(artifact.blob(buffer.index()).data());
  return placed;
}

StatusOr<BufferPlacement> BufferPlacer::place() {
  WEIR_RETURN_IF_ERROR(checkSizes());
  WEIR_RETURN_IF_ERROR(allocateArenas());
  if (!entry.buffers())
    return std::move(placed);
  for (size_t i = 0; i < devices.size(); ++i)
    WEIR_RETURN_IF_ERROR(loadOwnBlobs(i));
  for (const artifact::Buffer *buffer : *entry.buffers())
    placed.buffers.push_back(locate(*buffer));
  return std::move(placed);
}

StatusOr<BufferPlacement>
BufferPlacement::create(const artifact::Artifact &artifact,
                        const artifact::Variant &variant,
                        const artifact::Entry &entry,
                        std::span<const std::unique_ptr<Device>> devices,
                        std::span<DeviceStats> stats) {
  return BufferPlacer(artifact, variant, entry, devices, stats).place();
}
