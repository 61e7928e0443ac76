//===- IndexChecks.h - Attributes that tell of indices ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Generated code cannot fail. So the compiler says in attributes of a generated
// or reference kernel which of its operands hold indices, and the runtime looks
// at those before it runs the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_INDEXCHECKS_H
#define WEIR_SUPPORT_INDEXCHECKS_H

#include <string_view>

namespace weir {

/// Integers, one check after the other: the number of an operand, how many
/// sizes follow, and the sizes. A value v has to be in [-size, size). Several
/// sizes are those for the elements of the operand's last dim, in order.
inline constexpr std::string_view indexChecksAttr = "index_checks";

/// The names of the ops that read the indices, a line per check.
inline constexpr std::string_view indexOpsAttr = "index_ops";

} // namespace weir

#endif // WEIR_SUPPORT_INDEXCHECKS_H
