//===- EntryConversion.h - Converts a function to an exec.entry -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONVERSION_WEIRTOEXEC_ENTRYCONVERSION_H
#define WEIR_CONVERSION_WEIRTOEXEC_ENTRYCONVERSION_H

#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Dialect/Weir/Transforms/ParameterFacts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace weir {

/// Fills the empty `entry` with the buffers and commands of the lowered graph
/// `function`. `constants` maps each constant of the graph to the parameter
/// that has its value. Parameters that an entry of the module assigns are
/// variables.
mlir::LogicalResult convertEntry(
    mlir::func::FuncOp function,
    const llvm::DenseMap<mlir::Value, mlir::FlatSymbolRefAttr> &constants,
    const ParameterFacts &facts, exec::EntryOp entry);

} // namespace weir

#endif // WEIR_CONVERSION_WEIRTOEXEC_ENTRYCONVERSION_H
