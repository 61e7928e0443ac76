//===- ChangedDims.h - Layouts of reshapes and transposes -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// In any layout, a reshape moves no bytes if it splits a dim, or joins dims
// that are adjacent in memory. A transpose moves no bytes if its result has the
// memory order of its operand. So ops between such ops, for example in a
// channel shuffle, can keep the layout.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LAYOUTS_CHANGEDDIMS_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LAYOUTS_CHANGEDDIMS_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

namespace weir {

/// The dims of `value` from the outermost to the innermost in memory.
llvm::SmallVector<int64_t> getMemoryOrder(mlir::Value value);

/// For a tensor of dims `from` in memory order `order`, the memory order of its
/// reshape to dims `to` that keeps the bytes. Nothing if dims that are joined
/// are not adjacent in memory. Shapes are static.
std::optional<llvm::SmallVector<int64_t>>
getReshapedOrder(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> order,
                 llvm::ArrayRef<int64_t> to);

/// The best order of dims for the result of `op`, a reshape or transpose whose
/// operand keeps its layout. Nothing for any other op, or if the operand needs
/// a relayout.
std::optional<llvm::SmallVector<int64_t>>
getOrderBehindChange(WeirOpInterface op);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LAYOUTS_CHANGEDDIMS_H
