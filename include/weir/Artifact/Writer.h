//===- Writer.h - Writing artifacts -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ARTIFACT_WRITER_H
#define WEIR_ARTIFACT_WRITER_H

#include "weir/Artifact/Schema.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace weir::artifact {

/// The bytes of one blob; they belong to the caller.
using BlobBytes = std::span<const std::byte>;

/// Takes the bytes of an artifact in order, in pieces of any size.
using ByteSink = std::function<Status(std::span<const std::byte>)>;

/// Writes `model` with the blobs `blobs[i]` for `model.blobs[i]`, whose offset
/// and bytes are set here. The same model and blobs give the same bytes. Blobs
/// are read twice (checksum, then bytes) and never copied. Asserts that both
/// lists are of one length; what the model says is checked by the reader.
Status serialize(ModelT &model, std::span<const BlobBytes> blobs,
                 const ByteSink &sink);

/// The artifact as the file `path`, which appears whole or not at all; "-" is
/// standard output.
Status writeFile(const std::string &path, ModelT &model,
                 std::span<const BlobBytes> blobs);

/// The artifact in memory.
StatusOr<std::vector<std::byte>> toBytes(ModelT &model,
                                         std::span<const BlobBytes> blobs);

} // namespace weir::artifact

#endif // WEIR_ARTIFACT_WRITER_H
