//===- IndexOperands.h - Which operands of ops hold indices -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_INDEXOPERANDS_H
#define WEIR_DIALECT_WEIR_IR_INDEXOPERANDS_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"

namespace weir {

/// An operand whose values pick elements along dims.
struct IndexOperand {
  unsigned number;
  /// The size of the dim, or one for each element of the operand's last dim.
  /// Every value has to be in [-size, size).
  llvm::SmallVector<int64_t> sizes;
};

/// The operands of `op`, whose shapes are static, that hold indices. Ops to
/// which any value means something, such as one_hot, have none.
llvm::SmallVector<IndexOperand> getIndexOperands(WeirOpInterface op);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_INDEXOPERANDS_H
