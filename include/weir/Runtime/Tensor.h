//===- Tensor.h - Tensors in the caller's memory ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A run reads its inputs from buffers that the caller owns and writes its
// outputs to such buffers, without copies. These views describe the buffers.
// Each buffer lies in one memory space. The space of an input or output is
// decided when the model is compiled, and a run refuses a buffer of another
// space: nothing is copied silently. DeviceTensor.h has buffers of devices.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_TENSOR_H
#define WEIR_RUNTIME_TENSOR_H

#include "weir/Support/TensorDesc.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weir {

class Device;

/// The memory in which a tensor lies: the host's memory, or the memory of an
/// isolated device. Only a space of a device that a session or tensor has open
/// may be used.
class MemorySpace {
public:
  /// The host's memory.
  MemorySpace() = default;
  /// The memory of `device`, which is isolated.
  explicit MemorySpace(const Device &device) : owner(&device) {}

  bool isHost() const { return !owner; }
  /// The name of the device, such as "cpu:2"; empty for the host's memory.
  std::string_view deviceName() const;
  /// The alignment in bytes that inputs and outputs need, if it is more than
  /// the size of an element: `Device::bufferAlignment`.
  size_t alignment() const;

  friend auto operator<=>(const MemorySpace &, const MemorySpace &) = default;

private:
  const Device *owner = nullptr;
};

/// A row-major tensor that can be read. A view owns nothing: `dims` and `data`
/// belong to the caller and must stay valid while the view is used.
struct ConstTensorView {
  DType type = DType::F32;
  std::span<const int64_t> dims;
  const void *data = nullptr;
  /// The number of bytes that may be read at `data`.
  size_t bytes = 0;
  /// The memory in which `data` is an address.
  MemorySpace space = {};
};

/// A row-major tensor that can be written.
struct TensorView {
  DType type = DType::F32;
  std::span<const int64_t> dims;
  void *data = nullptr;
  /// The number of bytes that may be written at `data`.
  size_t bytes = 0;
  /// The memory in which `data` is an address.
  MemorySpace space = {};

  /// A tensor that can be written can also be read.
  operator ConstTensorView() const { return {type, dims, data, bytes, space}; }
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

/// The name, the row-major type and the place of an input or output.
struct TensorInfo {
  std::string name;
  TensorDesc desc;
  /// Whether some command reads the input. If not, its view may be null.
  bool isRead = true;
  /// The memory in which the tensor must lie.
  MemorySpace space = {};
};

} // namespace weir

#endif // WEIR_RUNTIME_TENSOR_H
