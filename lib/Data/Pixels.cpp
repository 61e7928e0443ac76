//===- Pixels.cpp - Decoded images ----------------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pixels.h"

#include "weir/Support/FileKind.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

using namespace weir;

Status weir::checkPixels(int64_t height, int64_t width) {
  if (height >= 1 && width >= 1 && height <= maxPixels / width)
    return Status::ok();
  return invalidArgument(fmt::format(
      "the image has {}x{} pixels; expected at least 1 and at most {}", height,
      width, maxPixels));
}

static constexpr std::string_view pngMark = "\x89PNG";
static constexpr std::string_view jpegMark = "\xff\xd8";

bool weir::isImage(std::string_view text) {
  return text.starts_with(pngMark) || text.starts_with(jpegMark);
}

StatusOr<PixelShape> weir::decodeImage(std::span<const std::byte> file,
                                       AlignedBytes &pixels) {
  const std::string_view text(reinterpret_cast<const char *>(file.data()),
                              file.size());
  if (text.starts_with(pngMark))
    return decodePng(file, pixels);
  if (text.starts_with(jpegMark))
    return decodeJpeg(file, pixels);
  const std::optional<FileKind> kind = recogniseFile(text);
  return dataLoss(fmt::format("expected a PNG or JPEG image, it {}{}",
                              text.empty() ? "is empty" : "",
                              kind ? fmt::format("is {}", describe(*kind))
                              : text.empty() ? ""
                                             : "begins in another way"));
}

void weir::convertChannels(const std::byte *pixels, int from, std::byte *result,
                           int to, int64_t count) {
  if (from == to) {
    std::memcpy(result, pixels,
                static_cast<size_t>(count) * static_cast<size_t>(to));
    return;
  }
  const bool isGrey = from < 3, hasAlpha = from % 2 == 0;
  for (int64_t i = 0; i < count; ++i, pixels += from, result += to) {
    if (to == 1) {
      auto weighted = [&](int channel, uint32_t weight) {
        return static_cast<uint32_t>(pixels[channel]) * weight;
      };
      // The weights are those of ITU-R 601-2, times 2^16.
      result[0] = isGrey ? pixels[0]
                         : static_cast<std::byte>(
                               (weighted(0, 19595) + weighted(1, 38470) +
                                weighted(2, 7471) + 0x8000) >>
                               16);
      continue;
    }
    for (int channel = 0; channel < 3; ++channel)
      result[channel] = pixels[isGrey ? 0 : channel];
    if (to == 4)
      result[3] = hasAlpha ? pixels[from - 1] : std::byte(255);
  }
}
