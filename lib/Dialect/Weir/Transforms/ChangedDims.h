//===- ChangedDims.h - Layouts behind ops that change dims ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A reshape that splits a dim, or takes dims together that lie next to each
// other in memory, moves no byte whatever the layout; neither does a transpose
// whose result lies as its operand does. So what is between such ops, a channel
// shuffle say, stays in the layout around it.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_CHANGEDDIMS_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_CHANGEDDIMS_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

namespace weir {

/// The dims of `value` from the outermost to the innermost in memory.
llvm::SmallVector<int64_t> getMemoryOrder(mlir::Value value);

/// The order in which dims `to` lie in the bytes of a tensor of dims `from`
/// that lie in `order`, both in the same row-major order of elements; nothing
/// if dims that are taken together do not lie next to each other. Shapes are
/// static.
std::optional<llvm::SmallVector<int64_t>>
getReshapedOrder(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> order,
                 llvm::ArrayRef<int64_t> to);

/// The order of dims in which the result of `op`, a reshape or transpose whose
/// operand has a layout, is best if the operand stays as it lies; nothing for
/// any other op and where the operand has to be laid out anew.
std::optional<llvm::SmallVector<int64_t>>
getOrderBehindChange(WeirOpInterface op);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_CHANGEDDIMS_H
