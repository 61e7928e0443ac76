//===- MapWarnings.cpp - Warnings about maps of columns -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "MapWarnings.h"

#include "weir/Support/Printable.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace weir;

/// Warns of a divisor that makes integers larger: other frameworks take such a
/// number as a factor.
static std::string warnOfFactor(const ScaleStep &step) {
  const double factor = std::abs(1 / step.divisor);
  if (factor <= 1)
    return "";
  const double whole = std::round(factor);
  const bool isWhole = std::abs(factor - whole) < 1e-3 * factor;
  return fmt::format("scale divides, so scale:{0} multiplies these integers by "
                     "{1}; to multiply them by {0}, write scale:{1}",
                     step.divisor, isWhole ? whole : factor);
}

/// Warns of means and deviations of numbers up to 1, which do not fit bytes.
static std::string warnOfBytes(const NormaliseStep &step) {
  const auto isSmall = [](double number) { return std::abs(number) <= 1; };
  if (!std::ranges::all_of(step.mean, isSmall) ||
      !std::ranges::all_of(step.deviation, isSmall))
    return "";
  return "the mean and the deviation of normalise are those of numbers from 0 "
         "to 1, and these numbers are 0 to 255; write scale:255 in front of "
         "normalise";
}

/// Warns of images whose channels come first. Such images look as if they had
/// only a few rows.
static std::string warnOfChannels(const ColumnInfo &column,
                                  std::string_view step,
                                  std::string_view repair) {
  constexpr int64_t maxChannels = 4;
  const std::vector<int64_t> &dims = column.dims;
  if (dims.size() != 3 || dims[0] > maxChannels || dims[1] <= maxChannels ||
      dims[2] <= maxChannels)
    return "";
  return fmt::format("{} takes {} for height x width x channels; if the "
                     "channels come first, {}",
                     step, fmt::join(dims, "x"), repair);
}

std::string MapWarnings::add(const ColumnInfo &column, const MapStep &step) {
  Seen &seen =
      columns.try_emplace(column.name, Seen{column.type}).first->second;
  constexpr std::string_view sayFirst = "write chw-already in front of it";
  std::string found;
  if (const auto *scale = std::get_if<ScaleStep>(&step)) {
    if (!seen.isScaled && !isFloat(seen.type))
      found = warnOfFactor(*scale);
    seen.isScaled = true;
  } else if (const auto *normalise = std::get_if<NormaliseStep>(&step)) {
    if (!seen.isScaled && seen.type == DType::U8)
      found = warnOfBytes(*normalise);
    seen.isScaled = true;
  } else if (std::holds_alternative<ReshapeStep>(step)) {
    seen.isChannelsFirst = false;
  } else if (std::holds_alternative<IsChannelsFirstStep>(step)) {
    seen.isChannelsFirst = true;
  } else if (!seen.isChannelsFirst) {
    if (std::holds_alternative<ChannelsFirstStep>(step))
      found = warnOfChannels(column, "chw", "leave chw out");
    else if (std::holds_alternative<RandomFlipStep>(step))
      found = warnOfChannels(column, "flip", sayFirst);
    else if (std::holds_alternative<RandomCropStep>(step))
      found = warnOfChannels(column, "crop", sayFirst);
    seen.isChannelsFirst = std::holds_alternative<ChannelsFirstStep>(step);
  }
  return found.empty() ? ""
                       : fmt::format("warning: --map: column '{}': {}",
                                     printable(column.name), found);
}
