//===- Means.h - Means of values over examples ----------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_MEANS_H
#define WEIR_LIB_TRAINING_MEANS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weir {

/// The means of values of batches over all examples.
class Means {
public:
  explicit Means(size_t count) : sums(count) {}

  /// Adds the values of a batch of `examples` examples.
  void add(std::span<const double> values, int64_t examples) {
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] += values[i] * static_cast<double>(examples);
    total += examples;
  }
  std::vector<double> get() const {
    std::vector<double> means = sums;
    for (double &mean : means)
      mean /= static_cast<double>(total);
    return means;
  }

private:
  std::vector<double> sums;
  int64_t total = 0;
};

} // namespace weir

#endif // WEIR_LIB_TRAINING_MEANS_H
