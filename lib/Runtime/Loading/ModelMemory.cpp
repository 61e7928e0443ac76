//===- ModelMemory.cpp - Places the buffers of a model in memory ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ModelMemory.h"

#include "../DeviceCall.h"
#include "SharedScratch.h"
#include "weir/Artifact/Convert.h"
#include "weir/Artifact/Format.h"
#include "weir/Support/Alignment.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <mutex>

using namespace weir;
using artifact::BufferKind;

namespace weir {

class ModelMemoryMaker {
public:
  ModelMemoryMaker(const artifact::Artifact &artifact,
                   const artifact::Variant &variant,
                   const ModelDevices &devices, size_t numFrames,
                   const ParameterMemory &parameters)
      : artifact(artifact), variant(variant), devices(devices),
        numFrames(numFrames), parameters(parameters), made(devices) {}

  StatusOr<ModelMemory> make();

private:
  /// The memory that a device keeps for the whole session: its own parameters
  /// and then the variables.
  struct Kept {
    std::map<uint32_t, uint64_t> blobs;
    std::map<size_t, uint64_t> variables;
    uint64_t bytes = 0;
  };
  void sizeArenas();
  uint64_t copiesOf(const ModelMemory::ArenaKey &key) const {
    return key.second ? 1 : numFrames;
  }
  Status checkSize(size_t device) const;
  Status allocateArenas();
  void pinHostArena(void *start, uint64_t bytes);
  void layOut();
  void numberParameters();
  Status load(size_t device);
  Status copyBlob(size_t device, uint32_t blob, std::byte *to);
  Status copyVariable(const artifact::Variable &variable, std::byte *to);
  /// Keeps `memory` for the model and returns its address. Errors say that the
  /// memory was for `what`.
  StatusOr<std::byte *> keep(StatusOr<std::shared_ptr<DeviceMemory>> memory,
                             std::string_view what);

  const artifact::Artifact &artifact;
  const artifact::Variant &variant;
  const ModelDevices &devices;
  size_t numFrames;
  const ParameterMemory &parameters;
  /// The memory that devices keep, one for each device.
  std::vector<Kept> kept;
  ModelMemory made;
};

} // namespace weir

ModelMemory::ArenaKey ModelMemory::keyOf(const artifact::Arena &arena) {
  if (arena.per_frame())
    return {arena.device(), std::nullopt};
  return {arena.device(), artifact::toQueueRole(arena.queue())};
}

/// Finds the size of each arena: the largest size that an entry needs.
void ModelMemoryMaker::sizeArenas() {
  for (const artifact::Entry *entry : *variant.entries()) {
    if (!entry->arenas())
      continue;
    for (const artifact::Arena *arena : *entry->arenas()) {
      ModelMemory::ArenaPlace &place = made.arenas[ModelMemory::keyOf(*arena)];
      place.bytes = std::max(place.bytes, arena->bytes());
      place.lowerBound = std::max(place.lowerBound, arena->lower_bound());
    }
  }
}

StatusOr<std::byte *>
ModelMemoryMaker::keep(StatusOr<std::shared_ptr<DeviceMemory>> memory,
                       std::string_view what) {
  if (!memory)
    return std::move(memory).status().withContext(
        fmt::format("cannot allocate {}", what));
  made.memory.push_back(*std::move(memory));
  return static_cast<std::byte *>(made.memory.back()->data());
}

/// Memory that no other session uses.
static StatusOr<std::shared_ptr<DeviceMemory>> allocateOwn(Device &device,
                                                           uint64_t bytes) {
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<DeviceMemory> memory,
                        allocateOn(device, bytes));
  return std::shared_ptr<DeviceMemory>(std::move(memory));
}

/// Pins an arena in the host's memory that several queues use. Crossings copy
/// from such arenas and to them.
void ModelMemoryMaker::pinHostArena(void *start, uint64_t bytes) {
  for (size_t device = 0; device < devices.size(); ++device)
    if (std::shared_ptr<void> pin =
            devices[device].pinHostMemory(start, bytes)) {
      made.pinned.push_back(std::move(pin));
      // The memory is pinned for all devices.
      return;
    }
}

