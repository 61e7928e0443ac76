//===- ResizeTaps.h - Which elements a resized one is made of -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Resizing is separable: along one axis each element of the result is a
// weighted sum of a few of the input's, its taps. They depend on sizes alone,
// so they are constants of a compiled graph, and the resize is a weir.take (one
// tap of weight 1) or a weir.resample per axis. Modes and their names are those
// of ONNX's Resize.
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

/// How a position in the result becomes one in the input.
enum class ResizeCoordinates {
  HalfPixel,
  HalfPixelSymmetric,
  PytorchHalfPixel,
  AlignCorners,
  Asymmetric,
  TfCropAndResize,
};

/// How a position between two elements becomes the one or the other.
enum class NearestMode { RoundPreferFloor, RoundPreferCeil, Floor, Ceil };

/// The mode that ONNX calls `name`; the error lists the names.
StatusOr<ResizeMode> parseResizeMode(std::string_view name);
StatusOr<ResizeCoordinates> parseResizeCoordinates(std::string_view name);
StatusOr<NearestMode> parseNearestMode(std::string_view name);

/// One axis of a resize.
struct ResizeAxis {
  int64_t inputSize = 0;
  int64_t outputSize = 0;
  /// Output elements per input element; what was asked for, of which the output
  /// size is the integer part.
  double scale = 1;
  ResizeMode mode = ResizeMode::Nearest;
  ResizeCoordinates coordinates = ResizeCoordinates::HalfPixel;
  NearestMode nearest = NearestMode::RoundPreferFloor;
  double cubicCoefficient = -0.75;
  /// Whether taps outside of the input count nothing, rather than as the
  /// outermost element.
  bool excludesOutside = false;
  /// Whether downscaling widens the filter (linear and cubic).
  bool hasAntialias = false;
  /// TfCropAndResize: the part of the input that is resized, 0 to 1 for all.
  double cropBegin = 0;
  double cropEnd = 1;
};

struct ResizeTaps {
  int64_t tapsPerElement = 0;
  /// For each element of the result its taps' places, from 0 to inputSize - 1.
  std::vector<int64_t> indices;
  /// One per index.
  std::vector<double> weights;
  /// For each element of the result whether it lies outside of the input, where
  /// all its weights are 0 (TfCropAndResize).
  std::vector<bool> isOutside;

  /// Whether each element of the result is one of the input.
  bool isSelection() const;
};

/// Computes the taps along one axis. Sizes and the scale are positive.
StatusOr<ResizeTaps> computeResizeTaps(const ResizeAxis &axis);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_RESIZETAPS_H
