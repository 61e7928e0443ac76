//===- SingleLaneStores.h - Stores of one lane of a vector ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_SINGLELANESTORES_H
#define WEIR_LIB_TARGET_CPU_SINGLELANESTORES_H

#include "llvm/IR/PassManager.h"

namespace weir {

/// Makes scalar stores of masked stores whose mask is constant and has one
/// lane. If the vector is a truncation, LLVM 22's back end for AVX-512 stores
/// the lane as wide as it was before, and so overwrites what follows it.
class SingleLaneStoresPass : public llvm::PassInfoMixin<SingleLaneStoresPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_SINGLELANESTORES_H
