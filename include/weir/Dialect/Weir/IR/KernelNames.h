//===- KernelNames.h - Kernels that the compiler itself names ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_KERNELNAMES_H
#define WEIR_DIALECT_WEIR_IR_KERNELNAMES_H

#include "llvm/ADT/StringRef.h"

namespace weir {

/// The kernel name of the reference evaluator.
inline constexpr llvm::StringLiteral referenceKernel = "reference";
/// The kernel name of generated code for a cluster.
inline constexpr llvm::StringLiteral generatedKernel = "generated";

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_KERNELNAMES_H
