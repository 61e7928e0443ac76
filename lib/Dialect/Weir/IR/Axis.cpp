//===- Axis.cpp - The attribute axis of ops ---------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/Axis.h"

#include <fmt/format.h>

using namespace weir;

StatusOr<int64_t> opdetail::resolveAxis(int64_t axis, size_t rank) {
  int64_t limit = static_cast<int64_t>(rank);
  if (axis >= -limit && axis < limit)
    return fromStart(axis, rank);
  return invalidArgument(
      limit == 0
          ? fmt::format("attribute 'axis' is {} for a scalar, expected a "
                        "tensor of rank 1 or more",
                        axis)
          : fmt::format("attribute 'axis' expects a value from {} to {}, "
                        "found {}",
                        -limit, limit - 1, axis));
}

StatusOr<int64_t> opdetail::resolveAxis(const AttrMap &attrs, int64_t fallback,
                                        size_t rank) {
  return resolveAxis(attrs.intOr("axis", fallback), rank);
}
