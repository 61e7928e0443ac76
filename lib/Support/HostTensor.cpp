//===- HostTensor.cpp - A tensor that owns its bytes -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/HostTensor.h"

#include "weir/Support/Alignment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

using namespace weir;

Status weir::checkDType(DType type) {
  if (static_cast<int>(type) < numDTypes)
    return Status::ok();
  return invalidArgument(fmt::format(
      "there is no element type of number {}; expected one of the {} of DType",
      static_cast<int>(type), numDTypes));
}

StatusOr<size_t> weir::rowMajorBytes(DType type,
                                     std::span<const int64_t> dims) {
  WEIR_RETURN_IF_ERROR(checkDType(type));
  uint64_t bytes = byteSize(type);
  bool isEmpty = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      return invalidArgument(fmt::format("the shape [{}] has a negative dim",
                                         fmt::join(dims, ",")));
    isEmpty |= dim == 0;
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(dim, 1), &bytes) ||
        bytes > maxTensorBytes)
      return invalidArgument(fmt::format(
          "a tensor of shape [{}] and type {} is larger than {} bytes; make "
          "its dims smaller",
          fmt::join(dims, ","), toString(type), maxTensorBytes));
  }
  return isEmpty ? 0 : bytes;
}

StatusOr<HostTensor> HostTensor::allocate(DType type,
                                          std::vector<int64_t> dims) {
  constexpr size_t alignment = 64;
  WEIR_ASSIGN_OR_RETURN(size_t size, rowMajorBytes(type, dims));
  size_t rounded = std::max<size_t>(alignTo(size, alignment), alignment);
  Memory memory(
      static_cast<std::byte *>(std::aligned_alloc(alignment, rounded)));
  if (!memory)
    return resourceExhausted(
        fmt::format("cannot allocate the {} bytes of a tensor", size));
  return HostTensor(TensorDesc::rowMajor(type, std::move(dims)),
                    std::move(memory), size);
}

Status weir::wrongElements(DType type, bool isFloat, size_t size) {
  return invalidArgument(fmt::format(
      "expected elements that are held as {0}, found {1} of {2} bytes; convert "
      "them, or make a tensor of their type",
      toString(type), isFloat ? "floats" : "integers", size));
}

StatusOr<HostTensor> HostTensor::zeros(DType type, std::vector<int64_t> dims) {
  WEIR_ASSIGN_OR_RETURN(HostTensor tensor, allocate(type, std::move(dims)));
  std::memset(tensor.data(), 0, tensor.size);
  return tensor;
}

StatusOr<HostTensor> HostTensor::copyOf(DType type, std::vector<int64_t> dims,
                                        std::span<const std::byte> bytes) {
  WEIR_ASSIGN_OR_RETURN(size_t size, rowMajorBytes(type, dims));
  if (size != bytes.size())
    return invalidArgument(
        fmt::format("a tensor of shape [{}] and type {} has {} bytes, not {}",
                    fmt::join(dims, ","), toString(type), size, bytes.size()));
  WEIR_ASSIGN_OR_RETURN(HostTensor tensor, allocate(type, std::move(dims)));
  if (size)
    std::memcpy(tensor.data(), bytes.data(), size);
  return tensor;
}
