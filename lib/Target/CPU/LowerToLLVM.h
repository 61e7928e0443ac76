//===- LowerToLLVM.h - Lowers kernel functions to LLVM ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_LOWERTOLLVM_H
#define WEIR_LIB_TARGET_CPU_LOWERTOLLVM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace weir {

/// A module with copies of `functions` of `module` and of the constants that
/// they read.
mlir::OwningOpRef<mlir::ModuleOp>
cloneKernels(mlir::ModuleOp module,
             llvm::ArrayRef<mlir::func::FuncOp> functions);

/// Lowers kernel functions; buffers become bare pointers.
mlir::LogicalResult lowerToLLVM(mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_LOWERTOLLVM_H
