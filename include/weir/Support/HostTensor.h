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
#include <vector>

namespace weir {

/// What any part of Weir can hold, so that sums of sizes cannot overflow.
inline constexpr uint64_t maxTensorBytes = uint64_t(1) << 47;
inline constexpr int64_t maxTensorRank = 16;

/// The bytes of a row-major tensor; an error when a dim is negative or the size
/// is more than a machine can hold.
StatusOr<size_t> rowMajorBytes(DType type, std::span<const int64_t> dims);

/// A row-major tensor in host memory, 64-byte aligned. Moving it keeps its
/// bytes where they are.
class HostTensor {
public:
  /// A tensor of zeros.
  static StatusOr<HostTensor> zeros(DType type, std::vector<int64_t> dims);
  /// A tensor with the elements `values`, of which there must be as many as
  /// `dims` says; T is how the C++ side holds a `type`.
  template <typename T>
  static StatusOr<HostTensor> of(DType type, std::vector<int64_t> dims,
                                 std::span<const T> values) {
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

  /// The elements as Ts, which must have the size of the element type.
  template <typename T> std::span<const T> values() const {
    assert(sizeof(T) == byteSize(type()) && "T is not the element type");
    return {reinterpret_cast<const T *>(memory.get()), size / sizeof(T)};
  }
  template <typename T> std::span<T> values() {
    assert(sizeof(T) == byteSize(type()) && "T is not the element type");
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
