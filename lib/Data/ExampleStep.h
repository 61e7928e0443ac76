//===- ExampleStep.h - One step of a map, ready to run ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DATA_EXAMPLESTEP_H
#define WEIR_LIB_DATA_EXAMPLESTEP_H

#include "weir/Support/Philox.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>

namespace weir {

/// The key of random draws. The key and the row determine what random steps
/// draw.
struct DrawKey {
  uint64_t seed = 0;
  int64_t epoch = 0;
  /// Whether random steps choose at random. If not, crops are taken from the
  /// middle, and nothing is mirrored.
  bool isRandom = true;
};

/// The random numbers of one random step for one example.
struct StepDraw {
  DrawKey key;
  int64_t row = 0;
  /// The number of the step among the random steps of its column.
  int64_t step = 0;

  /// The draw number `index` of the step for this example. It is a number from
  /// 0 to `count` - 1. A step has at most two draws.
  int64_t below(int64_t count, int64_t index) const {
    const uint32_t bits = drawBits(static_cast<int64_t>(key.seed), key.epoch,
                                   2 * step + index, row);
    // The 2^32 values of `bits` are divided among the results as evenly as
    // possible.
    return static_cast<int64_t>(static_cast<unsigned __int128>(bits) *
                                    static_cast<uint64_t>(count) >>
                                32);
  }
};

/// A step for certain types of input and output. Thread-safe.
class ExampleStep {
public:
  virtual ~ExampleStep() = default;
  /// Reads the example `from` and writes the result to `to`. The two do not
  /// overlap. Both are aligned to the sizes of their elements.
  virtual Status apply(const std::byte *from, std::byte *to,
                       const StepDraw &draw) const = 0;
};

} // namespace weir

#endif // WEIR_LIB_DATA_EXAMPLESTEP_H
