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

/// The hint after an error about the operands of an op, if a small change would
/// make them fit: another order of operands, the order of dims of another
/// framework, or a similar loss. Empty if there is no hint.
std::string describeMeant(const OpRecord &record, mlir::TypeRange operands,
                          TakesFn takes);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_IR_MEANTOPERANDS_H
