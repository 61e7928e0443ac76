//===- CurveAxes.cpp - Ranges and ticks of a drawn curve --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CurveAxes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace weir;

namespace {
/// The largest error of quotients that should be whole numbers.
constexpr double slack = 1e-6;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// A distance of ticks that divides `length` into at most `numTicks` parts: 1,
/// 2 or 5 times a power of ten.
double tickDistance(double length, size_t numTicks) {
  const double least = length / static_cast<double>(numTicks);
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - slack))
      return factor * power;
  return 10 * power;
}

/// `value` with as many decimals as ticks with this distance need.
std::string tickLabel(double value, double distance) {
  const double size = std::abs(value);
  if (size >= 1e7 || distance < 1e-5)
    return fmt::format("{:.4g}", value);
  const int decimals =
      std::max(0, -static_cast<int>(std::floor(std::log10(distance) + 1e-9)));
  // A value that rounds to 0 has no sign.
  return fmt::format("{:.{}f}", size < distance / 2 ? 0.0 : value, decimals);
}

/// All multiples of `distance` from `low` to `high`.
std::vector<AxisTick> ticksBetween(double low, double high, double distance) {
  std::vector<AxisTick> ticks;
  const double first = std::ceil(low / distance - slack);
  const double last = std::floor(high / distance + slack);
  for (double i = first; i <= last; ++i)
    ticks.push_back({i * distance, tickLabel(i * distance, distance)});
  return ticks;
}
} // namespace

double CurveAxis::place(double value) const {
  return std::clamp((value - low) / (high - low), 0.0, 1.0);
}

CurveAxis weir::stepAxis(const Curve &curve, size_t numTicks) {
  Range range;
  for (const auto *points : {&curve.train, &curve.validation})
    for (const CurvePoint &point : *points)
      range.add(point.step);
  if (range.low == range.high)
    range = {range.low - 1, range.high + 1};
  // No number of steps is a fraction.
  const double distance =
      std::max(1.0, tickDistance(range.high - range.low, numTicks));
  return {range.low, range.high, ticksBetween(range.low, range.high, distance)};
}

CurveAxis weir::valueAxis(const Curve &curve, size_t numTicks) {
  Range range;
  for (const auto *points : {&curve.train, &curve.validation})
    for (const CurvePoint &point : *points)
      range.add(point.mean);
  // If the range is too small for ticks with different numbers, it is widened.
  constexpr double leastRange = 1e-280;
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (range.high - range.low <= std::max(size * 1e-9, leastRange)) {
    const double margin = size > leastRange ? size / 10 : 1;
    range = {range.low - margin, range.high + margin};
  }
  const double distance = tickDistance(range.high - range.low, numTicks);
  const double low = std::floor(range.low / distance + slack) * distance;
  const double high = std::ceil(range.high / distance - slack) * distance;
  return {low, high, ticksBetween(low, high, distance)};
}
