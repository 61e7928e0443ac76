//===- TensorDesc.h - Element type, shape and strides of a tensor ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_TENSORDESC_H
#define WEIR_SUPPORT_TENSORDESC_H

#include "weir/Support/DType.h"

#include <cstdint>
#include <string>
#include <vector>

namespace weir {

/// Type and memory layout of a tensor. The dims are in ONNX's order. Each dim
/// has a stride: the distance in elements between neighbours. A layout such as
/// NHWC is only another order of strides.
struct TensorDesc {
  DType type = DType::F32;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;

  /// Row-major strides for `dims`.
  static TensorDesc rowMajor(DType type, std::vector<int64_t> dims);

  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  /// The number of elements.
  int64_t numElements() const;
  /// Bytes from the first element to the end of the last one in memory.
  size_t spanBytes() const;
  /// Whether the strides are those of `rowMajor`. Dims of size 1 may have any
  /// stride.
  bool isRowMajor() const;
  /// "1x32x26x26xf32", followed by the strides unless row-major.
  std::string toString() const;

  bool operator==(const TensorDesc &) const = default;
};

} // namespace weir

#endif // WEIR_SUPPORT_TENSORDESC_H
