//===- BlobReader.h - Reads a blob part by part -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ARTIFACT_BLOBREADER_H
#define WEIR_ARTIFACT_BLOBREADER_H

#include "weir/Artifact/Artifact.h"
#include "weir/Support/ContentHash.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir::artifact {

/// Reads one blob from its beginning to its end, or makes its elements if it
/// has a fill. The bytes are known to be right only if `finish` finds no error.
class BlobReader {
public:
  /// The size of the chunks that are read. A chunk is hashed while it is still
  /// in the cache.
  static constexpr size_t chunkBytes = size_t(256) << 10;

  /// `artifact` must exist while the blob is read.
  BlobReader(const Artifact &artifact, size_t index);

  uint64_t bytesRead() const { return position; }
  uint64_t bytesLeft() const { return blob.bytes() - position; }

  /// Reads the next `to.size()` bytes, which are at most `bytesLeft()`.
  Status read(std::span<std::byte> to);
  /// Reads what is left, and compares the blob with its hash.
  Status finish();

private:
  const Artifact &artifact;
  const Blob &blob;
  uint64_t position = 0;
  Checksum hash;
};

} // namespace weir::artifact

#endif // WEIR_ARTIFACT_BLOBREADER_H
