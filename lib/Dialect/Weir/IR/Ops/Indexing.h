//===- Indexing.h - Dims of the Indexing family -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_IR_OPS_INDEXING_H
#define WEIR_LIB_DIALECT_WEIR_IR_OPS_INDEXING_H

#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"

#include <numeric>

namespace weir::indexing {

using Dims = llvm::SmallVector<int64_t>;

inline Dims dimsOf(mlir::Value value) {
  return Dims(llvm::cast<mlir::RankedTensorType>(value.getType()).getShape());
}

/// The number of elements.
inline int64_t countOf(llvm::ArrayRef<int64_t> dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1},
                         std::multiplies<>());
}

/// The numbers 0, 1, 2, ... along the only dim of `shape` that is not 1.
BodyValue counting(BodyBuilder &b, llvm::ArrayRef<int64_t> shape);

} // namespace weir::indexing

#endif // WEIR_LIB_DIALECT_WEIR_IR_OPS_INDEXING_H
