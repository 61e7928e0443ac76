//===- IndexCheckAttrs.h - Attributes for checking indices ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Generated code cannot report errors. So attributes of a generated or
// reference kernel say which of its operands hold indices. On CPUs, the runtime
// checks these operands before it runs the kernel. Kernels for GPUs check
// indices themselves and set flags (weir/Artifact/GpuCode.h).
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_INDEXCHECKATTRS_H
#define WEIR_SUPPORT_INDEXCHECKATTRS_H

#include "weir/Support/AttrMap.h"
#include "weir/Support/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// A list of integers that contains the checks one after the other. A check is
/// the number of an operand, the number of sizes, and the sizes. A value v must
/// be in [-size, size). Several sizes apply, in order, to the elements of the
/// operand's last dim. For labels, `labelsMark` replaces the number of sizes,
/// and the size and the ignored label follow.
inline constexpr std::string_view indexChecksAttr = "index_checks";
inline constexpr int64_t labelsMark = -1;

/// The names of the ops that read the indices, one line per check.
inline constexpr std::string_view indexOpsAttr = "index_ops";

/// The valid indices into a dim of `size`.
struct IndexRange {
  int64_t size;
  /// Whether the indices are unsigned, so that none counts from the end.
  bool isUnsigned;
  /// The ignored label. It is set if the indices are labels, which never count
  /// from the end. An unsigned label is compared by its bits.
  std::optional<int64_t> ignored = std::nullopt;

  int64_t lowest() const { return isUnsigned || ignored ? 0 : -size; }
  /// Whether an index with the bits of `index` is in the range.
  bool contains(int64_t index) const {
    return (index >= lowest() && index < size) || index == ignored;
  }
  /// What was expected, "-4 to 3", for an error.
  std::string toString() const;
};

/// One check of that list.
struct IndexCheck {
  int64_t operand;
  std::span<const int64_t> sizes;
  std::optional<int64_t> ignored;
  std::string_view op;
};

/// The checks of the list `numbers` for the ops `ops`. Both must outlive the
/// checks. Whether the operands exist is not checked.
StatusOr<std::vector<IndexCheck>>
parseIndexChecks(std::span<const int64_t> numbers, std::string_view ops);
/// The checks of a kernel with `attrs`, which outlive them.
StatusOr<std::vector<IndexCheck>> parseIndexChecks(const AttrMap &attrs);

/// The error for a list of checks that is malformed.
Status malformedIndexChecks(std::string_view what);

/// The error for an index of `op`, "index 7", outside of `range`.
Status indexOutOfRange(std::string_view index, std::string_view op,
                       const IndexRange &range);

} // namespace weir

#endif // WEIR_SUPPORT_INDEXCHECKATTRS_H
