//===- Writer.cpp - Writing artifacts -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Artifact/Writer.h"

#include "weir/Artifact/Convert.h"
#include "weir/Artifact/Format.h"
#include "weir/Artifact/Verifier.h"
#include "weir/Support/Alignment.h"
#include "weir/Support/ContentHash.h"
#include "weir/Support/OutputFile.h"

#include <array>
#include <cassert>
#include <cstring>
#include <utility>

using namespace weir;
using namespace weir::artifact;

namespace {
std::span<const std::byte> padding(uint64_t bytes) {
  static constexpr std::array<std::byte, blobAlignment> zeros = {};
  return std::span(zeros).first(bytes);
}

/// The padding behind a part of the file that ends at `end` and is not the last
/// part.
std::span<const std::byte> paddingBehind(uint64_t end) {
  return padding(alignTo(end, blobAlignment) - end);
}

void pack(flatbuffers::FlatBufferBuilder &builder, const ModelT &model) {
  builder.Clear();
  FinishModelBuffer(builder, Model::Pack(builder, &model));
}

/// Sets the offset of every blob, from `modelEnd` on. Blobs that are not in the
/// file come last. Returns the size of the file.
uint64_t placeBlobs(ModelT &model, uint64_t modelEnd) {
  uint64_t end = modelEnd, fileEnd = 0;
  for (const bool isFilled : {false, true}) {
    for (auto &blob : model.blobs) {
      if (bool(blob->fill) != isFilled)
        continue;
      blob->offset = alignTo(end, blobAlignment);
      end = blob->offset + blob->bytes;
    }
    if (!isFilled)
      fileEnd = end;
  }
  return fileEnd;
}

/// Sets the hash of every blob in the file. The hash includes the zeros behind
/// the blob.
void hashBlobs(ModelT &model, std::span<const BlobBytes> blobs,
               BlobHashes hashes) {
  if (hashes == BlobHashes::Known)
    return;
  // There are no zeros behind the last blob in the file.
  bool isLast = true;
  for (size_t i = blobs.size(); i-- > 0;) {
    BlobT &blob = *model.blobs[i];
    if (blob.fill)
      continue;
    Checksum checksum;
    checksum.update(blobs[i]);
    if (!std::exchange(isLast, false))
      checksum.update(paddingBehind(blobs[i].size()));
    blob.hash = checksum.value();
  }
}

/// Calls `emit` with everything after the header.
Status emitBody(const ModelT &model, std::span<const std::byte> packed,
                std::span<const BlobBytes> blobs, const ByteSink &emit) {
  WEIR_RETURN_IF_ERROR(emit(packed));
  uint64_t end = sizeof(FileHeader) + packed.size();
  for (size_t i = 0; i < blobs.size(); ++i) {
    if (model.blobs[i]->fill)
      continue;
    WEIR_RETURN_IF_ERROR(emit(padding(model.blobs[i]->offset - end)));
    WEIR_RETURN_IF_ERROR(emit(blobs[i]));
    end = model.blobs[i]->offset + blobs[i].size();
  }
  return Status::ok();
}

/// The oldest version whose readers understand `model`.
uint32_t versionOf(const ModelT &model) {
  uint32_t version = oldestFormatVersion;
  for (const auto &variant : model.variants) {
    for (const auto &variable : variant->variables)
      if (!variable->parts.empty())
        return formatVersion;
    for (const auto &kernel : variant->kernels)
      if (kernel->threads > 0)
        version = gpuCodeVersion;
  }
  return version;
}

FileHeader makeHeader(uint32_t version, uint64_t modelBytes,
                      uint64_t fileBytes) {
  FileHeader header = {};
  std::memcpy(header.magic, fileMagic, sizeof(fileMagic));
  header.version = version;
  header.headerBytes = sizeof(FileHeader);
  header.fileBytes = fileBytes;
  header.modelOffset = sizeof(FileHeader);
  header.modelBytes = modelBytes;
  return header;
}
} // namespace

