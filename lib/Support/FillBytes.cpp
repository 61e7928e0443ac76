//===- FillBytes.cpp - Makes the bytes of random elements -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/FillBytes.h"

#include "weir/Support/NormalQuantile.h"
#include "weir/Support/Random.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace weir;

static Status checkNumbers(const UniformFill &fill) {
  // The comparison is false if a bound is NaN.
  if (!(fill.low <= fill.high) || !std::isfinite(fill.high - fill.low))
    return invalidArgument(fmt::format(
        "expects finite bounds of which the first is not above the second, "
        "found {} and {}",
        fill.low, fill.high));
  return Status::ok();
}

static Status checkNumbers(const NormalFill &fill) {
  if (std::isfinite(fill.mean) && std::isfinite(fill.scale) && fill.scale >= 0)
    return Status::ok();
  return invalidArgument(
      fmt::format("expects a finite mean and a finite deviation from 0 on, "
                  "found {} and {}",
                  fill.mean, fill.scale));
}

Status weir::checkFill(const RandomFill &fill, DType type) {
  if (!isFloat(type))
    return invalidArgument(fmt::format(
        "expects elements of a float type for random values, found {}",
        toString(type)));
  return std::visit([](const auto &each) { return checkNumbers(each); }, fill);
}

/// The upper 53 bits of the random number of element `element`.
static double drawBits(uint64_t seed, uint64_t element) {
  return static_cast<double>(SplitMix64::from(seed, element).next() >> 11);
}

static double valueAt(const UniformFill &fill, uint64_t element) {
  const double unit = drawBits(fill.seed, element) * 0x1p-53;
  return fill.low + (fill.high - fill.low) * unit;
}

static double valueAt(const NormalFill &fill, uint64_t element) {
  return fill.mean + fill.scale * normalAt(drawBits(fill.seed, element));
}

template <typename Fill>
static void fillWith(const Fill &fill, DType type, uint64_t begin,
                     std::span<std::byte> to) {
  const size_t size = byteSize(type);
  uint64_t element = begin / size;
  // The first and the last element may be incomplete.
  size_t skipped = begin % size;
  while (!to.empty()) {
    const size_t whole = skipped == 0 ? to.size() / size : 0;
    for (size_t i = 0; i < whole; ++i)
      storeFloat(type, to.data(), static_cast<int64_t>(i),
                 valueAt(fill, element++));
    to = to.subspan(whole * size);
    if (to.empty())
      return;
    std::byte one[sizeof(double)];
    storeFloat(type, one, 0, valueAt(fill, element++));
    const size_t count = std::min(size - skipped, to.size());
    std::memcpy(to.data(), one + skipped, count);
    to = to.subspan(count);
    skipped = 0;
  }
}

void weir::fillBytes(const RandomFill &fill, DType type, uint64_t begin,
                     std::span<std::byte> to) {
  std::visit([&](const auto &each) { fillWith(each, type, begin, to); }, fill);
}
