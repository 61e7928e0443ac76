//===- CModel.h - The model that tests of the C API run ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_C_CMODEL_H
#define WEIR_TEST_UNIT_C_CMODEL_H

#include "weir/C/weir.h"

#include <cstddef>
#include <string>
#include <vector>

namespace weir::test {

inline constexpr int64_t width = 4;
inline constexpr int64_t dims[] = {width};

/// An artifact with two entries on vectors of four floats. "far" has y = x + x,
/// with x and y in the memory of cpu:1. "step" adds x to the variable "w",
/// which is 1, 2, 3, 4 at first, and returns the sum as y. Its metadata is
/// "made by": "a test".
std::vector<std::byte> modelBytes();

/// An artifact for cpu:0 with `count` inputs x0, x1, ... of `size` floats. For
/// each it has an output y0, y1, ... that is twice as large.
std::vector<std::byte> twiceBytes(int count, int64_t size);

/// An artifact for cpu:0 with the native code `code`, whose function 0 writes
/// the output "y", a vector of four floats.
std::vector<std::byte> codeBytes(const std::vector<char> &code);

/// A struct that says its size and is zero otherwise.
template <typename Struct> Struct sized() {
  Struct zeroed = {};
  zeroed.size = sizeof(zeroed);
  return zeroed;
}

/// A test fails unless `status`, of the latest call, is `expected` with this
/// message.
void expectError(weir_status status, weir_status expected,
                 const std::string &message);

/// What loading an artifact returns. Only if it is WEIR_OK, `session` changes.
weir_status tryLoad(const std::vector<std::byte> &bytes,
                    const weir_session_options &options,
                    weir_session *&session);
/// Loads an artifact; a test fails if that fails.
weir_session *load(const std::vector<std::byte> &bytes,
                   const weir_session_options &options);

/// The artifact of `modelBytes`, loaded for the entry "step".
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
