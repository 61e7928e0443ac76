//===- ResizeTaps.cpp - The weights of a resize along one axis --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/ResizeTaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

using namespace weir;
using namespace weir::analysis;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

template <typename T>
using Names = std::span<const std::pair<std::string_view, T>>;

template <typename T>
static StatusOr<T> parseName(std::string_view what, std::string_view name,
                             Names<T> names) {
  std::string known;
  for (const auto &[spelling, value] : names) {
    if (spelling == name)
      return value;
    known += fmt::format("{}'{}'", known.empty() ? "" : ", ", spelling);
  }
  return invalidArgument(
      fmt::format("unknown {} '{}', expected one of {}", what, name, known));
}

StatusOr<ResizeMode> analysis::parseResizeMode(std::string_view name) {
  static constexpr std::pair<std::string_view, ResizeMode> names[] = {
      {"nearest", ResizeMode::Nearest},
      {"linear", ResizeMode::Linear},
      {"cubic", ResizeMode::Cubic},
  };
  return parseName<ResizeMode>("mode", name, names);
}

StatusOr<ResizeCoordinates>
analysis::parseResizeCoordinates(std::string_view name) {
  static constexpr std::pair<std::string_view, ResizeCoordinates> names[] = {
      {"half_pixel", ResizeCoordinates::HalfPixel},
      {"half_pixel_symmetric", ResizeCoordinates::HalfPixelSymmetric},
      {"pytorch_half_pixel", ResizeCoordinates::PytorchHalfPixel},
      {"align_corners", ResizeCoordinates::AlignCorners},
      {"asymmetric", ResizeCoordinates::Asymmetric},
      {"tf_crop_and_resize", ResizeCoordinates::TfCropAndResize},
  };
  return parseName<ResizeCoordinates>("coordinate mode", name, names);
}

