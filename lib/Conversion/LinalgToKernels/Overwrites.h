//===- Overwrites.h - Which results may replace operands --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_OVERWRITES_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_OVERWRITES_H

#include "KernelPlan.h"

namespace weir::kernels {

/// The tensor whose home may lie in the bytes of an operand, by operand and
/// phase.
using Overwritten = llvm::DenseMap<std::pair<mlir::Value, int>, mlir::Value>;

/// Finds results that may lie in the bytes of operands while the function of a
/// phase runs. A point that reads an element of such an operand stores its own
/// element in the same place. No other point of the phase reads that place. So
/// the order of points does not matter, and threads may share them.
///
/// `plan` is as it was constructed: nests have all their loops. Memory types
/// are not compared.
Overwritten findOverwritten(const KernelPlan &plan);

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_OVERWRITES_H
