//===- OperandOrders.h - Orders of dims in other frameworks -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_IR_OPERANDORDERS_H
#define WEIR_LIB_DIALECT_WEIR_IR_OPERANDORDERS_H

#include "weir/Dialect/Weir/IR/OpRecord.h"

#include "mlir/IR/TypeRange.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace weir {

/// What to say behind an error about the operands of a product of matrices or a
/// convolution, if they only have their dims in the order of another framework:
/// which of them to transpose so that they fit. Empty for all others.
std::string describeOtherOrder(const OpRecord &record, mlir::TypeRange operands,
                               llvm::function_ref<bool(mlir::TypeRange)> fits);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_IR_OPERANDORDERS_H
