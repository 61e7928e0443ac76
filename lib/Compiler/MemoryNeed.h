//===- MemoryNeed.h - Does this machine have enough memory? -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_MEMORYNEED_H
#define WEIR_LIB_COMPILER_MEMORYNEED_H

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// Warns if a run of the planned `module` needs more than the memory of this
/// machine for its inputs, outputs and scratch. This is not an error, because a
/// larger machine may run the artifact.
void warnIfTooLarge(mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_LIB_COMPILER_MEMORYNEED_H
