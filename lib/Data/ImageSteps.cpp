//===- ImageSteps.cpp - Steps that move the pixels of images --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ImageSteps.h"

#include <algorithm>
#include <cstring>

using namespace weir;

Status CropStep::apply(const std::byte *from, std::byte *to,
                       const StepDraw &draw) const {
  // The part begins at a random row and column, or in the middle.
  const int64_t spareRows = image.height + 2 * crop.padding - crop.height;
  const int64_t spareColumns = image.width + 2 * crop.padding - crop.width;
  const bool isRandom = draw.key.isRandom;
  const int64_t top =
      (isRandom ? draw.below(spareRows + 1, 0) : spareRows / 2) - crop.padding;
  const int64_t left =
      (isRandom ? draw.below(spareColumns + 1, 1) : spareColumns / 2) -
      crop.padding;
  const int64_t begin = std::clamp<int64_t>(-left, 0, crop.width);
  const int64_t end =
      std::clamp<int64_t>(image.width - left, begin, crop.width);
  auto bytes = [&](int64_t pixels) {
    return static_cast<size_t>(pixels) * image.pixelBytes;
  };
  for (int64_t plane = 0; plane < image.planes; ++plane)
    for (int64_t y = 0; y < crop.height; ++y, to += bytes(crop.width)) {
      const int64_t row = top + y;
      if (row < 0 || row >= image.height || begin == end) {
        std::memset(to, 0, bytes(crop.width));
        continue;
      }
      const std::byte *pixels =
          from +
          bytes((plane * image.height + row) * image.width + (left + begin));
      std::memset(to, 0, bytes(begin));
      std::memcpy(to + bytes(begin), pixels, bytes(end - begin));
      std::memset(to + bytes(end), 0, bytes(crop.width - end));
    }
  return Status::ok();
}

/// Writes the pixels of a row in the opposite order. A pixel has `Bytes` bytes.
template <size_t Bytes>
static void mirrorRow(const std::byte *from, std::byte *to, int64_t width) {
  for (int64_t x = 0; x < width; ++x)
    std::memcpy(to + (width - 1 - x) * Bytes, from + x * Bytes, Bytes);
}

static void mirrorRow(const std::byte *from, std::byte *to,
                      const ImageShape &image) {
  switch (image.pixelBytes) {
  case 1:
    return mirrorRow<1>(from, to, image.width);
  case 3:
    return mirrorRow<3>(from, to, image.width);
  case 4:
    return mirrorRow<4>(from, to, image.width);
  case 12:
    return mirrorRow<12>(from, to, image.width);
  default:
    for (int64_t x = 0; x < image.width; ++x)
      std::memcpy(to + (image.width - 1 - x) * image.pixelBytes,
                  from + x * image.pixelBytes, image.pixelBytes);
  }
}

Status FlipStep::apply(const std::byte *from, std::byte *to,
                       const StepDraw &draw) const {
  const int64_t rows = image.planes * image.height;
  const size_t rowBytes = image.rowBytes();
  if (!draw.key.isRandom || draw.below(2, 0) == 0) {
    std::memcpy(to, from, static_cast<size_t>(rows) * rowBytes);
    return Status::ok();
  }
  for (int64_t row = 0; row < rows; ++row, from += rowBytes, to += rowBytes)
    mirrorRow(from, to, image);
  return Status::ok();
}

template <typename T>
static void splitChannels(const std::byte *from, std::byte *to, int64_t pixels,
                          int64_t channels) {
  const T *elements = reinterpret_cast<const T *>(from);
  T *planes = reinterpret_cast<T *>(to);
  for (int64_t channel = 0; channel < channels; ++channel)
    for (int64_t pixel = 0; pixel < pixels; ++pixel)
      *planes++ = elements[pixel * channels + channel];
}

Status SplitChannelsStep::apply(const std::byte *from, std::byte *to,
                                const StepDraw &draw) const {
  switch (elementBytes) {
  case 1:
    splitChannels<uint8_t>(from, to, pixels, channels);
    break;
  case 2:
    splitChannels<uint16_t>(from, to, pixels, channels);
    break;
  case 4:
    splitChannels<uint32_t>(from, to, pixels, channels);
    break;
  default:
    splitChannels<uint64_t>(from, to, pixels, channels);
  }
  return Status::ok();
}
