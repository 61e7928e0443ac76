//===- Pixels.h - Decoded images --------------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DATA_PIXELS_H
#define WEIR_LIB_DATA_PIXELS_H

#include "AlignedBytes.h"

#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace weir {

/// The size of an image with one byte for each channel. The channels are grey
/// (1), grey and alpha (2), RGB (3) or RGBA (4).
struct PixelShape {
  int64_t height = 0;
  int64_t width = 0;
  int channels = 0;

  size_t bytes() const {
    return static_cast<size_t>(height) * static_cast<size_t>(width) *
           static_cast<size_t>(channels);
  }
  bool operator==(const PixelShape &) const = default;
};

/// The most pixels of an image. No camera makes as many. Without the limit, a
/// small file that claims a huge image could use up all memory.
inline constexpr int64_t maxPixels = 250'000'000;

/// Whether `text` is the beginning of a PNG or JPEG image.
bool isImage(std::string_view text);

/// Decodes a PNG or JPEG file into `pixels`, which has the dims [height, width,
/// channels] and 8 bits for each channel. Palettes become RGB or RGBA. Channels
/// of 16 bits are rounded. It is an error if the file is damaged or ends early.
StatusOr<PixelShape> decodeImage(std::span<const std::byte> file,
                                 AlignedBytes &pixels);
StatusOr<PixelShape> decodePng(std::span<const std::byte> file,
                               AlignedBytes &pixels);
StatusOr<PixelShape> decodeJpeg(std::span<const std::byte> file,
                                AlignedBytes &pixels);

/// Returns an error if the image has more than `maxPixels` pixels.
Status checkPixels(int64_t height, int64_t width);

/// Converts `count` pixels of `from` channels to pixels of `to` channels. `to`
/// is 1, 3 or 4. Grey is 0.299 red + 0.587 green + 0.114 blue, in the integers
/// of PIL. Alpha is dropped, and added alpha is 255.
void convertChannels(const std::byte *pixels, int from, std::byte *result,
                     int to, int64_t count);

/// Resizes an image bilinearly, with the same bits as PIL. In a smaller image,
/// each pixel is a weighted mean of all pixels that it covers. `scratch` holds
/// the image after its width was changed. It is an error if there is no memory
/// for `scratch`.
Status resizeImage(const std::byte *pixels, PixelShape from, std::byte *result,
                   int64_t height, int64_t width, AlignedBytes &scratch);

} // namespace weir

#endif // WEIR_LIB_DATA_PIXELS_H
