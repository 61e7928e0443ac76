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

/// What an element holds before any point is combined into it.
double getIdentity(Combiner combiner);

/// What operand `number` of a leaf may hold where its indices leave it, so that
/// nothing is contributed there: the combiner's identity or the fill where the
/// operand is the whole expression, zero where it is a factor of a sum. Where
/// another operand, which is left at the same points, is all that is
/// contributed, it may hold anything. So it may where the result is left, too.
std::optional<double>
getNeutralValue(const OpRecord &record, const BoundSpec &bound,
                const AttrMap &attrs,
                llvm::ArrayRef<std::vector<int64_t>> shapes, size_t number);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_NEUTRALVALUE_H
