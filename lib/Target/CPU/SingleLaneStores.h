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
/// lane. LLVM 22's back end for AVX-512 stores 32 bits for such a lane if the
/// vector is a truncation of one of 32 bits, and so overwrites what follows an
/// element of 8 or 16 bits.
class SingleLaneStoresPass : public llvm::PassInfoMixin<SingleLaneStoresPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_SINGLELANESTORES_H
