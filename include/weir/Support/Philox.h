//===- Philox.h - Random numbers that a counter determines ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, 2011: Parallel random numbers:
// as easy as 1, 2, 3). It is a function, not a sequence. So each element of a
// tensor can be drawn by itself, in any order, on any device, and again in the
// backward pass.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_PHILOX_H
#define WEIR_SUPPORT_PHILOX_H

#include <array>
#include <cstdint>

namespace weir {

struct Philox {
  static constexpr int numRounds = 10;
  /// The factors of words 0 and 2 of the counter.
  static constexpr std::array<uint32_t, 2> factors = {0xd2511f53, 0xcd9e8d57};
  /// The numbers that are added to the words of the key in each round.
  static constexpr std::array<uint32_t, 2> keySteps = {0x9e3779b9, 0xbb67ae85};

  static constexpr std::array<uint32_t, 4> apply(std::array<uint32_t, 4> words,
                                                 std::array<uint32_t, 2> key) {
    for (int round = 0; round < numRounds; ++round) {
      const uint64_t first = uint64_t{factors[0]} * words[0];
      const uint64_t second = uint64_t{factors[1]} * words[2];
      words = {static_cast<uint32_t>(second >> 32) ^ words[1] ^ key[0],
               static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32) ^ words[3] ^ key[1],
               static_cast<uint32_t>(first)};
      key[0] += keySteps[0];
      key[1] += keySteps[1];
    }
    return words;
  }
};

/// Number `index` of the draw `stream` in step `step`: 32 random bits. The key
/// is the seed. The counter consists of the index and the step. The upper half
/// of the index is combined with the lower half of the stream by exclusive or,
/// and the upper half of the step with the upper half of the stream. So numbers
/// below 2^32 never collide.
constexpr uint32_t drawBits(int64_t seed, int64_t step, int64_t stream,
                            int64_t index) {
  auto low = [](int64_t value) { return static_cast<uint32_t>(value); };
  auto high = [](int64_t value) {
    return static_cast<uint32_t>(static_cast<uint64_t>(value) >> 32);
  };
  return Philox::apply({low(index), high(index) ^ low(stream), low(step),
                        high(step) ^ high(stream)},
                       {low(seed), high(seed)})[0];
}

} // namespace weir

#endif // WEIR_SUPPORT_PHILOX_H
