//===- Writer.h - Writing artifacts -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ARTIFACT_WRITER_H
#define WEIR_ARTIFACT_WRITER_H

#include "weir/Artifact/Artifact.h"
#include "weir/Artifact/Schema.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace weir::artifact {

/// The bytes of one blob, owned by the caller. A blob with a fill has none, and
/// the caller sets its `bytes` in the model.
using BlobBytes = std::span<const std::byte>;

/// Receives the bytes of an artifact in order, in pieces of any size.
using ByteSink = std::function<Status(std::span<const std::byte>)>;

/// Whether the model already has the hashes of its blobs. They are known if one
/// of the functions below was called for the same blobs. Known hashes are not
/// computed again.
enum class BlobHashes { Unknown, Known };

/// Writes `model` with the blobs `blobs[i]` for `model.blobs[i]`, and sets
/// their offset, bytes and hash in `model`. The same model and blobs give the
/// same bytes. Blobs are read twice (for an unknown hash, then to write them)
/// and never copied. Asserts that both lists have the same length. Whether the
/// model is valid is checked by the reader and by `check`, not here.
Status serialize(ModelT &model, std::span<const BlobBytes> blobs,
                 const ByteSink &sink, BlobHashes hashes = BlobHashes::Unknown);

/// Checks that a reader would accept the artifact that `serialize` writes for
/// the same model and blobs. The bytes of blobs are not read.
Status check(ModelT &model, std::span<const BlobBytes> blobs);

/// The artifact that `serialize` writes for the same model and blobs, checked
/// like a file, but without blobs that can be read. Blobs are read for unknown
/// hashes.
StatusOr<Artifact> outline(ModelT &model, std::span<const BlobBytes> blobs,
                           BlobHashes hashes = BlobHashes::Unknown);

/// Writes the artifact to the file `path` ("-": standard output). The file
/// appears as a whole or not at all.
Status writeFile(const std::string &path, ModelT &model,
                 std::span<const BlobBytes> blobs,
                 BlobHashes hashes = BlobHashes::Unknown);

/// Returns the artifact in memory.
StatusOr<std::vector<std::byte>>
toBytes(ModelT &model, std::span<const BlobBytes> blobs,
        BlobHashes hashes = BlobHashes::Unknown);

} // namespace weir::artifact

#endif // WEIR_ARTIFACT_WRITER_H
