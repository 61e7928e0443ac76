//===- IndexOperands.h - Finds the operands that hold indices ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_INDEXOPERANDS_H
#define WEIR_DIALECT_WEIR_IR_INDEXOPERANDS_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"

namespace weir {

/// An operand whose values are indices along dims.
struct IndexOperand {
  unsigned number;
  /// The size of the dim, or one size for each element of the operand's last
  /// dim. Every value must be in [-size, size).
  llvm::SmallVector<int64_t> sizes;
};

/// The operands of `op` that hold indices. Its shapes must be static. Ops that
/// accept any value, such as one_hot, have none.
llvm::SmallVector<IndexOperand> getIndexOperands(WeirOpInterface op);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_INDEXOPERANDS_H
