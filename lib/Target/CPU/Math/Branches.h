//===- Branches.h - Branches that few elements need -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Most algorithms are code without branches. In a few algorithms, rare elements
// need much more work than others. That work is behind a branch. The branch is
// taken if any element of a vector needs the work. It must not change the
// results of the other elements, so that scalars and vectors of any width get
// the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_MATH_BRANCHES_H
#define WEIR_LIB_TARGET_CPU_MATH_BRANCHES_H

#include "Real.h"

namespace weir {

using Reals = llvm::SmallVector<Real, 3>;

/// The values of `yes` if the mask holds for any element, and otherwise `no`.
/// `no` is the usual case.
Reals ifAny(Mask mask, llvm::function_ref<Reals()> yes, const Reals &no);

/// Calls `step` on `values`, and then on its own results. Ends when
/// `isUnfinished` holds for no element of the results.
Reals whileAny(const Reals &values,
               llvm::function_ref<Mask(const Reals &)> isUnfinished,
               llvm::function_ref<Reals(const Reals &)> step);

/// Calls `step` for each of the first `count` of `numbers`. Each call gets the
/// results of the previous one. The numbers become the constant `name` of the
/// module.
Reals forEach(llvm::StringRef name, llvm::ArrayRef<double> numbers,
              int64_t count, const Reals &values,
              llvm::function_ref<Reals(Real, const Reals &)> step);

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_MATH_BRANCHES_H
