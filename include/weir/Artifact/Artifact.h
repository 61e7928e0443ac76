//===- Artifact.h - A loaded artifact -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ARTIFACT_ARTIFACT_H
#define WEIR_ARTIFACT_ARTIFACT_H

#include "weir/Artifact/Schema.h"
#include "weir/Support/MappedFile.h"
#include "weir/Support/RegularFile.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>

namespace weir::artifact {

struct FileHeader;

/// An artifact whose model passed every check: the header, the checksum, the
/// FlatBuffers verifier, and `verifyModel`. So users of an Artifact need not
/// check indices and ranges again. The model is in memory. A blob is read, and
/// compared with its hash, when it is asked for.
///
/// So a change of the file by another process does no harm: `open` and
/// `readBlob` either see the file as it was at first, or give an error.
class Artifact {
public:
  /// Opens the file `path` and checks its model; "-" is standard input.
  static StatusOr<Artifact> open(const std::string &path);
  /// Does the same for an artifact in memory, of which a copy is kept.
  static StatusOr<Artifact> fromBytes(std::span<const std::byte> bytes);
  /// Checks the first bytes of an artifact file, `front`, which end with the
  /// model. Its blobs cannot be read, and the checksum is not compared. For
  /// callers that need only the model.
  static StatusOr<Artifact> withoutBlobs(std::span<const std::byte> front);

  /// The model. It lives as long as this object, and moving the object does not
  /// affect it.
  const Model &model() const { return *root; }
  uint64_t fileBytes() const { return size; }
  uint32_t formatVersion() const { return version; }

  /// Reads blob `index` to `to`, which is as long as the blob. Thread-safe.
  Status readBlob(size_t index, std::span<std::byte> to) const;
  /// Reads blob `index` to memory of its own.
  StatusOr<std::unique_ptr<std::byte[]>> readBlob(size_t index) const;
  using BlobVisitor = std::function<Status(std::span<const std::byte>)>;
  /// Calls `visit` with the parts of blob `index`, in order. If the result is
  /// an error, the parts may be wrong.
  Status visitBlob(size_t index, const BlobVisitor &visit) const;
  /// Compares all blobs with their hashes.
  Status checkBlobs() const;
  /// Closes the file or frees the copy. Blobs cannot be read any more.
  void closeBlobs() { source = std::monostate(); }

private:
  friend class BlobReader;

  /// Where blobs are read from.
  using Source = std::variant<std::monostate, RegularFile, MappedFile>;

  explicit Artifact(Source source) : source(std::move(source)) {}
  static StatusOr<Artifact> load(Source source, uint64_t size);
  Status read(uint64_t offset, std::span<std::byte> to) const;
  Status readModel();
  Status checkModel(const FileHeader &header);

  Source source;
  uint64_t size = 0;
  uint32_t version = 0;
  /// The header and the model.
  std::unique_ptr<std::byte[]> front;
  const Model *root = nullptr;
};

} // namespace weir::artifact

#endif // WEIR_ARTIFACT_ARTIFACT_H
