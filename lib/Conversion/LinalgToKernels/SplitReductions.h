//===- SplitReductions.h - Reductions over tiles --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A reduction of many elements to few has too few results to give threads
// work. It becomes two: partial results over tiles of the elements, which
// threads share, and their combination. How elements are cut into tiles depends
// on the reduction, its sizes and the layouts of its operands, so the order in
// which elements are combined does too.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_SPLITREDUCTIONS_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_SPLITREDUCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace weir::kernels {

using TensorStrides = llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>>;

/// The rules by which a reduction has too few results for a kind of machine.
struct SplitRules {
  /// Neighbouring results that one task computes.
  int64_t resultBlock;
  /// Tiles that are enough to divide between threads evenly.
  int64_t enoughTiles;
  /// Fewer tasks than this are too few, if each combines at least
  /// `longReduction` elements.
  int64_t enoughTasks;
  int64_t longReduction;
};

/// Splits the long reductions of `function`. `ownStrides` has the strides of
/// its tensors and gets those of new tensors. Returns the tensors of partial
/// results.
llvm::DenseSet<mlir::Value> splitReductions(mlir::func::FuncOp function,
                                            TensorStrides &ownStrides,
                                            const SplitRules &rules);

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_SPLITREDUCTIONS_H
