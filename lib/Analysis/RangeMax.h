//===- RangeMax.h - Numbers with sums and maxima of ranges ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_RANGEMAX_H
#define WEIR_LIB_ANALYSIS_RANGEMAX_H

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace weir::analysis {

/// A segment tree: it adds a value to a range of numbers, or finds the maximum
/// of a range, in O(log n). The maximum of a node does not contain values that
/// were added at its ancestors.
class RangeMax {
public:
  /// Makes `size` numbers, all of them 0.
  explicit RangeMax(uint32_t size)
      : numLeaves(std::bit_ceil(std::max(size, 1u))), most(2 * numLeaves),
        added(2 * numLeaves) {}

  /// Adds `value` to the numbers from `first` to `last`.
  void add(uint32_t first, uint32_t last, int64_t value) {
    if (first <= last)
      add(1, 0, numLeaves - 1, first, last, value);
  }

  /// The maximum of the numbers from `first` to `last`; 0 if there are none.
  int64_t max(uint32_t first, uint32_t last) const {
    return first <= last ? max(1, 0, numLeaves - 1, first, last) : 0;
  }
  int64_t max() const { return most[1]; }

private:
  void add(uint32_t node, uint32_t begin, uint32_t end, uint32_t first,
           uint32_t last, int64_t value) {
    if (last < begin || end < first)
      return;
    if (first <= begin && end <= last) {
      most[node] += value;
      added[node] += value;
      return;
    }
    const uint32_t middle = begin + (end - begin) / 2;
    add(2 * node, begin, middle, first, last, value);
    add(2 * node + 1, middle + 1, end, first, last, value);
    most[node] = added[node] + std::max(most[2 * node], most[2 * node + 1]);
  }

  int64_t max(uint32_t node, uint32_t begin, uint32_t end, uint32_t first,
              uint32_t last) const {
    if (last < begin || end < first)
      return INT64_MIN / 2;
    if (first <= begin && end <= last)
      return most[node];
    const uint32_t middle = begin + (end - begin) / 2;
    return added[node] +
           std::max(max(2 * node, begin, middle, first, last),
                    max(2 * node + 1, middle + 1, end, first, last));
  }

  uint32_t numLeaves;
  std::vector<int64_t> most, added;
};

} // namespace weir::analysis

#endif // WEIR_LIB_ANALYSIS_RANGEMAX_H
