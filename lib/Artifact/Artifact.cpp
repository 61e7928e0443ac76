//===- Artifact.cpp - A loaded artifact -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Artifact/Artifact.h"

#include "weir/Artifact/Format.h"
#include "weir/Artifact/Verifier.h"
#include "weir/Support/ContentHash.h"

#include <fmt/format.h>

#include <cstring>

using namespace weir;
using namespace weir::artifact;

namespace {
using Bytes = std::span<const std::byte>;

/// The magic and the version: what tells a foreign file and a newer one from a
/// damaged one.
Status checkKind(Bytes file, FileHeader &header) {
  if (file.size() < sizeof(fileMagic) ||
      std::memcmp(file.data(), fileMagic, sizeof(fileMagic)) != 0)
    return invalidArgument("not a Weir artifact: it does not begin with "
                           "'WEIR'; make one with graph-compile");
  if (file.size() < sizeof(header))
    return dataLoss(fmt::format("the artifact is cut off: it has {} bytes, its "
                                "header alone has {}",
                                file.size(), sizeof(header)));
  std::memcpy(&header, file.data(), sizeof(header));
  if (header.version > formatVersion)
    return unimplemented(fmt::format(
        "the artifact has format version {}, this build reads up to version "
        "{}; update Weir, or compile the model again with this version",
        header.version, formatVersion));
  if (header.version < 1)
    return dataLoss("the artifact has format version 0, which never existed");
  return Status::ok();
}

Status checkSizes(const FileHeader &header, uint64_t fileBytes) {
  if (header.fileBytes != fileBytes)
    return dataLoss(
        fmt::format("the artifact is {}: it has {} bytes, its header says {}",
                    fileBytes < header.fileBytes ? "cut off" : "too long",
                    fileBytes, header.fileBytes));
  if (header.headerBytes != sizeof(header) || header.reserved0 != 0 ||
      header.reserved1[0] != 0 || header.reserved1[1] != 0)
    return dataLoss("the artifact's header is not one of format version 1");
  if (header.modelOffset != sizeof(header) ||
      header.modelBytes > fileBytes - sizeof(header) ||
      header.modelBytes >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return dataLoss(fmt::format("the artifact's model of {} bytes at offset {} "
                                "does not fit its file of {} bytes",
                                header.modelBytes, header.modelOffset,
                                fileBytes));
  return Status::ok();
}

Status checkChecksum(const FileHeader &header, Bytes file) {
  Checksum checksum;
  checksum.update(file.subspan(checksumBegin));
  if (checksum.value() == header.checksum)
    return Status::ok();
  return dataLoss(fmt::format(
      "the artifact is damaged: its checksum is {:016x}, its header says "
      "{:016x}; copy or compile it again",
      checksum.value(), header.checksum));
}

/// Runs the FlatBuffers verifier and returns the model in `packed`.
StatusOr<const Model *> findModel(Bytes packed) {
  constexpr flatbuffers::uoffset_t maxDepth = 16;
  // A table and the offset to it take at least eight bytes; more tables than
  // that are reached only when offsets share them, and could take for ever.
  auto maxTables = static_cast<flatbuffers::uoffset_t>(packed.size() / 8);
  auto *data = reinterpret_cast<const uint8_t *>(packed.data());
  flatbuffers::Verifier verifier(data, packed.size(), maxDepth, maxTables);
  if (!VerifyModelBuffer(verifier))
    return dataLoss("the artifact's model is no well-formed FlatBuffer");
  return GetModel(data);
}
} // namespace

StatusOr<Artifact> Artifact::load(MappedFile file) {
  Bytes bytes = file.bytes();
  FileHeader header;
  WEIR_RETURN_IF_ERROR(checkKind(bytes, header));
  WEIR_RETURN_IF_ERROR(checkSizes(header, bytes.size()));
  WEIR_RETURN_IF_ERROR(checkChecksum(header, bytes));
  WEIR_ASSIGN_OR_RETURN(
      const Model *model,
      findModel(bytes.subspan(header.modelOffset, header.modelBytes)));
  BlobSection section{header.modelOffset + header.modelBytes, bytes.size()};
  WEIR_RETURN_IF_ERROR(verifyModel(*model, header.modelBytes, section));
  return Artifact(std::move(file), model);
}

StatusOr<Artifact> Artifact::open(const std::string &path) {
  WEIR_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  StatusOr<Artifact> artifact = load(std::move(file));
  if (!artifact)
    return std::move(artifact).status().withContext(
        fmt::format("cannot load '{}'", path));
  return artifact;
}

StatusOr<Artifact> Artifact::fromBytes(std::span<const std::byte> bytes) {
  WEIR_ASSIGN_OR_RETURN(MappedFile file, MappedFile::copyOf(bytes));
  return load(std::move(file));
}

std::span<const std::byte> Artifact::blob(size_t index) const {
  const Blob *blob = root->blobs()->Get(index);
  return file.bytes().subspan(blob->offset(), blob->bytes());
}
