//===- LoopClasses.h - Loops that run through the same elements -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_LOOPCLASSES_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_LOOPCLASSES_H

#include "Tasks.h"

namespace weir::kernels {

/// Loops of nests that run through the same elements.
struct LoopClass {
  /// For each loop, the number of its nest in the section, and its symbol.
  llvm::SmallVector<std::pair<size_t, int>> members;
  int64_t size = 1;
  /// The distance by which an iteration moves in the tensor that the last nest
  /// writes.
  int64_t step = 0;
};

/// Makes one loop of two loops, as often as all accesses of `nest` allow it.
void collapse(KernelPlan &plan, LoopNest &nest);

/// The classes of `section` that can become task dims. The class that moves
/// farthest in memory comes first.
std::vector<LoopClass> findClasses(KernelPlan &plan, const Section &section);

/// Whether a nest of `section` reads at quotients or remainders of the
/// iterations of the class. Such iterations do not divide into blocks.
bool isFolded(const KernelPlan &plan, const Section &section,
              const LoopClass &found);

/// Makes a task dim of the class. Each loop of the class is reduced to one
/// block of iterations, and removed if a block is one iteration.
void cut(KernelPlan &plan, Section &section, const LoopClass &found,
         int64_t block);

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_LOOPCLASSES_H
