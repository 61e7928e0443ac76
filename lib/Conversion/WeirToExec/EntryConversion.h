//===- EntryConversion.h - The buffers and commands of a function ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONVERSION_WEIRTOEXEC_ENTRYCONVERSION_H
#define WEIR_CONVERSION_WEIRTOEXEC_ENTRYCONVERSION_H

#include "weir/Dialect/Exec/IR/ExecOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace weir {

/// Fills `entry`, which is empty, with what the lowered graph `function` does.
/// `constants` names the parameters that hold the values of its constants.
mlir::LogicalResult convertEntry(
    mlir::func::FuncOp function,
    const llvm::DenseMap<mlir::Value, mlir::FlatSymbolRefAttr> &constants,
    exec::EntryOp entry);

} // namespace weir

#endif // WEIR_CONVERSION_WEIRTOEXEC_ENTRYCONVERSION_H
