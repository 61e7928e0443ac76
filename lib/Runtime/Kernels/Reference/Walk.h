//===- Walk.h - Linear functions over an iteration space -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// All values that vary over an iteration space (offsets into buffers, indices
// that may be outside of a dim) are linear in the loop counters. A walk visits
// the space row by row. It keeps the value of each function at the row's first
// point, so that a step costs one addition per function. Rows run along the
// loop with the smallest strides, if this loop is long enough to pay for the
// step.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_REFERENCE_WALK_H
#define WEIR_LIB_RUNTIME_KERNELS_REFERENCE_WALK_H

#include <cstdint>
#include <span>
#include <vector>

namespace weir::reference {

class Walk {
public:
  /// A walk over loops of the given sizes. Without loops there is one point.
  explicit Walk(std::vector<int64_t> sizes);

  /// Adds the function `start` plus the sum of coefficient times counter over
  /// all loops. Returns its number.
  int add(int64_t start, std::span<const int64_t> coefficients);

  /// Adds the function from the counters of all loops to the offset of an
  /// element with these strides.
  int addStrided(std::span<const int64_t> strides) { return add(0, strides); }

  /// Goes to the first row; false if the space is empty.
  bool begin();
  /// Goes to the next row; false at the end.
  bool next();

  int64_t rowLength() const { return rowLoop < 0 ? 1 : sizes[rowLoop]; }
  /// The value of a function at the row's first point.
  int64_t at(int function) const { return functions[function].value; }
  /// The difference of the function's values at two neighbouring points of the
  /// row.
  int64_t step(int function) const {
    return rowLoop < 0 ? 0 : functions[function].steps[rowLoop];
  }

private:
  struct Function {
    int64_t start;
    int64_t value;
    /// The steps of the function, one per loop.
    std::vector<int64_t> steps;
  };

  void chooseRows();

  std::vector<int64_t> sizes;
  std::vector<int64_t> counters;
  /// For each loop, the sum of the distances by which the functions move.
  std::vector<double> costs;
  /// The loop within a row, or -1 if there is no loop.
  int rowLoop = -1;
  std::vector<Function> functions;
};

} // namespace weir::reference

#endif // WEIR_LIB_RUNTIME_KERNELS_REFERENCE_WALK_H
