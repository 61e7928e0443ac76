//===- Format.h - The fixed part of an artifact file -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// An artifact consists of this header, the FlatBuffers model, and the blobs.
// docs/artifact.md describes the file.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ARTIFACT_FORMAT_H
#define WEIR_ARTIFACT_FORMAT_H

#include "weir/Support/ShapeLimits.h"
#include "weir/Support/Topology.h"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace weir::artifact {

/// The newest version. Files are of it if they need it: if a variable is a
/// bucket (`parts` of weir.fbs).
inline constexpr uint32_t formatVersion = 5;
/// The version of other files of which a kernel has code for GPUs (`threads`).
inline constexpr uint32_t gpuCodeVersion = 4;
/// The version of all other files, and the oldest one that can be read.
inline constexpr uint32_t oldestFormatVersion = 3;
/// Alignment of every blob in the file, and therefore in memory.
inline constexpr uint64_t blobAlignment = 256;
/// Alignment of every scratch buffer in its arena.
inline constexpr uint64_t arenaAlignment = 64;
/// Fewer bytes than this lie between two parts of a bucket, and behind the
/// last. So the size of a bucket follows from those of its parts.
inline constexpr uint64_t bucketGap = 256;
/// An arena ends where its last buffer ends, rounded up to at most this. It is
/// allocated and touched when the model is loaded.
inline constexpr uint64_t arenaRounding = 256;

/// Limits of every artifact. They ensure that sums of declared sizes cannot
/// overflow and that loading is bounded.
inline constexpr uint64_t maxBytes = maxTensorBytes;
inline constexpr uint32_t maxRank = maxTensorRank;
/// The most elements of a tensor that repeats some, as by a stride of 0. An
/// operand of a kernel may have as many as another tensor of the kernel has
/// without repeating any. So memory bounds all sizes that kernels meet.
inline constexpr uint64_t maxRepeatedElements = uint64_t(1) << 26;
inline constexpr uint32_t maxThreads = maxDeviceThreads;
inline constexpr uint32_t maxQueues = 8;
/// The most uses of views by the commands and tensors of all entries together.
inline constexpr uint64_t maxViewUses = uint64_t(1) << 24;
/// The most bytes of names, where that of a command or tensor counts once for
/// each of them, and that of a port or blob once for each use of a view of it.
/// So the text of an artifact is bounded.
inline constexpr uint64_t maxNameBytes = uint64_t(1) << 28;
/// The most slots of 8 bytes that all runs in flight of a variant hold
/// together. Each run has one for every use of a view and for every Record,
/// Wait and Repeat, and memory of `slotsPerProgram` for every program and
/// entry.
inline constexpr uint64_t maxFrameSlots = uint64_t(1) << 26;
inline constexpr uint64_t slotsPerProgram = 16;
/// The most runs in flight.
inline constexpr uint32_t maxFrames = 256;
/// The most Repeats inside of each other.
inline constexpr uint32_t maxRepeatDepth = 8;
/// The most commands that one run of each entry carries out, over all entries.
inline constexpr uint64_t maxExecutedCommands = uint64_t(1) << 24;
/// The most steps of comparing tensors with overlapping spans, in all launches
/// together. A comparison has (rank + rank)^2 steps, and at least one.
inline constexpr uint64_t maxOverlapSteps = uint64_t(1) << 26;

/// The number of the host's memory space, and of a device's own.
inline constexpr uint32_t hostSpace = 0;
constexpr uint32_t spaceOfDevice(uint32_t device, bool isIsolated) {
  return isIsolated ? device + 1 : hostSpace;
}

/// The first bytes of the file, little-endian.
struct FileHeader {
  char magic[4];
  uint32_t version;
  /// XXH3-64 of the rest of the header and of the model, which has the hashes
  /// of the blobs, and of the zeros behind it.
  uint64_t checksum;
  uint32_t headerBytes;
  uint32_t reserved0;
  uint64_t fileBytes;
  uint64_t modelOffset;
  uint64_t modelBytes;
  uint64_t reserved1[2];
};
/// Where the next part of a file of `fileBytes` bytes begins behind one that
/// ends at `end`. The zeros between them belong to the first of the two.
constexpr uint64_t paddedEnd(uint64_t end, uint64_t fileBytes) {
  const uint64_t padding =
      (blobAlignment - end % blobAlignment) % blobAlignment;
  return end >= fileBytes || padding >= fileBytes - end ? fileBytes
                                                        : end + padding;
}
/// Where the bytes under the checksum end in a file of `fileBytes` bytes.
constexpr uint64_t checksumEnd(const FileHeader &header, uint64_t fileBytes) {
  return header.modelBytes > fileBytes
             ? fileBytes
             : paddedEnd(sizeof(header) + header.modelBytes, fileBytes);
}
inline constexpr char fileMagic[4] = {'W', 'E', 'I', 'R'};
inline constexpr size_t checksumBegin =
    offsetof(FileHeader, checksum) + sizeof(uint64_t);

static_assert(sizeof(FileHeader) == 64, "the header is part of the format");
static_assert(std::endian::native == std::endian::little,
              "the artifact is used in place");

} // namespace weir::artifact

#endif // WEIR_ARTIFACT_FORMAT_H
