//===- Resample.cpp - Scaled, rotated and cropped pictures ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Resample.h"

#include <algorithm>
#include <cmath>

using namespace ocr;

static uint8_t toByte(double value) {
  return static_cast<uint8_t>(std::clamp(std::round(value), 0.0, 255.0));
}

//===----------------------------------------------------------------------===//
// Bilinear
//===----------------------------------------------------------------------===//

namespace {
/// The two pixels of a row or column between which a new pixel lies.
struct Between {
  int64_t first, second;
  /// The weight of the second, from 0 to 1.
  double part;
};
} // namespace

/// For each of `to` pixels, its position among `from` pixels.
static std::vector<Between> spread(int64_t from, int64_t to) {
  std::vector<Between> places;
  for (int64_t i = 0; i < to; ++i) {
    double place = (i + 0.5) * from / to - 0.5;
    place = std::clamp(place, 0.0, static_cast<double>(from - 1));
    auto first = static_cast<int64_t>(place);
    places.push_back({first, std::min(first + 1, from - 1), place - first});
  }
  return places;
}

static double mix(double first, double second, double part) {
  return first + part * (second - first);
}

Image ocr::resize(const Image &image, int64_t width, int64_t height) {
  Image result(width, height);
  const std::vector<Between> columns = spread(image.width, width);
  const std::vector<Between> rows = spread(image.height, height);
  for (int64_t y = 0; y < height; ++y) {
    const Between &row = rows[y];
    for (int64_t x = 0; x < width; ++x) {
      const Between &column = columns[x];
      const Colour &a = image.at(column.first, row.first);
      const Colour &b = image.at(column.second, row.first);
      const Colour &c = image.at(column.first, row.second);
      const Colour &d = image.at(column.second, row.second);
      for (size_t i = 0; i < 3; ++i)
        result.at(x, y)[i] =
            toByte(mix(mix(a[i], b[i], column.part),
                       mix(c[i], d[i], column.part), row.part));
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Bicubic
//===----------------------------------------------------------------------===//

/// The weights of four neighbours for a position `part` after the second of
/// them: Keys' cubic convolution with a = -0.75.
static std::array<double, 4> cubicWeights(double part) {
  constexpr double a = -0.75;
  auto near = [](double t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
  auto far = [](double t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
  return {far(part + 1), near(part), near(1 - part), far(2 - part)};
}

static Colour sampleCubic(const Image &image, Point place) {
  // More than two pixels outside of the border, only the border's colour
  // counts.
  double x = std::clamp(place.x, -2.0, image.width + 1.0);
  double y = std::clamp(place.y, -2.0, image.height + 1.0);
  auto left = static_cast<int64_t>(std::floor(x));
  auto top = static_cast<int64_t>(std::floor(y));
  auto columns = cubicWeights(x - left), rows = cubicWeights(y - top);
  std::array<double, 3> sum{};
  for (int64_t j = 0; j < 4; ++j)
    for (int64_t i = 0; i < 4; ++i) {
      const Colour &pixel =
          image.at(std::clamp<int64_t>(left + i - 1, 0, image.width - 1),
                   std::clamp<int64_t>(top + j - 1, 0, image.height - 1));
      for (size_t channel = 0; channel < 3; ++channel)
        sum[channel] += columns[i] * rows[j] * pixel[channel];
    }
  return {toByte(sum[0]), toByte(sum[1]), toByte(sum[2])};
}

Image ocr::cutOut(const Image &image, const Quad &quad) {
  auto longer = [](double a, double b) {
    return std::max<int64_t>(1, static_cast<int64_t>(std::max(a, b)));
  };
  int64_t width =
      longer(distance(quad[0], quad[1]), distance(quad[2], quad[3]));
  int64_t height =
      longer(distance(quad[0], quad[3]), distance(quad[1], quad[2]));
  Image result(width, height);
  const Projection project(static_cast<double>(width),
                           static_cast<double>(height), quad);
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      result.at(x, y) = sampleCubic(
          image, project(static_cast<double>(x), static_cast<double>(y)));
  return result;
}

//===----------------------------------------------------------------------===//
// Without interpolation
//===----------------------------------------------------------------------===//

Image ocr::turnLeft(const Image &image) {
  Image result(image.height, image.width);
  for (int64_t y = 0; y < result.height; ++y)
    for (int64_t x = 0; x < result.width; ++x)
      result.at(x, y) = image.at(image.width - 1 - y, x);
  return result;
}

void ocr::writePlanes(const Image &image, int64_t width,
                      std::span<float> planes) {
  std::ranges::fill(planes, 0.0f);
  for (int64_t channel = 0; channel < 3; ++channel)
    for (int64_t y = 0; y < image.height; ++y) {
      float *row = &planes[(channel * image.height + y) * width];
      for (int64_t x = 0; x < image.width; ++x)
        row[x] = (image.at(x, y)[channel] / 255.0f - 0.5f) / 0.5f;
    }
}