Status ModelMemoryMaker::allocateArenas() {
  made.perFrame.resize(numFrames);
  for (auto &[key, place] : made.arenas) {
    const size_t device = key.first;
    ModelMemory::Bytes &counts = made.bytes[device];
    const bool isIsolated =
        variant.devices()->Get(static_cast<uint32_t>(device))->isolated();
    place.number = made.perFrame[0].size();
    for (uint64_t copy = 0; copy < copiesOf(key); ++copy) {
      WEIR_ASSIGN_OR_RETURN(
          std::byte * base,
          keep(key.second ? shareScratch(devices[device], *key.second,
                                         ScratchUse::Arena, place.bytes)
                          : allocateOwn(devices[device], place.bytes),
               "scratch memory"));
      if (!key.second && !isIsolated)
        pinHostArena(base, place.bytes);
      if (key.second)
        place.base = base;
      else
        made.perFrame[copy].push_back(base);
      counts.arenas += place.bytes;
      counts.lowerBound += place.lowerBound;
    }
  }
  return Status::ok();
}

/// Calls `function` with each buffer of each entry.
template <typename Function>
static void forEachBuffer(const artifact::Variant &variant, Function function) {
  for (const artifact::Entry *entry : *variant.entries())
    if (entry->buffers())
      for (const artifact::Buffer *buffer : *entry->buffers())
        function(*buffer);
}

/// Whether `buffer` is a parameter of which an isolated device has its own
/// copy.
static bool isOwnParameter(const artifact::Buffer &buffer) {
  return buffer.kind() == BufferKind::Parameter && buffer.space() != 0;
}

/// Whether `variable` consists of several parameters.
static bool isBucket(const artifact::Variable &variable) {
  return variable.parts() && variable.parts()->size() > 0;
}

/// The device whose memory is `space`, which is not the host's.
static size_t deviceOf(uint16_t space) { return space - size_t(1); }

void ModelMemoryMaker::layOut() {
  kept.resize(devices.size());
  const auto bytesOf = [&](uint32_t blob) {
    return alignTo(artifact.model().blobs()->Get(blob)->bytes(),
                   deviceMemoryAlignment);
  };
  forEachBuffer(variant, [&](const artifact::Buffer &buffer) {
    if (!isOwnParameter(buffer))
      return;
    Kept &to = kept[deviceOf(buffer.space())];
    if (to.blobs.try_emplace(buffer.index(), to.bytes).second)
      to.bytes += bytesOf(buffer.index());
  });
  if (!variant.variables())
    return;
  for (uint32_t i = 0; i < variant.variables()->size(); ++i) {
    const artifact::Variable &variable = *variant.variables()->Get(i);
    Kept &to = kept[variable.device()];
    to.variables.emplace(i, to.bytes);
    to.bytes += isBucket(variable)
                    ? alignTo(variable.bytes(), deviceMemoryAlignment)
                    : bytesOf(variable.blob());
  }
}

void ModelMemoryMaker::numberParameters() {
  made.firstParameters = {0};
  if (!variant.variables())
    return;
  for (const artifact::Variable *variable : *variant.variables())
    made.firstParameters.push_back(
        made.firstParameters.back() +
        (isBucket(*variable) ? variable->parts()->size() : 1));
}

/// Refuses a plan that a device cannot hold. This comes before any memory is
/// allocated, since allocation touches every page.
Status ModelMemoryMaker::checkSize(size_t device) const {
  uint64_t scratch = 0;
  for (const auto &[key, place] : made.arenas)
    if (key.first == device)
      scratch += copiesOf(key) * place.bytes;
  const DeviceInfo &info = devices[device].info();
  if (info.memoryBytes == 0 || scratch + kept[device].bytes <= info.memoryBytes)
    return Status::ok();
  return resourceExhausted(fmt::format(
      "{}: the plan needs {} bytes of scratch memory and {} of parameters and "
      "variables, at most {} are available; compile for smaller inputs, for "
      "more devices, or for a machine with more memory",
      info.name, scratch, kept[device].bytes, info.memoryBytes));
}

/// Copies a blob part by part, so that it is never in memory twice.
Status ModelMemoryMaker::copyBlob(size_t device, uint32_t blob, std::byte *to) {
  return parameters.visit(blob, [&](std::span<const std::byte> part) {
    Status status = devices[device].copyFromHost(to, part.data(), part.size());
    to += part.size();
    return status;
  });
}

