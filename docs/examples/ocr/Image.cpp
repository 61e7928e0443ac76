//===- Image.cpp - Pictures in memory and in PNG files -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include "Files.h"

#include <png.h>

#include <algorithm>
#include <cmath>

using namespace ocr;
using namespace weir;

static_assert(sizeof(Colour) == 3, "libpng reads and writes packed colours");

/// More than any scanned page. The limit keeps a small file that claims to be
/// huge from using all memory.
static constexpr int64_t maxPixels = 100'000'000;

namespace {
/// The state of libpng, which is freed at the end.
struct PngState : png_image {
  PngState() : png_image() { version = PNG_IMAGE_VERSION; }
  ~PngState() { png_image_free(this); }
  PngState(const PngState &) = delete;
  PngState &operator=(const PngState &) = delete;

  Status failure(const std::string &path) const {
    return dataLoss("'" + path + "': expected a whole PNG picture: " + message);
  }
};
} // namespace

StatusOr<Image> ocr::readPng(const std::string &path) {
  WEIR_ASSIGN_OR_RETURN(const std::string file, readFile(path));
  PngState png;
  if (!png_image_begin_read_from_memory(&png, file.data(), file.size()))
    return png.failure(path);
  if (int64_t(png.width) * png.height > maxPixels)
    return invalidArgument("'" + path + "': the picture has " +
                           std::to_string(png.width) + "x" +
                           std::to_string(png.height) + " pixels, more than " +
                           std::to_string(maxPixels) + "; scale it down first");
  png.format = PNG_FORMAT_BGR;
  Image image(png.width, png.height);
  const png_color white = {255, 255, 255};
  if (!png_image_finish_read(&png, &white, image.pixels.data(), 0, nullptr))
    return png.failure(path);
  return image;
}

Status ocr::writePng(const std::string &path, const Image &image) {
  PngState png;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_BGR;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::vector<char> bytes(size);
  if (!png_image_write_to_memory(&png, bytes.data(), &size, 0,
                                 image.pixels.data(), 0, nullptr))
    return internalError("'" + path +
                         "': the picture cannot be written: " + png.message);
  return writeFile(path, std::span(bytes).first(size));
}

/// Sets a square of two by two pixels.
static void dab(Image &image, Point point, Colour colour) {
  auto left = static_cast<int64_t>(std::floor(point.x));
  auto top = static_cast<int64_t>(std::floor(point.y));
  for (int64_t y : {top, top + 1})
    for (int64_t x : {left, left + 1})
      if (x >= 0 && x < image.width && y >= 0 && y < image.height)
        image.at(x, y) = colour;
}

void ocr::drawQuad(Image &image, const Quad &quad, Colour colour) {
  for (size_t i = 0; i < 4; ++i) {
    Point from = quad[i], to = quad[(i + 1) % 4];
    int steps = std::max(1, static_cast<int>(std::ceil(distance(from, to))));
    for (int step = 0; step <= steps; ++step) {
      double part = static_cast<double>(step) / steps;
      dab(image,
          {from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)},
          colour);
    }
  }
}
