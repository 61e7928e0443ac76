//===- BlobReader.cpp - Reads a blob part by part -------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Artifact/BlobReader.h"

#include "Names.h"
#include "weir/Artifact/Convert.h"
#include "weir/Artifact/Format.h"
#include "weir/Support/FillBytes.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

using namespace weir;
using namespace weir::artifact;

BlobReader::BlobReader(const Artifact &artifact, size_t index)
    : artifact(artifact),
      blob(*artifact.model().blobs()->Get(static_cast<uint32_t>(index))) {}

Status BlobReader::read(std::span<std::byte> to) {
  if (blob.fill()) {
    fillBytes(toFill(*blob.fill()),
              static_cast<DType>(blob.type()->element_type()), position, to);
    position += to.size();
    return Status::ok();
  }
  for (size_t at = 0; at < to.size(); at += chunkBytes) {
    const auto chunk = to.subspan(at, std::min(chunkBytes, to.size() - at));
    WEIR_RETURN_IF_ERROR(
        artifact.read(blob.offset() + position, chunk)
            .withContext(fmt::format("cannot read {}", quoted(blob.name()))));
    hash.update(chunk);
    position += chunk.size();
  }
  return Status::ok();
}

Status BlobReader::finish() {
  // A blob with a fill is not in the file, so it cannot be damaged.
  if (blob.fill())
    return Status::ok();
  if (bytesLeft() > 0) {
    const size_t chunk = std::min<uint64_t>(chunkBytes, bytesLeft());
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(chunk);
    while (bytesLeft() > 0)
      WEIR_RETURN_IF_ERROR(
          read({memory.get(), std::min<uint64_t>(chunk, bytesLeft())}));
  }
  // The hash includes the zeros behind the blob.
  std::byte padding[blobAlignment];
  const uint64_t end = blob.offset() + blob.bytes();
  const auto zeros =
      std::span(padding).first(paddedEnd(end, artifact.fileBytes()) - end);
  WEIR_RETURN_IF_ERROR(artifact.read(end, zeros));
  hash.update(zeros);
  if (hash.value() == blob.hash())
    return Status::ok();
  return dataLoss(fmt::format(
      "{} is damaged: its hash is {:016x}, the artifact says {:016x}; copy or "
      "compile the artifact again, and replace a file in use by renaming "
      "another one",
      quoted(blob.name()), hash.value(), blob.hash()));
}