/// Copies the blob of a variable to `to`. For a bucket, copies the blobs of its
/// parts, and zeros between them.
Status ModelMemoryMaker::copyVariable(const artifact::Variable &variable,
                                      std::byte *to) {
  if (!isBucket(variable))
    return copyBlob(variable.device(), variable.blob(), to);
  static constexpr std::array<std::byte, artifact::bucketGap> zeros = {};
  uint64_t end = 0;
  const auto fillTo = [&](uint64_t offset) {
    return offset == end ? Status::ok()
                         : devices[variable.device()].copyFromHost(
                               to + end, zeros.data(), offset - end);
  };
  for (const artifact::VariablePart *part : *variable.parts()) {
    WEIR_RETURN_IF_ERROR(fillTo(part->offset()));
    WEIR_RETURN_IF_ERROR(
        copyBlob(variable.device(), part->blob(), to + part->offset()));
    end = part->offset() + artifact.model().blobs()->Get(part->blob())->bytes();
  }
  return fillTo(variable.bytes());
}

Status ModelMemoryMaker::load(size_t device) {
  const Kept &what = kept[device];
  if (what.blobs.empty() && what.variables.empty())
    return Status::ok();
  WEIR_ASSIGN_OR_RETURN(
      std::byte * base,
      keep(allocateOwn(devices[device], what.bytes), "parameters"));
  made.bytes[device].parameters += what.bytes;
  for (const auto &[blob, offset] : what.blobs) {
    WEIR_RETURN_IF_ERROR(copyBlob(device, blob, base + offset));
    made.ownBlobs[{device, blob}] = base + offset;
  }
  for (const auto &[variable, offset] : what.variables) {
    const auto index = static_cast<uint32_t>(variable);
    WEIR_RETURN_IF_ERROR(
        copyVariable(*variant.variables()->Get(index), base + offset));
    made.variables[variable] = base + offset;
  }
  return Status::ok();
}

StatusOr<ModelMemory> ModelMemoryMaker::make() {
  made.parameters = &parameters;
  made.bytes.resize(devices.size());
  sizeArenas();
  layOut();
  numberParameters();
  for (size_t i = 0; i < devices.size(); ++i)
    WEIR_RETURN_IF_ERROR(checkSize(i));
  WEIR_RETURN_IF_ERROR(allocateArenas());
  made.variables.resize(variant.variables() ? variant.variables()->size() : 0);
  for (size_t i = 0; i < devices.size(); ++i)
    WEIR_RETURN_IF_ERROR(load(i));
  return std::move(made);
}

StatusOr<ModelMemory> ModelMemory::create(const artifact::Artifact &artifact,
                                          const artifact::Variant &variant,
                                          const ModelDevices &devices,
                                          size_t numFrames,
                                          const ParameterMemory &parameters) {
  return ModelMemoryMaker(artifact, variant, devices, numFrames, parameters)
      .make();
}

ModelMemory::~ModelMemory() {
  if (!devices.isSomeGivenUp())
    return;
  // The vectors stay reachable, so that checkers of leaks do not report the
  // memory.
  static auto &mutex = *new std::mutex;
  static auto &kept = *new std::vector<std::shared_ptr<void>>;
  const std::lock_guard lock(mutex);
  for (std::shared_ptr<DeviceMemory> &each : memory) {
    // A new device may get the address of this device after it was closed.
    stopSharing(each);
    kept.push_back(std::move(each));
  }
  std::ranges::move(pinned, std::back_inserter(kept));
}

std::vector<PlacedBuffer>
ModelMemory::place(const artifact::Entry &entry) const {
  std::vector<PlacedBuffer> buffers;
  if (!entry.buffers())
    return buffers;
  for (const artifact::Buffer *buffer : *entry.buffers()) {
    PlacedBuffer &placed = buffers.emplace_back();
    placed.kind = buffer->kind();
    placed.index = buffer->index();
    if (placed.kind == BufferKind::Scratch) {
      const artifact::Arena &arena = *entry.arenas()->Get(buffer->index());
      const ArenaPlace &place = arenas.at(keyOf(arena));
      placed.isPerFrame = arena.per_frame();
      placed.arena = place.number;
      placed.offset = buffer->offset();
      placed.base = placed.isPerFrame ? nullptr : place.base + buffer->offset();
    } else if (placed.kind == BufferKind::Variable) {
      placed.base = variables[buffer->index()];
    } else if (isOwnParameter(*buffer)) {
      placed.base = ownBlobs.at({deviceOf(buffer->space()), buffer->index()});
    } else if (placed.kind == BufferKind::Parameter) {
      placed.isHostParameter = true;
      placed.base = parameters->address(buffer->index());
    }
  }
  return buffers;
}
