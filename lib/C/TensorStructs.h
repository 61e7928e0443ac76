//===- TensorStructs.h - Tensors of the C API as views ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_C_TENSORSTRUCTS_H
#define WEIR_LIB_C_TENSORSTRUCTS_H

#include "LastError.h"
#include "weir/Runtime/Tensor.h"

#include <array>
#include <bit>
#include <cstddef>
#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

namespace weir::c {

/// Refuses tensors that no view can hold. Their type is unknown, or their dims
/// are missing, negative, too many or too large. The session checks null
/// pointers to data.
Status checkTensor(const weir_tensor &tensor);

/// Refuses a null array, unless `count` is 0. `what` names an element in the
/// error.
Status checkArray(const void *elements, size_t count, const char *what);

/// `tensor` as a ConstTensorView or TensorView. The view refers to the dims of
/// `tensor`.
template <typename View> View viewOf(const weir_tensor &tensor) {
  return {static_cast<DType>(tensor.dtype),
          {tensor.dims, static_cast<size_t>(tensor.rank)},
          tensor.data,
          tensor.bytes,
          std::bit_cast<MemorySpace>(tensor.space)};
}

/// Writes `view` to `*tensor`.
void writeTensor(const TensorView &view, weir_tensor *tensor);

/// Makes a weir_port or weir_variable, and sets the members that both structs
/// have. The result refers to `name` and `desc`.
template <typename Struct>
Struct describe(const std::string &name, const TensorDesc &desc) {
  Struct found = {};
  found.name = name.c_str();
  found.dtype = static_cast<weir_dtype>(desc.type);
  found.rank = static_cast<int32_t>(desc.rank());
  found.dims = desc.dims.data();
  found.bytes = desc.spanBytes();
  return found;
}

/// The handle for a memory space. Both are a pointer to the device.
inline const weir_space *handleOf(MemorySpace space) {
  return std::bit_cast<const weir_space *>(space);
}

/// The views of the tensors of a run. A short list needs no allocation.
template <typename View> class ViewList {
public:
  /// `what` is "input" or "output".
  Status fill(const weir_tensor *tensors, size_t count, const char *what) {
    WEIR_RETURN_IF_ERROR(checkArray(tensors, count, what));
    View *next = few.data();
    if (count > few.size()) {
      many.resize(count);
      next = many.data();
    }
    views = {next, count};
    for (size_t i = 0; i < count; ++i) {
      if (Status status = checkTensor(tensors[i]); !status.isOk())
        return std::move(status).withContext(fmt::format("{} {}", what, i));
      next[i] = viewOf<View>(tensors[i]);
    }
    return Status::ok();
  }
  std::span<const View> get() const { return views; }

private:
  std::array<View, 8> few;
  std::vector<View> many;
  std::span<const View> views;
};

} // namespace weir::c

#endif // WEIR_LIB_C_TENSORSTRUCTS_H
