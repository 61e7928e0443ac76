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

#include <algorithm>
#include <cstring>

using namespace weir;
using namespace weir::artifact;

namespace {
using Bytes = std::span<const std::byte>;

/// Checks the magic and the version. They distinguish a foreign file and a
/// newer one from a damaged one.
Status checkKind(Bytes file, FileHeader &header) {
  if (file.empty())
    return invalidArgument(
        "it is empty, expected an artifact; if graph-compile should have "
        "written it, see its messages");
  if (file.size() < sizeof(fileMagic) ||
      std::memcmp(file.data(), fileMagic, sizeof(fileMagic)) != 0)
    return invalidArgument("not a Weir artifact: it does not begin with "
                           "'WEIR'; make one with graph-compile");
  if (file.size() < sizeof(header))
    return dataLoss(fmt::format("the artifact is cut off: it has {} bytes, its "
                                "header alone has {}",
                                file.size(), sizeof(header)));
  std::memcpy(&header, file.data(), sizeof(header));
  if (header.version < 1)
    return dataLoss("the artifact has format version 0, which never existed");
  if (header.version != formatVersion)
    return unimplemented(fmt::format(
        "the artifact has format version {}, this build reads version {}; {}"
        "compile the model again with this version",
        header.version, formatVersion,
        header.version > formatVersion ? "update Weir, or " : ""));
  return Status::ok();
}

/// The size of the root offset and the file identifier of a FlatBuffer.
constexpr uint64_t minModelBytes = 8;

Status checkSizes(const FileHeader &header, uint64_t fileBytes) {
  if (header.fileBytes != fileBytes)
    return dataLoss(
        fmt::format("the artifact is {}: it has {} bytes, its header says {}",
                    fileBytes < header.fileBytes ? "cut off" : "too long",
                    fileBytes, header.fileBytes));
  if (header.headerBytes != sizeof(header) || header.reserved0 != 0 ||
      header.reserved1[0] != 0 || header.reserved1[1] != 0)
    return dataLoss("the artifact's header is not valid for format version 2");
  if (header.modelOffset != sizeof(header) ||
      header.modelBytes < minModelBytes ||
      header.modelBytes > fileBytes - sizeof(header) ||
      header.modelBytes >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return dataLoss(fmt::format("the artifact's model of {} bytes at offset {} "
                                "does not fit its file of {} bytes",
                                header.modelBytes, header.modelOffset,
                                fileBytes));
  return Status::ok();
}

/// Reads the file once, from the front. Only one chunk of the blobs is resident
/// at a time, since they may be as large as the memory.
Status checkChecksum(const FileHeader &header, const MappedFile &mapped) {
  constexpr size_t chunkBytes = size_t(1) << 20;
  const Bytes file = mapped.bytes();
  const size_t blobsBegin = header.modelOffset + header.modelBytes;
  Checksum checksum;
  checksum.update(file.subspan(checksumBegin, blobsBegin - checksumBegin));
  for (size_t at = blobsBegin; at < file.size(); at += chunkBytes) {
    const Bytes chunk =
        file.subspan(at, std::min(chunkBytes, file.size() - at));
    checksum.update(chunk);
    mapped.release(chunk);
  }
  if (checksum.value() == header.checksum)
    return Status::ok();
  return dataLoss(fmt::format(
      "the artifact is damaged: its checksum is {:016x}, its header says "
      "{:016x}; copy or compile it again",
      checksum.value(), header.checksum));
}

using Tables = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::Table>>;

/// Bounds the work of the FlatBuffers verifier, which counts tables, but not
/// the strings of a table that it reaches several times.
class StringCounter {
public:
  StringCounter(flatbuffers::Verifier &verifier, uint64_t limit)
      : verifier(verifier), left(limit) {}

  /// Checks that the lists of strings in `model` are well-formed and have at
  /// most `limit` strings in all.
  bool check(const flatbuffers::Table *model) {
    return visit(model, [&] {
      return forEach(model, Model::VT_VARIANTS, [&](auto *variant) {
        return count(variant, Variant::VT_CPU_FEATURES) &&
               forEach(variant, Variant::VT_ENTRIES, [&](auto *entry) {
                 return count(entry, Entry::VT_NAMES);
               });
      });
    });
  }

private:
  template <typename Body>
  bool visit(const flatbuffers::Table *table, Body body) {
    return table->VerifyTableStart(verifier) && body() && verifier.EndTable();
  }

  /// Finds the list in `field`, which may be absent. Returns whether it is
  /// well-formed.
  bool find(const flatbuffers::Table *table, flatbuffers::voffset_t field,
            const Tables *&list) {
    if (!table->VerifyOffset(verifier, field))
      return false;
    list = table->GetPointer<const Tables *>(field);
    return verifier.VerifyVector(list);
  }

  template <typename Body>
  bool forEach(const flatbuffers::Table *table, flatbuffers::voffset_t field,
               Body body) {
    const Tables *list;
    if (!find(table, field, list))
      return false;
    for (uint32_t i = 0; list && i < list->size(); ++i)
      if (!visit(list->Get(i), [&] { return body(list->Get(i)); }))
        return false;
    return true;
  }

  bool count(const flatbuffers::Table *table, flatbuffers::voffset_t field) {
    const Tables *list;
    if (!find(table, field, list) || (list && list->size() > left))
      return false;
    left -= list ? list->size() : 0;
    return true;
  }

  flatbuffers::Verifier &verifier;
  uint64_t left;
};

/// Runs the FlatBuffers verifier and returns the model in `packed`.
StatusOr<const Model *> findModel(Bytes packed) {
  constexpr flatbuffers::uoffset_t maxDepth = 16;
  // A table and the offset to it take at least eight bytes. More tables than
  // that are possible only if offsets share them, which could take for ever to
  // verify.
  auto maxTables = static_cast<flatbuffers::uoffset_t>(packed.size() / 8);
  auto *data = reinterpret_cast<const uint8_t *>(packed.data());
  flatbuffers::Verifier counting(data, packed.size(), maxDepth, maxTables);
  flatbuffers::Verifier verifier(data, packed.size(), maxDepth, maxTables);
  auto *root = flatbuffers::GetRoot<flatbuffers::Table>(data);
  if (!counting.VerifyOffset(0) ||
      !StringCounter(counting, maxTables).check(root) ||
      !VerifyModelBuffer(verifier))
    return dataLoss("the artifact's model is not a well-formed FlatBuffer");
  return GetModel(data);
}
} // namespace

StatusOr<Artifact> Artifact::load(MappedFile file) {
  Bytes bytes = file.bytes();
  FileHeader header{};
  WEIR_RETURN_IF_ERROR(checkKind(bytes, header));
  WEIR_RETURN_IF_ERROR(checkSizes(header, bytes.size()));
  WEIR_RETURN_IF_ERROR(checkChecksum(header, file));
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
