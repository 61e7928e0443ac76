//===- HostView.cpp - Views of the caller's vectors and arrays --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/HostView.h"

#include "weir/Support/Counted.h"
#include "weir/Support/ShapeLimits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace weir;

StatusOr<TensorDesc> weir::describeRowMajor(DType type,
                                            std::vector<int64_t> dims,
                                            size_t numElements) {
  if (dims.size() > maxTensorRank)
    return invalidArgument(
        fmt::format("the shape [{}] has {} dims; expected at most {}",
                    fmt::join(dims, ","), dims.size(), maxTensorRank));
  WEIR_ASSIGN_OR_RETURN(const size_t bytes, rowMajorBytes(type, dims));
  const size_t expected = bytes / byteSize(type);
  if (numElements != expected)
    return invalidArgument(fmt::format(
        "a tensor of shape [{}] has {}, found {}", fmt::join(dims, ","),
        counted(expected, "element"), numElements));
  return TensorDesc::rowMajor(type, std::move(dims));
}
