//===- ImageResize.cpp - Bilinear resizing as PIL does it -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Weights are fixed-point numbers with 22 fractional bits. So the result is the
// same on every machine. It is also the same as the result of PIL (Pillow's
// Resample.c).
//
//===----------------------------------------------------------------------===//

#include "Pixels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <vector>

using namespace weir;

namespace {
constexpr int weightBits = 22;

/// The pixels that contribute to one pixel of the result, and their weights.
struct Taps {
  int64_t first = 0;
  int64_t count = 0;
  size_t weights = 0;
};

struct AxisTaps {
  std::vector<Taps> taps;
  std::vector<int32_t> weights;
};

/// The taps that resize `from` pixels to `to` pixels. Each pixel of the result
/// has a triangular filter. The width of the filter is the distance of pixels
/// of the result, or the distance of pixels of the image if that is larger.
AxisTaps makeTaps(int64_t from, int64_t to) {
  AxisTaps axis;
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double support = std::max(scale, 1.0);
  std::vector<double> row;
  for (int64_t i = 0; i < to; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    const auto first =
        std::max<int64_t>(static_cast<int64_t>(center - support + 0.5), 0);
    const auto last =
        std::min<int64_t>(static_cast<int64_t>(center + support + 0.5), from);
    row.clear();
    double sum = 0;
    for (int64_t x = first; x < last; ++x) {
      const double distance =
          (static_cast<double>(x) - center + 0.5) * (1.0 / support);
      row.push_back(std::max(1 - std::abs(distance), 0.0));
      sum += row.back();
    }
    axis.taps.push_back({first, last - first, axis.weights.size()});
    for (double weight : row)
      axis.weights.push_back(static_cast<int32_t>(
          0.5 + (sum != 0 ? weight / sum : weight) * (1 << weightBits)));
  }
  return axis;
}

std::byte roundSum(int64_t sum) {
  return static_cast<std::byte>(std::clamp<int64_t>(sum >> weightBits, 0, 255));
}
constexpr int64_t half = int64_t{1} << (weightBits - 1);

/// Resizes the rows of an image.
void resizeRows(const std::byte *pixels, PixelShape from, std::byte *result,
                const AxisTaps &axis) {
  const int channels = from.channels;
  for (int64_t y = 0; y < from.height; ++y, pixels += from.width * channels)
    for (const Taps &taps : axis.taps)
      for (int channel = 0; channel < channels; ++channel) {
        const int32_t *weights = axis.weights.data() + taps.weights;
        const std::byte *pixel = pixels + taps.first * channels + channel;
        int64_t sum = half;
        for (int64_t i = 0; i < taps.count; ++i, pixel += channels)
          sum += static_cast<int64_t>(*pixel) * weights[i];
        *result++ = roundSum(sum);
      }
}

/// Resizes the columns of an image whose rows have `rowBytes` bytes.
void resizeColumns(const std::byte *pixels, int64_t rowBytes, std::byte *result,
                   const AxisTaps &axis) {
  for (const Taps &taps : axis.taps)
    for (int64_t x = 0; x < rowBytes; ++x) {
      const int32_t *weights = axis.weights.data() + taps.weights;
      const std::byte *pixel = pixels + taps.first * rowBytes + x;
      int64_t sum = half;
      for (int64_t i = 0; i < taps.count; ++i, pixel += rowBytes)
        sum += static_cast<int64_t>(*pixel) * weights[i];
      *result++ = roundSum(sum);
    }
}
} // namespace

static Status resize(const std::byte *pixels, PixelShape from,
                     std::byte *result, int64_t height, int64_t width,
                     AlignedBytes &scratch) {
  if (from.width != width) {
    const PixelShape narrow{from.height, width, from.channels};
    std::byte *rows =
        from.height == height ? result : scratch.reserve(narrow.bytes());
    if (!rows)
      return Status::outOfMemory();
    resizeRows(pixels, from, rows, makeTaps(from.width, width));
    pixels = rows;
  }
  if (from.height != height)
    resizeColumns(pixels, width * from.channels, result,
                  makeTaps(from.height, height));
  else if (from.width == width)
    std::memcpy(result, pixels, from.bytes());
  return Status::ok();
}

Status weir::resizeImage(const std::byte *pixels, PixelShape from,
                         std::byte *result, int64_t height, int64_t width,
                         AlignedBytes &scratch) {
  try {
    return resize(pixels, from, result, height, width, scratch);
  } catch (const std::bad_alloc &) {
    return Status::outOfMemory();
  }
}
