//===- HostTensor.h - A tensor that owns its bytes -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_HOSTTENSOR_H
#define WEIR_SUPPORT_HOSTTENSOR_H

#include "weir/Support/Status.h"
#include "weir/Support/TensorDesc.h"

#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace weir {

/// What any part of Weir can hold, so that sums of sizes cannot overflow.
inline constexpr uint64_t maxTensorBytes = uint64_t(1) << 47;
inline constexpr int64_t maxTensorRank = 16;

/// The bytes of a row-major tensor; an error when a dim is negative or the size
/// is more than a machine can hold.
StatusOr<size_t> rowMajorBytes(DType type, std::span<const int64_t> dims);

/// Whether elements of type `type` are what C++ calls a T: floats of that size,
/// integers of that width, bool or a byte for a truth value, and 16 bits
/// without a sign for the floats that C++ does not have.
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

/// A row-major tensor in host memory, 64-byte aligned. Moving it keeps its
/// bytes where they are.
class HostTensor {
public:
  /// A tensor of zeros.
  static StatusOr<HostTensor> zeros(DType type, std::vector<int64_t> dims);
  /// A tensor with the elements `values`, of which there must be as many as
  /// `dims` says. It is an error if a `type` is not held as a T: nothing is
  /// converted.
  template <typename T>
  static StatusOr<HostTensor> of(DType type, std::vector<int64_t> dims,
                                 std::span<const T> values) {
    if (!isHeldAs<T>(type))
      return wrongElements(type, std::is_floating_point_v<T>, sizeof(T));
    return copyOf(type, std::move(dims), std::as_bytes(values));
  }
  static StatusOr<HostTensor> copyOf(DType type, std::vector<int64_t> dims,
                                     std::span<const std::byte> bytes);

  const TensorDesc &desc() const { return description; }
  DType type() const { return description.type; }
  const std::vector<int64_t> &dims() const { return description.dims; }

  std::span<std::byte> bytes() { return {memory.get(), size}; }
  std::span<const std::byte> bytes() const { return {memory.get(), size}; }
  void *data() { return memory.get(); }
  const void *data() const { return memory.get(); }

  /// The elements as Ts, as which they must be held.
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
  static Status wrongElements(DType type, bool isFloat, size_t size);
  static StatusOr<HostTensor> allocate(DType type, std::vector<int64_t> dims);

  TensorDesc description;
  Memory memory;
  size_t size;
};

} // namespace weir

#endif // WEIR_SUPPORT_HOSTTENSOR_H
