//===- Folding.h - Evaluates ops at compile time ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The runtime's reference kernels fold constants and derive parameters, so
// results are exact and the same on every machine. Ops that only move elements
// are copied.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_FOLDING_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_FOLDING_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"

#include "llvm/ADT/DenseMap.h"

#include <span>
#include <vector>

namespace weir {

/// The bytes of a tensor in the memory layout of its type.
using TensorBytes = std::span<const char>;

/// The size in bytes up to which the compiler computes a value. A larger value
/// is computed only if it is no larger than its operands together.
inline constexpr uint64_t maxGrownBytes = uint64_t(1) << 20;

/// Whether `evaluate` can compute `op`.
bool isEvaluable(WeirOpInterface op);

/// The arithmetic that `evaluate` does for `op`. Reference kernels and
/// generated code visit every point of the index spec, even if the op's own
/// kernel can skip some of them.
int64_t getEvaluationFlops(WeirOpInterface op);

/// The results of `op`, computed from the bytes of its operands. Errors are
/// emitted at the op.
mlir::FailureOr<std::vector<std::vector<char>>>
evaluate(WeirOpInterface op, llvm::ArrayRef<TensorBytes> operands);

/// Returns the bytes of a value that no op of the block computes.
using GetBytesFn =
    llvm::function_ref<mlir::FailureOr<TensorBytes>(mlir::Value)>;

/// The bytes of the operands of the terminator of `block`. The other ops of the
/// block must be constants or evaluable. `getBytes` supplies all other values.
mlir::FailureOr<std::vector<std::vector<char>>> evaluate(mlir::Block &block,
                                                         GetBytesFn getBytes);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_FOLDING_H
