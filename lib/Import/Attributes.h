//===- Attributes.h - Checks the attributes of textual IR -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ATTRIBUTES_H
#define WEIR_LIB_IMPORT_ATTRIBUTES_H

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// Refuses attributes of ops, and of arguments and results of functions, that
/// nothing reads, such as misspelt ones. MLIR keeps and ignores them.
llvm::LogicalResult checkAttributes(mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_LIB_IMPORT_ATTRIBUTES_H
