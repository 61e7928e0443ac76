//===- Folding.h - Results of ops computed at compile time -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Constants are folded and parameters derived by the runtime's reference
// kernels: exact, and the same on every machine. What only moves elements is
// copied.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"

#include "llvm/ADT/DenseMap.h"

#include <span>
#include <vector>

namespace weir {

/// The bytes of a tensor, as its type lies in memory.
using TensorBytes = std::span<const char>;

/// Whether `evaluate` can compute `op`.
bool isEvaluable(WeirOpInterface op);

/// The results of `op` from the bytes of its operands. Errors are at the op.
mlir::FailureOr<std::vector<std::vector<char>>>
evaluate(WeirOpInterface op, llvm::ArrayRef<TensorBytes> operands);

/// Gives the bytes of values that no op of a block computes.
using GetBytesFn =
    llvm::function_ref<mlir::FailureOr<TensorBytes>(mlir::Value)>;

/// The bytes of the operands of the terminator of `block`, whose other ops are
/// constants and evaluable ops; `getBytes` knows all other values.
mlir::FailureOr<std::vector<std::vector<char>>> evaluate(mlir::Block &block,
                                                         GetBytesFn getBytes);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_H