StatusOr<NearestMode> analysis::parseNearestMode(std::string_view name) {
  static constexpr std::pair<std::string_view, NearestMode> names[] = {
      {"round_prefer_floor", NearestMode::RoundPreferFloor},
      {"round_prefer_ceil", NearestMode::RoundPreferCeil},
      {"floor", NearestMode::Floor},
      {"ceil", NearestMode::Ceil},
  };
  return parseName<NearestMode>("nearest mode", name, names);
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// The position in the input of element `x` of the result. The exact product of
/// the input's size and the scale counts as the size of the result, even if it
/// is not an integer.
static double findPosition(const ResizeAxis &axis, double x) {
  auto input = static_cast<double>(axis.inputSize);
  double output = axis.scale * input;
  double halfPixel = (x + 0.5) / axis.scale - 0.5;
  switch (axis.coordinates) {
  case ResizeCoordinates::HalfPixel:
    return halfPixel;
  case ResizeCoordinates::HalfPixelSymmetric: {
    double adjustment = static_cast<double>(axis.outputSize) / output;
    return input / 2 * (1 - adjustment) + halfPixel;
  }
  case ResizeCoordinates::PytorchHalfPixel:
    return output == 1 ? -0.5 : halfPixel;
  case ResizeCoordinates::AlignCorners:
    return output == 1 ? 0 : x * (input - 1) / (output - 1);
  case ResizeCoordinates::Asymmetric:
    return x / axis.scale;
  case ResizeCoordinates::TfCropAndResize:
    break;
  }
  double part = (axis.cropEnd - axis.cropBegin) * (input - 1);
  double inside = output == 1 ? part / 2 : x * part / (output - 1);
  return inside + axis.cropBegin * (input - 1);
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// Keys' cubic convolution kernel with coefficient `a`.
static double cubicKernel(double x, double a) {
  x = std::abs(x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

namespace {
/// Computes the taps of one element of the result after the other. The base of
/// a position is the last element of the input before it, so the distance from
/// the base is more than 0 and at most 1. Taps are the elements base + `first`,
/// base + `first` + 1, and so on.
class TapBuilder {
public:
  explicit TapBuilder(const ResizeAxis &axis) : axis(axis) {
    double radius = axis.mode == ResizeMode::Cubic ? 2 : 1;
    if (axis.hasAntialias)
      shrink = std::min(axis.scale, 1.0);
    first = static_cast<int64_t>(std::floor(-radius / shrink)) + 1;
    taps.tapsPerElement = axis.mode == ResizeMode::Nearest ? 1 : 2 - 2 * first;
  }

  /// The number of taps of all elements.
  double count() const {
    return static_cast<double>(taps.tapsPerElement) *
           static_cast<double>(axis.outputSize);
  }

  ResizeTaps build() {
    for (int64_t x = 0; x < axis.outputSize; ++x)
      addElement(findPosition(axis, static_cast<double>(x)));
    return std::move(taps);
  }

private:
  void addElement(double position) {
    bool isOutside =
        axis.coordinates == ResizeCoordinates::TfCropAndResize &&
        !(position >= 0 && position <= static_cast<double>(axis.inputSize - 1));
    taps.isOutside.push_back(isOutside);
    // The limits change no tap: far outside of the input, every tap is the
    // outermost element.
    position = std::clamp(position, -1e15, 1e15);
    auto base = static_cast<int64_t>(std::ceil(position)) - 1;
    double ratio = position - static_cast<double>(base);
    if (axis.mode == ResizeMode::Nearest)
      addTap(base + pickNearest(ratio), 1);
    else
      addWeighted(base, ratio);
    if (isOutside)
      std::fill(taps.weights.end() - taps.tapsPerElement, taps.weights.end(),
                0);
  }

  /// Returns 0 for the base and 1 for the element after it. A position exactly
  /// on an element selects that element.
  int64_t pickNearest(double ratio) const {
    if (ratio == 1)
      return 1;
    switch (axis.nearest) {
    case NearestMode::RoundPreferFloor:
      return ratio > 0.5;
    case NearestMode::RoundPreferCeil:
      return ratio >= 0.5;
    case NearestMode::Floor:
      return 0;
    case NearestMode::Ceil:
      break;
    }
    return 1;
  }

  void addWeighted(int64_t base, double ratio) {
    size_t begin = taps.weights.size();
    double sum = 0;
    for (int64_t i = first; i < first + taps.tapsPerElement; ++i) {
      double weight = weightAt((static_cast<double>(i) - ratio) * shrink);
      bool isInside = base + i >= 0 && base + i < axis.inputSize;
      if (axis.excludesOutside && !isInside)
        weight = 0;
      addTap(base + i, weight);
      sum += weight;
    }
    // If no tap has a weight, the first tap gets the whole weight.
    if (sum == 0)
      taps.weights[begin] = sum = 1;
    if (axis.excludesOutside || axis.hasAntialias)
      for (size_t i = begin; i < taps.weights.size(); ++i)
        taps.weights[i] /= sum;
  }

  double weightAt(double distance) const {
    if (axis.mode == ResizeMode::Cubic)
      return cubicKernel(distance, axis.cubicCoefficient);
    return std::clamp(1 - std::abs(distance), 0.0, 1.0);
  }

  void addTap(int64_t index, double weight) {
    taps.indices.push_back(std::clamp<int64_t>(index, 0, axis.inputSize - 1));
    taps.weights.push_back(weight);
  }

  const ResizeAxis &axis;
  /// The factor by which the distance between a position and a tap is
  /// multiplied before the filter turns it into a weight. The factor is below 1
  /// if the filter is widened.
  double shrink = 1;
  int64_t first = 0;
  ResizeTaps taps;
};
} // namespace

bool ResizeTaps::isSelection() const {
  return tapsPerElement == 1 &&
         std::find(isOutside.begin(), isOutside.end(), true) == isOutside.end();
}

StatusOr<ResizeTaps> analysis::computeResizeTaps(const ResizeAxis &axis) {
  constexpr int64_t sizeLimit = int64_t{1} << 40;
  constexpr double tapLimit = 1 << 28;
  if (axis.inputSize < 1 || axis.inputSize > sizeLimit || axis.outputSize < 1 ||
      axis.outputSize > sizeLimit)
    return invalidArgument(
        fmt::format("a dim of {} is resized to {}, expected sizes from 1 to {}",
                    axis.inputSize, axis.outputSize, sizeLimit));
  if (!(axis.scale > 0) || !std::isfinite(axis.scale) || axis.scale < 1e-9)
    return invalidArgument(
        fmt::format("the scale is {}, expected a positive number", axis.scale));
  TapBuilder builder(axis);
  if (builder.count() > tapLimit)
    return resourceExhausted(fmt::format(
        "a dim of {} resized to {} takes {:.0f} taps, expected at "
        "most {:.0f}",
        axis.inputSize, axis.outputSize, builder.count(), tapLimit));
  return builder.build();
}
