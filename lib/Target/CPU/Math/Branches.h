//===- Branches.h - Branches that few elements need -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Most algorithms are straight-line code. In a few, some rare elements need
// much more work than others. That work is behind a branch which is taken if
// any element of a vector needs it. The branch must not change the results of
// the other elements, so that vectors of any width and scalars get the same
// bits.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_MATH_BRANCHES_H
#define WEIR_LIB_TARGET_CPU_MATH_BRANCHES_H

#include "Real.h"

namespace weir {

using Reals = llvm::SmallVector<Real, 3>;

/// The values of `yes` if the mask holds for any element; else `no`, the usual
/// case.
Reals ifAny(Mask mask, llvm::function_ref<Reals()> yes, const Reals &no);

/// Repeats `step` on its own results, starting with `values`, while
/// `isUnfinished` of them holds for any element.
Reals whileAny(const Reals &values,
               llvm::function_ref<Mask(const Reals &)> isUnfinished,
               llvm::function_ref<Reals(const Reals &)> step);

/// Calls `step` for each of the first `count` of `numbers` in turn, with the
/// results of the previous call. The numbers become the constant `name` of the
/// module.
Reals forEach(llvm::StringRef name, llvm::ArrayRef<double> numbers,
              int64_t count, const Reals &values,
              llvm::function_ref<Reals(Real, const Reals &)> step);

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_MATH_BRANCHES_H
