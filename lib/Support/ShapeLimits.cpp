//===- ShapeLimits.cpp - Limits on the size of tensors ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ShapeLimits.h"

#include "weir/Support/IndexSpec.h"

#include <fmt/format.h>

#include <algorithm>

using namespace weir;

Status weir::checkCount(std::span<const int64_t> dims, std::string_view what) {
  __int128 count = 1;
  for (int64_t dim : dims) {
    count *= std::max<int64_t>(dim, 1);
    if (count > countLimit)
      return invalidArgument(fmt::format(
          "{} is too large, expected at most {} elements", what, countLimit));
  }
  return Status::ok();
}

Status weir::checkShape(std::span<const int64_t> dims, std::string_view what) {
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] != unknownDim && (dims[d] < 0 || dims[d] > sizeLimit))
      return invalidArgument(fmt::format("dim {} of {} is {}, expected 0 to {}",
                                         d, what, dims[d], sizeLimit));
  return checkCount(dims, what);
}
