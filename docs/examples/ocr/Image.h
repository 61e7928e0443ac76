//===- Image.h - Pictures in memory and in PNG files -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef OCR_IMAGE_H
#define OCR_IMAGE_H

#include "Geometry.h"
#include "weir/Support/Status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ocr {

/// Blue, green, red: the order with which the networks were trained.
using Colour = std::array<uint8_t, 3>;

/// A picture as rows from the top.
struct Image {
  int64_t width = 0, height = 0;
  std::vector<Colour> pixels;

  Image(int64_t width, int64_t height)
      : width(width), height(height),
        pixels(static_cast<size_t>(width * height)) {}

  Colour &at(int64_t x, int64_t y) { return pixels[y * width + x]; }
  const Colour &at(int64_t x, int64_t y) const { return pixels[y * width + x]; }
};

/// Reads any PNG file. Transparent parts become white.
weir::StatusOr<Image> readPng(const std::string &path);

weir::Status writePng(const std::string &path, const Image &image);

/// Draws the sides of `quad`, two pixels wide. Parts outside of the image are
/// left out.
void drawQuad(Image &image, const Quad &quad, Colour colour);

} // namespace ocr

#endif // OCR_IMAGE_H
