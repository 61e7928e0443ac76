//===- Tensor.h - Tensors in memory of the caller -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A run reads its inputs from and writes its outputs to buffers that the caller
// owns; nothing is copied on the way. These views say what lies there.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_TENSOR_H
#define WEIR_RUNTIME_TENSOR_H

#include "weir/Support/TensorDesc.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace weir {

/// A row-major tensor that can be read. Views own nothing: `dims` and `data`
/// belong to the caller and stay valid while the view is used.
struct ConstTensorView {
  DType type = DType::F32;
  std::span<const int64_t> dims;
  const void *data = nullptr;
  /// Bytes that may be read at `data`.
  size_t bytes = 0;
};

/// A row-major tensor that can be written.
struct TensorView {
  DType type = DType::F32;
  std::span<const int64_t> dims;
  void *data = nullptr;
  /// Bytes that may be written at `data`.
  size_t bytes = 0;
};

/// The name and the row-major type of an input or output.
struct TensorInfo {
  std::string name;
  TensorDesc desc;
  /// False of an input that no command reads: its view may be null.
  bool isRead = true;
};

} // namespace weir

#endif // WEIR_RUNTIME_TENSOR_H
