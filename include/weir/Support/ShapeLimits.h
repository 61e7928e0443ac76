//===- ShapeLimits.h - Limits on the size of tensors ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Shapes and attributes come from users. Code that computes with them checks
// them against these limits first, so that no sum and no product overflows.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_SHAPELIMITS_H
#define WEIR_SUPPORT_SHAPELIMITS_H

#include "weir/Support/Status.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace weir {

/// The largest size of a tensor in memory and of an artifact's arenas. The
/// bound ensures that sums of sizes cannot overflow.
inline constexpr uint64_t maxTensorBytes = uint64_t{1} << 47;
/// The most dims of a tensor in a model.
inline constexpr int64_t maxTensorRank = 16;
/// The largest size of a dim, and the largest magnitude of a window attribute.
inline constexpr int64_t sizeLimit = int64_t{1} << 48;
/// The largest number of elements of a tensor or points of an iteration space.
inline constexpr int64_t countLimit = int64_t{1} << 62;

/// The sum and the product of counts, which are at least 0. If the result does
/// not fit, it is the largest number.
constexpr int64_t saturatingAdd(int64_t left, int64_t right) {
  int64_t sum = 0;
  return __builtin_add_overflow(left, right, &sum)
             ? std::numeric_limits<int64_t>::max()
             : sum;
}
constexpr int64_t saturatingMultiply(int64_t left, int64_t right) {
  int64_t product = 0;
  return __builtin_mul_overflow(left, right, &product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}

/// An error if the product of `dims` exceeds `countLimit`. Dims of size 0 and
/// unknown dims count as 1. `what` names the tensor in the message.
Status checkCount(std::span<const int64_t> dims, std::string_view what);

/// Checks that each of `dims` is unknown or from 0 to `sizeLimit`, and that
/// their product is at most `countLimit`.
Status checkShape(std::span<const int64_t> dims, std::string_view what);

} // namespace weir

#endif // WEIR_SUPPORT_SHAPELIMITS_H
