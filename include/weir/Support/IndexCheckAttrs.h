//===- IndexCheckAttrs.h - Attributes for checking indices ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Generated code cannot report errors. So attributes of a generated or
// reference kernel say which of its operands hold indices. On CPUs, the runtime
// checks these before it runs the kernel. Kernels for GPUs check them
// themselves, and set flags (weir/Artifact/GpuCode.h).
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_INDEXCHECKATTRS_H
#define WEIR_SUPPORT_INDEXCHECKATTRS_H

#include "weir/Support/AttrMap.h"
#include "weir/Support/Status.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace weir {

/// A list of integers with one check after the other: the number of an operand,
/// the number of sizes, and the sizes. A value v must be in [-size, size).
/// Several sizes apply, in order, to the elements of the operand's last dim.
inline constexpr std::string_view indexChecksAttr = "index_checks";

/// The names of the ops that read the indices, one line per check.
inline constexpr std::string_view indexOpsAttr = "index_ops";

/// One check of that list.
struct IndexCheck {
  int64_t operand;
  std::span<const int64_t> sizes;
  std::string_view op;
};

/// The checks of a kernel with `attrs`, which outlive them. It is not looked at
/// which operands there are.
StatusOr<std::vector<IndexCheck>> parseIndexChecks(const AttrMap &attrs);

/// The error for a list of checks that the compiler does not make.
Status malformedIndexChecks(std::string_view what);

/// The error for an index of `op`, "index 7", into a dim of `size`.
Status indexOutOfRange(std::string_view index, std::string_view op,
                       int64_t size, bool isUnsigned);

} // namespace weir

#endif // WEIR_SUPPORT_INDEXCHECKATTRS_H
