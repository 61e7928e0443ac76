//===- Random.h - Reproducible random numbers -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_RANDOM_H
#define WEIR_SUPPORT_RANDOM_H

#include <cstdint>

namespace weir {

/// The splitmix64 generator (Steele, Lea and Flood, 2014): the same numbers for
/// the same seed on every platform. Not for secrets.
class SplitMix64 {
public:
  explicit SplitMix64(uint64_t seed) : state(seed) {}

  /// The generator with the seed `seed`, after its first `count` numbers.
  static SplitMix64 from(uint64_t seed, uint64_t count) {
    return SplitMix64(seed + count * step);
  }

  /// The next number, uniform over all 64-bit values.
  uint64_t next() {
    uint64_t z = (state += step);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

private:
  static constexpr uint64_t step = 0x9e3779b97f4a7c15;
  uint64_t state;
};

} // namespace weir

#endif // WEIR_SUPPORT_RANDOM_H
