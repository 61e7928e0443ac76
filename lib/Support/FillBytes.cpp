//===- FillBytes.cpp - Makes the bytes of random elements -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/FillBytes.h"

#include "weir/Support/Random.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace weir;

Status weir::checkFill(const UniformFill &fill, DType type) {
  if (!isFloat(type))
    return invalidArgument(fmt::format(
        "expects elements of a float type for random values, found {}",
        toString(type)));
  // NaN fails the comparison.
  if (!(fill.low <= fill.high) || !std::isfinite(fill.high - fill.low))
    return invalidArgument(fmt::format(
        "expects finite bounds of which the first is not above the second, "
        "found {} and {}",
        fill.low, fill.high));
  return Status::ok();
}

static double valueAt(const UniformFill &fill, uint64_t element) {
  SplitMix64 numbers = SplitMix64::from(fill.seed, element);
  const double unit = static_cast<double>(numbers.next() >> 11) * 0x1p-53;
  return fill.low + (fill.high - fill.low) * unit;
}

void weir::fillBytes(const UniformFill &fill, DType type, uint64_t begin,
                     std::span<std::byte> to) {
  const size_t size = byteSize(type);
  uint64_t element = begin / size;
  // The first and the last element may be there in part.
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
