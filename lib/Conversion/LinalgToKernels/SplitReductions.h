//===- SplitReductions.h - Reductions over tiles --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A reduction of many elements to few has too few results to give threads work.
// It is split into two reductions. The first computes partial results over
// tiles of the elements, and threads share the tiles. The second combines the
// partial results. The tiles depend only on the reduction, its sizes and the
// layouts of its operands. So the order in which elements are combined depends
// only on these, too.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_SPLITREDUCTIONS_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_SPLITREDUCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace weir::kernels {

using TensorStrides = llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>>;

/// The rules that say, for a kind of machine, whether a reduction has too few
/// results.
struct SplitRules {
  /// The number of neighbouring results that one task computes.
  int64_t resultBlock;
  /// The number of tiles that are enough to divide between threads evenly.
  int64_t enoughTiles;
  /// The least number of tasks that is enough. A smaller number is too few if
  /// each task combines at least `longReduction` elements.
  int64_t enoughTasks;
  int64_t longReduction;
};

/// Splits the long reductions of `function`. `ownStrides` has the strides of
/// its tensors, and gets the strides of new tensors. Returns the tensors of
/// partial results.
llvm::DenseSet<mlir::Value> splitReductions(mlir::func::FuncOp function,
                                            TensorStrides &ownStrides,
                                            const SplitRules &rules);

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_SPLITREDUCTIONS_H
