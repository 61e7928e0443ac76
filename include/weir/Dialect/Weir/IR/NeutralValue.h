//===- NeutralValue.h - What contributes nothing to a result ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_NEUTRALVALUE_H
#define WEIR_DIALECT_WEIR_IR_NEUTRALVALUE_H

#include "weir/Dialect/Weir/IR/OpRecord.h"

#include <optional>

namespace weir {

/// The value of an element before any point is combined into it.
double getIdentity(Combiner combiner);

/// The value that operand `number` of a leaf may have outside of its dims, so
/// that points outside of its dims contribute nothing. The result is empty if
/// no value has this effect:
/// - zero if the operand is a factor in a sum;
/// - the combiner's identity, or the fill, if the operand is the whole
///   expression;
/// - any value if such points are also outside of the result, or outside of
///   another operand that is all that the points contribute.
std::optional<double>
getNeutralValue(const OpRecord &record, const BoundSpec &bound,
                const AttrMap &attrs,
                llvm::ArrayRef<std::vector<int64_t>> shapes, size_t number);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_NEUTRALVALUE_H
