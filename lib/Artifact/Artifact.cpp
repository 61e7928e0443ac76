//===- Artifact.cpp - A loaded artifact -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Artifact/Artifact.h"

#include "Names.h"
#include "weir/Artifact/BlobReader.h"
#include "weir/Artifact/Format.h"
#include "weir/Artifact/Verifier.h"
#include "weir/Support/ContentHash.h"
#include "weir/Support/FileKind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

using namespace weir;
using namespace weir::artifact;

namespace {
using Bytes = std::span<const std::byte>;

/// The error about a file of another kind. `begin` is the beginning of the
/// file.
Status refuseForeign(Bytes begin) {
  const std::string_view bytes(reinterpret_cast<const char *>(begin.data()),
                               begin.size());
  std::string_view found = "a file of an unknown kind";
  std::string_view repair = "make an artifact with graph-compile";
  if (std::optional<FileKind> kind = recogniseFile(bytes)) {
    found = describe(*kind);
  } else if (looksLikeONNX(bytes)) {
    found = "an ONNX model";
    repair = "compile it with graph-compile, and give what that writes";
  } else if (!isBinary(bytes)) {
    found = "text";
    repair = "if it is a graph, compile it with graph-compile, and give what "
             "that writes";
  }
  return invalidArgument(
      fmt::format("not a Weir artifact, found {}; {}", found, repair));
}

/// Checks the magic and the version, so that a foreign file and a newer
/// artifact are not reported as damaged artifacts. `begin` is the beginning of
/// the file, which has `fileBytes` bytes.
Status checkKind(Bytes begin, uint64_t fileBytes, FileHeader &header) {
  if (begin.empty())
    return invalidArgument(
        "it is empty, expected an artifact; if graph-compile should have "
        "written it, see its messages");
  if (begin.size() < sizeof(fileMagic) ||
      std::memcmp(begin.data(), fileMagic, sizeof(fileMagic)) != 0)
    return refuseForeign(begin);
  if (begin.size() < sizeof(header))
    return dataLoss(fmt::format("the artifact is cut off: it has {} bytes, its "
                                "header alone has {}",
                                fileBytes, sizeof(header)));
  std::memcpy(&header, begin.data(), sizeof(header));
  if (header.version < 1)
    return dataLoss("the artifact has format version 0, which never existed");
  if (header.version < oldestFormatVersion || header.version > formatVersion)
    return unimplemented(fmt::format(
        "the artifact has format version {}, this build reads versions {} to "
        "{}; {}compile the model again with this version",
        header.version, oldestFormatVersion, formatVersion,
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
    return dataLoss(
        fmt::format("the artifact's header is not valid for format version {}",
                    header.version));
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

/// Compares the checksum in `header` with the checksum of `front`. `front` is
/// the header and the model.
Status checkChecksum(const FileHeader &header, Bytes front) {
  Checksum checksum;
  checksum.update(front.subspan(checksumBegin));
  if (checksum.value() == header.checksum)
    return Status::ok();
  return dataLoss(fmt::format(
      "the artifact is damaged: its checksum is {:016x}, its header says "
      "{:016x}",
      checksum.value(), header.checksum));
}

std::unique_ptr<std::byte[]> allocate(uint64_t bytes) {
  return std::make_unique_for_overwrite<std::byte[]>(bytes);
}

using Tables = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::Table>>;

/// Limits the number of strings before the FlatBuffers verifier runs. The
/// verifier limits the number of tables. But it may visit one table several
/// times, and all of its strings each time.
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

  /// Finds the list in `field`. The list may be absent. Returns whether it is
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
  // A table and the offset to it take at least eight bytes. A model has more
  // tables only if several offsets lead to one table. Its verification could
  // take for ever.
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

Status Artifact::read(uint64_t offset, std::span<std::byte> to) const {
  if (const auto *file = std::get_if<RegularFile>(&source))
    return file->read(offset, to);
  const auto *memory = std::get_if<MappedFile>(&source);
  if (!memory)
    return internalError("the blobs of an artifact are read after its loading");
  if (!to.empty())
    std::memcpy(to.data(), memory->bytes().data() + offset, to.size());
  return Status::ok();
}

/// Finds and checks the model, which has been read to `front`.
Status Artifact::checkModel(const FileHeader &header) {
  WEIR_ASSIGN_OR_RETURN(
      root, findModel({front.get() + header.modelOffset, header.modelBytes}));
  version = header.version;
  return verifyModel(*root, header.modelBytes,
                     {header.modelOffset + header.modelBytes, size});
}

/// Reads and checks everything in front of the blobs.
Status Artifact::readModel() {
  std::byte begin[sizeof(FileHeader)];
  const Bytes known =
      Bytes(begin).first(std::min<uint64_t>(size, sizeof(begin)));
  WEIR_RETURN_IF_ERROR(read(0, std::span(begin).first(known.size())));
  FileHeader header{};
  WEIR_RETURN_IF_ERROR(checkKind(known, size, header));
  WEIR_RETURN_IF_ERROR(checkSizes(header, size));
  const uint64_t end = checksumEnd(header, size);
  front = allocate(end);
  const std::span<std::byte> whole(front.get(), end);
  std::ranges::copy(known, whole.begin());
  WEIR_RETURN_IF_ERROR(
      read(header.modelOffset, whole.subspan(header.modelOffset)));
  WEIR_RETURN_IF_ERROR(checkChecksum(header, whole));
  return checkModel(header);
}

/// Adds to `status` what to do about a damaged artifact.
static Status withRepair(Status status) {
  if (status.code() != StatusCode::DataLoss)
    return status;
  return dataLoss(std::string(status.message()) +
                  "; copy or compile the model again");
}

StatusOr<Artifact> Artifact::load(Source source, uint64_t size) {
  Artifact artifact(std::move(source));
  artifact.size = size;
  WEIR_RETURN_IF_ERROR(withRepair(artifact.readModel()));
  return artifact;
}

static StatusOr<Artifact> withPath(StatusOr<Artifact> artifact,
                                   const std::string &path) {
  if (!artifact)
    return std::move(artifact).status().withContext(
        fmt::format("cannot load '{}'", path));
  return artifact;
}

StatusOr<Artifact> Artifact::open(const std::string &path) {
  if (path == "-") {
    WEIR_ASSIGN_OR_RETURN(MappedFile input, MappedFile::open(path));
    const uint64_t bytes = input.bytes().size();
    return withPath(load(std::move(input), bytes), path);
  }
  WEIR_ASSIGN_OR_RETURN(RegularFile file, RegularFile::open(path));
  const uint64_t bytes = file.size();
  return withPath(load(std::move(file), bytes), path);
}

StatusOr<Artifact> Artifact::fromBytes(std::span<const std::byte> bytes) {
  WEIR_ASSIGN_OR_RETURN(MappedFile copy, MappedFile::copyOf(bytes));
  return load(std::move(copy), bytes.size());
}

StatusOr<Artifact> Artifact::withoutBlobs(std::span<const std::byte> front) {
  FileHeader header{};
  WEIR_RETURN_IF_ERROR(checkKind(front, front.size(), header));
  WEIR_RETURN_IF_ERROR(checkSizes(header, header.fileBytes));
  if (front.size() != header.modelOffset + header.modelBytes)
    return invalidArgument("expected the part of an artifact before its blobs");
  Artifact artifact{std::monostate()};
  artifact.size = header.fileBytes;
  artifact.front = allocate(front.size());
  std::ranges::copy(front, artifact.front.get());
  WEIR_RETURN_IF_ERROR(artifact.checkModel(header));
  return artifact;
}

Status Artifact::readBlob(size_t index, std::span<std::byte> to) const {
  BlobReader reader(*this, index);
  WEIR_RETURN_IF_ERROR(reader.read(to));
  return reader.finish();
}

StatusOr<std::unique_ptr<std::byte[]>> Artifact::readBlob(size_t index) const {
  const uint64_t bytes =
      root->blobs()->Get(static_cast<uint32_t>(index))->bytes();
  std::unique_ptr<std::byte[]> memory = allocate(bytes);
  WEIR_RETURN_IF_ERROR(readBlob(index, {memory.get(), bytes}));
  return memory;
}

Status Artifact::visitBlob(size_t index, const BlobVisitor &visit) const {
  constexpr size_t chunkBytes = BlobReader::chunkBytes;
  const std::unique_ptr<std::byte[]> memory = allocate(chunkBytes);
  BlobReader reader(*this, index);
  while (reader.bytesLeft() > 0) {
    const std::span<std::byte> chunk(
        memory.get(), std::min<uint64_t>(chunkBytes, reader.bytesLeft()));
    WEIR_RETURN_IF_ERROR(reader.read(chunk));
    WEIR_RETURN_IF_ERROR(visit(chunk));
  }
  return reader.finish();
}

Status Artifact::checkBlobs() const {
  if (!root->blobs())
    return Status::ok();
  // A blob with a fill is not in the file, so it cannot be damaged.
  for (uint32_t i = 0; i < root->blobs()->size(); ++i)
    if (!root->blobs()->Get(i)->fill())
      WEIR_RETURN_IF_ERROR(visitBlob(i, [](auto) { return Status::ok(); }));
  return Status::ok();
}
