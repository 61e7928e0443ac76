//===- Axis.h - The attribute axis of ops -----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_IR_OPS_AXIS_H
#define WEIR_LIB_DIALECT_WEIR_IR_OPS_AXIS_H

#include "weir/Support/AttrMap.h"
#include "weir/Support/Status.h"

namespace weir::opdetail {

/// The dim to which the attribute `axis`, by default `fallback`, refers for a
/// tensor of `rank`. It may count from the end.
StatusOr<int64_t> resolveAxis(const AttrMap &attrs, int64_t fallback,
                              size_t rank);

} // namespace weir::opdetail

#endif // WEIR_LIB_DIALECT_WEIR_IR_OPS_AXIS_H
