//===- IndexCheckAttrs.h - Attributes for checking indices ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Generated code cannot report errors. So attributes of a generated or
// reference kernel say which of its operands hold indices, and the runtime
// checks these before it runs the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_INDEXCHECKATTRS_H
#define WEIR_SUPPORT_INDEXCHECKATTRS_H

#include <string_view>

namespace weir {

/// A list of integers with one check after the other: the number of an operand,
/// the number of sizes, and the sizes. A value v must be in [-size, size).
/// Several sizes apply, in order, to the elements of the operand's last dim.
inline constexpr std::string_view indexChecksAttr = "index_checks";

/// The names of the ops that read the indices, one line per check.
inline constexpr std::string_view indexOpsAttr = "index_ops";

} // namespace weir

#endif // WEIR_SUPPORT_INDEXCHECKATTRS_H
