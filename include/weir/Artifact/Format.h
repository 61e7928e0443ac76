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

/// The newest version. A file has this version if a variable is a bucket
/// (`parts` in weir.fbs).
inline constexpr uint32_t formatVersion = 5;
/// The version of a file without buckets in which a kernel has code for GPUs
/// (`threads` in weir.fbs).
inline constexpr uint32_t gpuCodeVersion = 4;
/// The oldest version that can be read. All other files have this version.
inline constexpr uint32_t oldestFormatVersion = 3;
/// Alignment of every blob in the file, and therefore in memory.
inline constexpr uint64_t blobAlignment = 256;
/// Alignment of every scratch buffer in its arena.
inline constexpr uint64_t arenaAlignment = 64;
/// The bound on the gap between two parts of a bucket, and on the gap after the
/// last part: a gap is smaller than this. So the sizes of the parts bound the
/// size of a bucket.
inline constexpr uint64_t bucketGap = 256;
/// An arena ends at most at the end of its last buffer, rounded up to a
/// multiple of this. The limit matters because an arena is allocated and
/// touched when the model is loaded.
inline constexpr uint64_t arenaRounding = 256;

/// Limits of every artifact. They ensure that sums of declared sizes cannot
/// overflow and that loading is bounded.
inline constexpr uint64_t maxBytes = maxTensorBytes;
inline constexpr uint32_t maxRank = maxTensorRank;
/// The most elements of a tensor that repeats elements, for example by a stride
/// of 0. An operand may have more elements if another tensor of its kernel has
/// as many elements and repeats none. So memory bounds all sizes that kernels
/// meet.
inline constexpr uint64_t maxRepeatedElements = uint64_t(1) << 26;
inline constexpr uint32_t maxThreads = maxDeviceThreads;
/// The most uses of views by the commands and tensors of all entries together.
inline constexpr uint64_t maxViewUses = uint64_t(1) << 24;
/// The most bytes of names. The name of a command or tensor counts once for
/// each command or tensor. The name of a port or blob counts once for each use
/// of one of its views. This bounds the size of an artifact that is printed as
/// text.
inline constexpr uint64_t maxNameBytes = uint64_t(1) << 28;
/// The most slots of 8 bytes that all runs in flight of a variant hold
/// together. A run has one slot for every use of a view and for every Record,
/// Wait and Repeat. It also has memory that counts as `slotsPerProgram` for
/// every program and entry.
inline constexpr uint64_t maxFrameSlots = uint64_t(1) << 26;
inline constexpr uint64_t slotsPerProgram = 16;
/// The most runs in flight.
inline constexpr uint32_t maxFrames = 256;
/// The deepest nesting of Repeats.
inline constexpr uint32_t maxRepeatDepth = 8;
/// The most commands that are carried out if every entry runs once.
inline constexpr uint64_t maxExecutedCommands = uint64_t(1) << 24;
/// The most steps that the reader takes to compare tensors with overlapping
/// spans, in all launches together. A comparison of two tensors takes the
/// square of the sum of their ranks, and at least one step.
inline constexpr uint64_t maxOverlapSteps = uint64_t(1) << 26;

/// The numbers of memory spaces: the number of the host's memory, and the
/// number of an isolated device's memory.
inline constexpr uint32_t hostSpace = 0;
constexpr uint32_t spaceOfDevice(uint32_t device, bool isIsolated) {
  return isIsolated ? device + 1 : hostSpace;
}

/// The first bytes of the file, little-endian.
struct FileHeader {
  char magic[4];
  uint32_t version;
  /// XXH3-64 of the rest of the header, of the model, and of the zeros after
  /// the model. The model has the hashes of the blobs.
  uint64_t checksum;
  uint32_t headerBytes;
  uint32_t reserved0;
  uint64_t fileBytes;
  uint64_t modelOffset;
  uint64_t modelBytes;
  uint64_t reserved1[2];
};
/// Where the next part of a file begins if a part ends at `end`, in a file of
/// `fileBytes` bytes. The zeros between the two belong to the first part.
constexpr uint64_t paddedEnd(uint64_t end, uint64_t fileBytes) {
  const uint64_t padding =
      (blobAlignment - end % blobAlignment) % blobAlignment;
  return end >= fileBytes || padding >= fileBytes - end ? fileBytes
                                                        : end + padding;
}
/// Where the bytes that the checksum covers end in a file of `fileBytes` bytes.
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
