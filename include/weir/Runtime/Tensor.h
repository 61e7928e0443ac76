//===- Tensor.h - Tensors in the caller's memory ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A run reads its inputs from buffers that the caller owns and writes its
// outputs to such buffers, without copies. These views describe the buffers.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_TENSOR_H
#define WEIR_RUNTIME_TENSOR_H

#include "weir/Support/TensorDesc.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weir {

/// A row-major tensor that can be read. A view owns nothing: `dims` and `data`
/// belong to the caller and must stay valid while the view is used.
struct ConstTensorView {
  DType type = DType::F32;
  std::span<const int64_t> dims;
  const void *data = nullptr;
  /// The number of bytes that may be read at `data`.
  size_t bytes = 0;
};

/// A row-major tensor that can be written.
struct TensorView {
  DType type = DType::F32;
  std::span<const int64_t> dims;
  void *data = nullptr;
  /// The number of bytes that may be written at `data`.
  size_t bytes = 0;
};

/// A tensor for the input or output of that name.
struct NamedInput {
  std::string_view name;
  ConstTensorView view;
};
struct NamedOutput {
  std::string_view name;
  TensorView view;
};

/// The name and the row-major type of an input or output.
struct TensorInfo {
  std::string name;
  TensorDesc desc;
  /// Whether some command reads the input. If not, its view may be null.
  bool isRead = true;
};

} // namespace weir

#endif // WEIR_RUNTIME_TENSOR_H
