//===- Artifact.h - A loaded artifact -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ARTIFACT_ARTIFACT_H
#define WEIR_ARTIFACT_ARTIFACT_H

#include "weir/Artifact/Schema.h"
#include "weir/Support/MappedFile.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <span>
#include <string>

namespace weir::artifact {

/// An artifact that passed every check: its header, its checksum, the
/// FlatBuffers verifier, and `verifyModel`. So its users need not check indices
/// and ranges again. The model and the blobs are in the mapped file. They live
/// as long as this object, and a move does not affect them.
class Artifact {
public:
  /// Maps and checks the file `path`; "-" is standard input. While the artifact
  /// exists, the file may be replaced by renaming another one, but not be
  /// written to or truncated.
  static StatusOr<Artifact> open(const std::string &path);
  /// Checks a copy of `bytes`.
  static StatusOr<Artifact> fromBytes(std::span<const std::byte> bytes);

  const Model &model() const { return *root; }
  /// The bytes of blob `index`, 256-byte aligned.
  std::span<const std::byte> blob(size_t index) const;
  /// Returns the memory of `part` of a blob to the system until it is read
  /// again.
  void release(std::span<const std::byte> part) const { file.release(part); }
  uint64_t fileBytes() const { return file.bytes().size(); }

private:
  Artifact(MappedFile file, const Model *root)
      : file(std::move(file)), root(root) {}
  static StatusOr<Artifact> load(MappedFile file);

  MappedFile file;
  const Model *root;
};

} // namespace weir::artifact

#endif // WEIR_ARTIFACT_ARTIFACT_H