/// Sets the offset and size of each blob, and the hashes of blobs that are not
/// in the file. Packs the model into `builder`. Returns the size of the file.
static uint64_t packWithBlobs(flatbuffers::FlatBufferBuilder &builder,
                              ModelT &model, std::span<const BlobBytes> blobs) {
  assert(model.blobs.size() == blobs.size() && "one byte span per blob");
  for (size_t i = 0; i < blobs.size(); ++i) {
    BlobT &blob = *model.blobs[i];
    if (blob.fill)
      blob.hash = hashFill(static_cast<DType>(blob.type->element_type),
                           toFill(*blob.fill));
    else
      blob.bytes = blobs[i].size();
    // The offset must not be 0. FlatBuffers omits zeros, so the size of the
    // packed model would change later.
    blob.offset = blobAlignment;
  }
  pack(builder, model);
  size_t modelBytes = builder.GetSize();
  uint64_t fileBytes = placeBlobs(model, sizeof(FileHeader) + modelBytes);
  pack(builder, model);
  assert(builder.GetSize() == modelBytes && "offsets have a fixed size");
  return fileBytes;
}

Status weir::artifact::check(ModelT &model, std::span<const BlobBytes> blobs) {
  flatbuffers::FlatBufferBuilder builder;
  const uint64_t fileBytes = packWithBlobs(builder, model, blobs);
  const BlobSection section{sizeof(FileHeader) + builder.GetSize(), fileBytes};
  return verifyModel(*GetModel(builder.GetBufferPointer()), builder.GetSize(),
                     section);
}

StatusOr<Artifact> weir::artifact::outline(ModelT &model,
                                           std::span<const BlobBytes> blobs,
                                           BlobHashes hashes) {
  hashBlobs(model, blobs, hashes);
  flatbuffers::FlatBufferBuilder builder;
  const uint64_t fileBytes = packWithBlobs(builder, model, blobs);
  const FileHeader header =
      makeHeader(versionOf(model), builder.GetSize(), fileBytes);
  std::vector<std::byte> front(sizeof(header) + builder.GetSize());
  std::memcpy(front.data(), &header, sizeof(header));
  std::memcpy(front.data() + sizeof(header), builder.GetBufferPointer(),
              builder.GetSize());
  return Artifact::withoutBlobs(front);
}

Status weir::artifact::serialize(ModelT &model,
                                 std::span<const BlobBytes> blobs,
                                 const ByteSink &sink, BlobHashes hashes) {
  hashBlobs(model, blobs, hashes);
  flatbuffers::FlatBufferBuilder builder;
  const uint64_t fileBytes = packWithBlobs(builder, model, blobs);
  const size_t modelBytes = builder.GetSize();
  auto packed =
      std::as_bytes(std::span(builder.GetBufferPointer(), modelBytes));
  FileHeader header = makeHeader(versionOf(model), modelBytes, fileBytes);
  auto headerBytes = std::as_bytes(std::span(&header, 1));
  Checksum checksum;
  checksum.update(headerBytes.subspan(checksumBegin));
  checksum.update(packed);
  if (fileBytes > sizeof(FileHeader) + packed.size())
    checksum.update(paddingBehind(sizeof(FileHeader) + packed.size()));
  header.checksum = checksum.value();
  WEIR_RETURN_IF_ERROR(sink(headerBytes));
  return emitBody(model, packed, blobs, sink);
}

Status weir::artifact::writeFile(const std::string &path, ModelT &model,
                                 std::span<const BlobBytes> blobs,
                                 BlobHashes hashes) {
  WEIR_ASSIGN_OR_RETURN(OutputFile file, OutputFile::create(path));
  auto write = [&](std::span<const std::byte> bytes) {
    return file.write(bytes);
  };
  WEIR_RETURN_IF_ERROR(serialize(model, blobs, write, hashes));
  return file.commit();
}

StatusOr<std::vector<std::byte>>
weir::artifact::toBytes(ModelT &model, std::span<const BlobBytes> blobs,
                        BlobHashes hashes) {
  std::vector<std::byte> result;
  auto append = [&](std::span<const std::byte> bytes) {
    result.insert(result.end(), bytes.begin(), bytes.end());
    return Status::ok();
  };
  WEIR_RETURN_IF_ERROR(serialize(model, blobs, append, hashes));
  return result;
}
