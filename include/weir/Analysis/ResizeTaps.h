//===- ResizeTaps.h - The weights of a resize along one axis ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Resizing is separable. Along one axis, each element of the result is a
// weighted sum of a few input elements, its taps. The taps depend on sizes
// alone, so they are constants of a compiled graph. A resize becomes one op per
// axis: a weir.take (one tap of weight 1) or a weir.resample. Modes and their
// names are those of ONNX's Resize.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_RESIZETAPS_H
#define WEIR_ANALYSIS_RESIZETAPS_H

#include "weir/Support/Status.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace weir::analysis {

enum class ResizeMode { Nearest, Linear, Cubic };

/// How a position in the result maps to a position in the input.
enum class ResizeCoordinates {
  HalfPixel,
  HalfPixelSymmetric,
  PytorchHalfPixel,
  AlignCorners,
  Asymmetric,
  TfCropAndResize,
};

/// How a position between two elements is rounded to the position of an
/// element.
enum class NearestMode { RoundPreferFloor, RoundPreferCeil, Floor, Ceil };

/// The mode with ONNX's name `name`. The error lists the names.
StatusOr<ResizeMode> parseResizeMode(std::string_view name);
StatusOr<ResizeCoordinates> parseResizeCoordinates(std::string_view name);
StatusOr<NearestMode> parseNearestMode(std::string_view name);

/// One axis of a resize.
struct ResizeAxis {
  int64_t inputSize = 0;
  int64_t outputSize = 0;
  /// The requested number of output elements per input element. The output size
  /// is the input size times the scale, truncated to an integer.
  double scale = 1;
  ResizeMode mode = ResizeMode::Nearest;
  ResizeCoordinates coordinates = ResizeCoordinates::HalfPixel;
  NearestMode nearest = NearestMode::RoundPreferFloor;
  double cubicCoefficient = -0.75;
  /// Whether taps outside of the input have weight 0, instead of using the
  /// outermost element.
  bool excludesOutside = false;
  /// Whether downscaling widens the filter (linear and cubic).
  bool hasAntialias = false;
  /// The part of the input that is resized (TfCropAndResize). 0 to 1 is the
  /// whole input.
  double cropBegin = 0;
  double cropEnd = 1;
};

struct ResizeTaps {
  int64_t tapsPerElement = 0;
  /// For each element of the result, the positions of its taps, from 0 to
  /// inputSize - 1.
  std::vector<int64_t> indices;
  /// The weights of the taps, one per index.
  std::vector<double> weights;
  /// For each element of the result, whether its position is outside of the
  /// input. All its weights are then 0 (TfCropAndResize).
  std::vector<bool> isOutside;

  /// Whether each element of the result is a copy of one input element.
  bool isSelection() const;
};

/// Computes the taps along one axis. Sizes and the scale are positive.
StatusOr<ResizeTaps> computeResizeTaps(const ResizeAxis &axis);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_RESIZETAPS_H
