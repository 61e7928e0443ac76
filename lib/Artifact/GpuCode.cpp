//===- GpuCode.cpp - Generated code for GPUs as one blob --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Artifact/GpuCode.h"

#include "Cubin.h"

#include "weir/Support/Alignment.h"

#include <cstring>
#include <fmt/format.h>

using namespace weir;
using namespace weir::artifact;

namespace {
/// The first bytes of a blob. The table of images follows.
struct BlobHeader {
  char magic[4];
  uint32_t numImages;
  uint64_t blobBytes;
};

struct ImageEntry {
  uint32_t kind;
  uint32_t arch;
  /// The offset of the image in the blob.
  uint64_t offset;
  uint64_t bytes;
};

constexpr char blobMagic[4] = {'W', 'G', 'P', 'U'};
constexpr uint64_t imageAlignment = 16;

static_assert(sizeof(BlobHeader) == 16 && sizeof(ImageEntry) == 24,
              "the layout is part of the format");

template <typename T> T load(std::span<const std::byte> blob, uint64_t offset) {
  T value;
  std::memcpy(&value, blob.data() + offset, sizeof(T));
  return value;
}

uint64_t tableEnd(uint64_t numImages) {
  return sizeof(BlobHeader) + numImages * sizeof(ImageEntry);
}

Status damaged(std::string message) {
  return dataLoss("generated code for GPUs is damaged: " + std::move(message) +
                  "; compile the model again");
}

Status checkHeader(std::span<const std::byte> blob) {
  if (blob.size() < sizeof(BlobHeader))
    return damaged(fmt::format("it has {} bytes, fewer than its header's {}",
                               blob.size(), sizeof(BlobHeader)));
  const auto header = load<BlobHeader>(blob, 0);
  if (std::memcmp(header.magic, blobMagic, sizeof(blobMagic)) != 0)
    return damaged("it does not begin with WGPU");
  if (header.blobBytes != blob.size())
    return damaged(fmt::format("it has {} bytes, its header says {}",
                               blob.size(), header.blobBytes));
  if (header.numImages == 0 || header.numImages > maxGpuImages ||
      tableEnd(header.numImages) > blob.size())
    return damaged(fmt::format(
        "it says that it has {} images; expected 1 to {}, with a table inside "
        "of its {} bytes",
        header.numImages, maxGpuImages, blob.size()));
  return Status::ok();
}

bool isPrivate(uint32_t kind) {
  return kind >= static_cast<uint32_t>(GpuImage::Kind::Private);
}

bool isKnown(uint32_t kind) {
  return kind == static_cast<uint32_t>(GpuImage::Kind::Ptx) ||
         kind == static_cast<uint32_t>(GpuImage::Kind::Cubin) ||
         isPrivate(kind);
}

/// Checks that the only zero byte of PTX is the last one.
Status checkText(const GpuImage &image) {
  const void *zero = std::memchr(image.bytes.data(), 0, image.bytes.size());
  if (zero == &image.bytes.back())
    return Status::ok();
  return damaged("its PTX does not end at its first zero byte");
}

/// Reads the image of `entry`. The image must begin at `end` or behind it.
/// Moves `end` to the end of the image.
StatusOr<GpuImage> readImage(std::span<const std::byte> blob,
                             const ImageEntry &entry, uint64_t &end) {
  if (!isKnown(entry.kind))
    return damaged(fmt::format("an image is of the unknown kind {}; expected "
                               "1 or 2",
                               entry.kind));
  const auto kind = static_cast<GpuImage::Kind>(entry.kind);
  const bool hasArch = !isPrivate(entry.kind);
  if (hasArch ? entry.arch < 10 || entry.arch > 999 : entry.arch != 0)
    return damaged(
        fmt::format("an image of kind {} has the architecture {}; expected {}",
                    entry.kind, entry.arch, hasArch ? "10 to 999" : "0"));
  if (entry.offset % imageAlignment != 0 || entry.offset < end ||
      entry.offset > blob.size() || entry.bytes == 0 ||
      entry.bytes > blob.size() - entry.offset)
    return damaged(fmt::format(
        "an image has {} bytes at {}; expected at least one, inside of {} "
        "bytes, and from a multiple of {} behind byte {} on",
        entry.bytes, entry.offset, blob.size(), imageAlignment, end));
  end = entry.offset + entry.bytes;
  GpuImage image{kind, entry.arch, blob.subspan(entry.offset, entry.bytes)};
  if (kind == GpuImage::Kind::Ptx)
    WEIR_RETURN_IF_ERROR(checkText(image));
  if (kind == GpuImage::Kind::Cubin)
    if (std::string damage = findCubinDamage(image.bytes); !damage.empty())
      return damaged(
          fmt::format("machine code for sm_{}: {}", image.arch, damage));
  return image;
}
} // namespace

std::string artifact::gpuEntryName(uint32_t function) {
  return fmt::format("weir_kernel_{}", function);
}

std::vector<std::byte> artifact::packGpuCode(std::span<const GpuImage> images) {
  std::vector<ImageEntry> entries;
  uint64_t end = tableEnd(images.size());
  for (const GpuImage &image : images) {
    const uint64_t offset = alignTo(end, imageAlignment);
    entries.push_back({static_cast<uint32_t>(image.kind), image.arch, offset,
                       image.bytes.size()});
    end = offset + image.bytes.size();
  }
  BlobHeader header{{}, static_cast<uint32_t>(images.size()), end};
  std::memcpy(header.magic, blobMagic, sizeof(blobMagic));
  std::vector<std::byte> blob(end);
  std::memcpy(blob.data(), &header, sizeof(header));
  if (!entries.empty())
    std::memcpy(blob.data() + sizeof(header), entries.data(),
                entries.size() * sizeof(ImageEntry));
  for (size_t i = 0; i < images.size(); ++i)
    std::memcpy(blob.data() + entries[i].offset, images[i].bytes.data(),
                images[i].bytes.size());
  return blob;
}

StatusOr<std::vector<GpuImage>>
artifact::parseGpuCode(std::span<const std::byte> blob) {
  WEIR_RETURN_IF_ERROR(checkHeader(blob));
  const uint64_t count = load<BlobHeader>(blob, 0).numImages;
  std::vector<GpuImage> images;
  uint64_t end = tableEnd(count);
  for (uint64_t i = 0; i < count; ++i) {
    const auto entry = load<ImageEntry>(blob, tableEnd(i));
    WEIR_ASSIGN_OR_RETURN(GpuImage image, readImage(blob, entry, end));
    images.push_back(image);
  }
  return images;
}
