//===- MapSteps.h - What is done with each example of a column --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DATA_MAPSTEPS_H
#define WEIR_DATA_MAPSTEPS_H

#include "weir/Support/DType.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace weir {

/// Converts the elements. Floats become integers by truncation. A value that
/// the integer type cannot hold becomes the nearest value that it can hold, and
/// NaN becomes 0.
struct CastStep {
  DType type = DType::F32;
};

/// Divides the elements, so that `divisor` becomes 1. Integers become f32
/// first. Computed in the type of the column, so f32 has numpy's bits.
struct ScaleStep {
  double divisor = 255;
};

/// Subtracts a mean and divides by a deviation: one of each for all elements,
/// or one for each channel. Integers become f32 first.
struct NormaliseStep {
  std::vector<double> mean = {0};
  std::vector<double> deviation = {1};
};

/// Turns each integer into a row of `classes` elements, with 1 at the position
/// of the integer and 0 elsewhere. An integer out of range is an error.
struct OneHotStep {
  int64_t classes = 0;
  DType type = DType::F32;
};

/// Gives the example another shape with the same number of elements.
struct ReshapeStep {
  std::vector<int64_t> dims;
};

/// Moves the channels of an image to the front: [height, width, channels]
/// becomes [channels, height, width]. An image without channels gets a first
/// dim of 1.
struct ChannelsFirstStep {};

/// Says that the examples are images with their channels in front already, such
/// as [3, 32, 32]. Moves nothing.
struct IsChannelsFirstStep {};

/// Cuts a part of `height` x `width` out of an image, at a random place, after
/// adding `padding` rows and columns of zeros on each side. A loader that does
/// not augment cuts out the middle.
struct RandomCropStep {
  int64_t height = 0;
  int64_t width = 0;
  int64_t padding = 0;
};

/// Mirrors an image left to right with a probability of one half. A loader that
/// does not augment mirrors none.
struct RandomFlipStep {};

/// Calls a function of the program, which writes an example of the type `type`
/// and the shape `dims`. It is called on several threads at once and must not
/// throw. Its operands are aligned to the size of an element.
struct CustomStep {
  DType type = DType::F32;
  std::vector<int64_t> dims;
  std::function<Status(std::span<const std::byte> from,
                       std::span<std::byte> to)>
      apply;
};

/// One step of a map. Steps on images take the last of three dims for the
/// channels, until a `ChannelsFirstStep` or `IsChannelsFirstStep`. Random
/// numbers depend only on the loader's seed, the epoch, the row of the example
/// in its source, and the number of the step among the random steps of its
/// column. So two columns with equal random steps, such as an image and its
/// mask, get equal choices.
using MapStep =
    std::variant<CastStep, ScaleStep, NormaliseStep, OneHotStep, ReshapeStep,
                 ChannelsFirstStep, IsChannelsFirstStep, RandomCropStep,
                 RandomFlipStep, CustomStep>;

} // namespace weir

#endif // WEIR_DATA_MAPSTEPS_H
