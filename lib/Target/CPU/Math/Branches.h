//===- Branches.h - Code that runs where any element needs it -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Most algorithms are straight code. A few have elements that need much more
// than others, and seldom: they are computed behind a branch on whether there
// is one among the elements of a vector. What the others get must not change by
// it, so that vectors of any width and scalars get the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_MATH_BRANCHES_H
#define WEIR_LIB_TARGET_CPU_MATH_BRANCHES_H

#include "Real.h"

namespace weir {

using Reals = llvm::SmallVector<Real, 3>;

/// What `yes` makes where the mask holds for any element, else `no`: the usual
/// case.
Reals ifAny(Mask mask, llvm::function_ref<Reals()> yes, const Reals &no);

/// Gives `values` to `step`, and what it makes of them again, as long as
/// `isUnfinished` of them holds for any element.
Reals whileAny(const Reals &values,
               llvm::function_ref<Mask(const Reals &)> isUnfinished,
               llvm::function_ref<Reals(const Reals &)> step);

/// Gives each of the first `count` of `numbers` in turn to `step`, with what it
/// made of the ones before. The numbers become the constant `name` of the
/// module.
Reals forEach(llvm::StringRef name, llvm::ArrayRef<double> numbers,
              int64_t count, const Reals &values,
              llvm::function_ref<Reals(Real, const Reals &)> step);

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_MATH_BRANCHES_H
