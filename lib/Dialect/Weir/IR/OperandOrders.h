//===- OperandOrders.h - Orders of dims in other frameworks -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_IR_OPERANDORDERS_H
#define WEIR_LIB_DIALECT_WEIR_IR_OPERANDORDERS_H

#include "mlir/IR/TypeRange.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace weir {

/// What to say behind an error about the operands of a product or convolution,
/// if they only have their dims in the order of another framework: which of
/// them to transpose so that they fit. Empty for other operands and ops.
std::string describeOtherOrder(llvm::StringRef mnemonic,
                               mlir::TypeRange operands,
                               llvm::function_ref<bool(mlir::TypeRange)> fits);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_IR_OPERANDORDERS_H
