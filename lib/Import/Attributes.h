//===- Attributes.h - Checks the attributes of textual IR -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ATTRIBUTES_H
#define WEIR_LIB_IMPORT_ATTRIBUTES_H

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// Refuses attributes that nothing reads, such as misspelt ones. MLIR would
/// keep and ignore them. The attributes of ops are checked, and those of the
/// arguments and results of functions.
llvm::LogicalResult checkAttributes(mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_LIB_IMPORT_ATTRIBUTES_H
