//===- SingleLaneStores.h - Stores of one lane of a vector ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_SINGLELANESTORES_H
#define WEIR_LIB_TARGET_CPU_SINGLELANESTORES_H

#include "llvm/IR/PassManager.h"

namespace weir {

/// Replaces a masked store by a scalar store if the mask is a constant with one
/// lane. This avoids a bug in LLVM 22's back end for AVX-512. If the vector is
/// truncated, the back end stores the lane at its original width, and
/// overwrites the bytes behind it.
class SingleLaneStoresPass : public llvm::PassInfoMixin<SingleLaneStoresPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_SINGLELANESTORES_H
