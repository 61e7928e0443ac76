//===- Axis.h - The attribute axis of ops -----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_AXIS_H
#define WEIR_DIALECT_WEIR_IR_AXIS_H

#include "weir/Support/AttrMap.h"
#include "weir/Support/Status.h"

namespace weir {

/// `axis`, which may count from the end, counted from the start.
inline int64_t fromStart(int64_t axis, size_t rank) {
  return axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
}

namespace opdetail {

/// The dim to which the attribute `axis` refers for a tensor of `rank`. It may
/// count from the end.
StatusOr<int64_t> resolveAxis(int64_t axis, size_t rank);
/// The same for the attribute in `attrs`, by default `fallback`.
StatusOr<int64_t> resolveAxis(const AttrMap &attrs, int64_t fallback,
                              size_t rank);

} // namespace opdetail
} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_AXIS_H
