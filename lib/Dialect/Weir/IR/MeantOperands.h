//===- MeantOperands.h - What operands that do not fit mean -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_IR_MEANTOPERANDS_H
#define WEIR_LIB_DIALECT_WEIR_IR_MEANTOPERANDS_H

#include "weir/Dialect/Weir/IR/OpRecord.h"

#include "mlir/IR/TypeRange.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace weir {

/// Whether an op with the record `tried` takes operands of these types.
using TakesFn =
    llvm::function_ref<bool(const OpRecord &tried, mlir::TypeRange operands)>;

/// What to say behind an error about the operands of an op with the record
/// `record`, if they fit otherwise: in another order, with the dims of a
/// product or convolution in the order of another framework, or with a similar
/// loss. Empty for all others.
std::string describeMeant(const OpRecord &record, mlir::TypeRange operands,
                          TakesFn takes);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_IR_MEANTOPERANDS_H
