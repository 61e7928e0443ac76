//===- Overwrites.h - Which results may replace operands --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_OVERWRITES_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_OVERWRITES_H

#include "KernelPlan.h"

namespace weir::kernels {

/// A tensor with a home for each operand and phase.
using Overwritten = llvm::DenseMap<std::pair<mlir::Value, int>, mlir::Value>;

/// The tensors in the memory of results that may lie in the bytes of operands
/// while the function of a phase runs, by operand and phase. Each point of the
/// phase that reads an element of the operand then stores its own element in
/// that place, and no other point of the phase reads it. So the order of
/// points does not matter, and threads may share them.
///
/// `plan` is as it was constructed: nests have all their loops. Memory types
/// are not compared.
Overwritten findOverwritten(const KernelPlan &plan);

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_OVERWRITES_H
