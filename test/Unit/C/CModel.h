//===- CModel.h - The model that tests of the C API run ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_C_CMODEL_H
#define WEIR_TEST_UNIT_C_CMODEL_H

#include "weir/C/weir.h"

#include <cstddef>
#include <vector>

namespace weir::test {

inline constexpr int64_t width = 4;
inline constexpr int64_t dims[] = {width};

/// An artifact with two entries on vectors of four floats. "far" has y = x + x,
/// with x and y in the memory of cpu:1. "step" adds x to the variable "w",
/// which is 1, 2, 3, 4 at first, and returns the sum as y.
std::vector<std::byte> modelBytes();

/// The same, loaded for the entry "step", and freed at the end.
class Model {
public:
  Model();
  ~Model();
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  weir_session *session = nullptr;
  const weir_entry *step = nullptr;
  const weir_entry *far = nullptr;
};

/// A vector of four floats in the host's memory.
struct Vector {
  float values[width] = {};
  weir_tensor tensor() {
    return {WEIR_F32, 1, dims, values, sizeof(values), nullptr};
  }
  bool operator==(const Vector &) const = default;
};

} // namespace weir::test

#endif // WEIR_TEST_UNIT_C_CMODEL_H
