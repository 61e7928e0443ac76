//===- HostTensor.h - A tensor that owns its bytes -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_HOSTTENSOR_H
#define WEIR_SUPPORT_HOSTTENSOR_H

#include "weir/Support/ShapeLimits.h"
#include "weir/Support/Status.h"
#include "weir/Support/TensorDesc.h"

#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace weir {

/// Refuses a number that is no element type.
Status checkDType(DType type);

/// The bytes of a row-major tensor. It is an error if a dim is negative or the
/// tensor is larger than `maxTensorBytes`. In this check a dim of 0 counts as
/// 1, so that strides cannot overflow either.
StatusOr<size_t> rowMajorBytes(DType type, std::span<const int64_t> dims);

/// Whether T is a C++ type for elements of type `type`: a float or an integer
/// of the same size, bool or a byte for i1, and uint16_t for the floats that
/// C++ does not have.
template <typename T> bool isHeldAs(DType type) {
  static_assert(std::is_arithmetic_v<T>, "expected a number");
  if (sizeof(T) != byteSize(type))
    return false;
  if (std::is_same_v<T, bool>)
    return type == DType::I1;
  if (std::is_floating_point_v<T>)
    return isFloat(type);
  return !isFloat(type) || std::is_same_v<T, uint16_t>;
}

/// The error for elements that are not held as `type`: floats or integers of
/// `size` bytes.
Status wrongElements(DType type, bool isFloat, size_t size);

/// Refuses T as the C++ type for elements of type `type`: see `isHeldAs`.
template <typename T> Status checkHeldAs(DType type) {
  if (isHeldAs<T>(type)) [[likely]]
    return Status::ok();
  return wrongElements(type, std::is_floating_point_v<T>, sizeof(T));
}

/// A row-major tensor in host memory, 64-byte aligned. Moving a tensor does not
/// change the address of its bytes. Only a moved-from tensor has no memory, and
/// its `data` is null.
class HostTensor {
public:
  /// A tensor of zeros.
  static StatusOr<HostTensor> zeros(DType type, std::vector<int64_t> dims);
  /// A tensor with the elements `values`, as many as `dims` requires. Nothing
  /// is converted: it is an error if T is not the C++ type for `type`.
  template <typename T>
  static StatusOr<HostTensor> of(DType type, std::vector<int64_t> dims,
                                 std::span<const T> values) {
    WEIR_RETURN_IF_ERROR(checkHeldAs<T>(type));
    return copyOf(type, std::move(dims), std::as_bytes(values));
  }
  static StatusOr<HostTensor> copyOf(DType type, std::vector<int64_t> dims,
                                     std::span<const std::byte> bytes);

  HostTensor(HostTensor &&other) noexcept
      : description(std::move(other.description)),
        memory(std::move(other.memory)), size(std::exchange(other.size, 0)) {}
  HostTensor &operator=(HostTensor &&other) noexcept {
    description = std::move(other.description);
    memory = std::move(other.memory);
    size = std::exchange(other.size, 0);
    return *this;
  }

  const TensorDesc &desc() const { return description; }
  DType type() const { return description.type; }
  const std::vector<int64_t> &dims() const { return description.dims; }

  std::span<std::byte> bytes() { return {memory.get(), size}; }
  std::span<const std::byte> bytes() const { return {memory.get(), size}; }
  void *data() { return memory.get(); }
  const void *data() const { return memory.get(); }

  /// The elements as Ts. T must be the C++ type for the element type.
  template <typename T> std::span<const T> values() const {
    assert(isHeldAs<T>(type()) && "T is not the element type");
    return {reinterpret_cast<const T *>(memory.get()), size / sizeof(T)};
  }
  template <typename T> std::span<T> values() {
    assert(isHeldAs<T>(type()) && "T is not the element type");
    return {reinterpret_cast<T *>(memory.get()), size / sizeof(T)};
  }

private:
  struct Free {
    void operator()(std::byte *bytes) const { std::free(bytes); }
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  HostTensor(TensorDesc description, Memory memory, size_t size)
      : description(std::move(description)), memory(std::move(memory)),
        size(size) {}
  static StatusOr<HostTensor> allocate(DType type, std::vector<int64_t> dims);

  TensorDesc description;
  Memory memory;
  size_t size;
};

} // namespace weir

#endif // WEIR_SUPPORT_HOSTTENSOR_H
