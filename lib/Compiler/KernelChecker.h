//===- KernelChecker.h - Compares kernels with their ops --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_KERNELCHECKER_H
#define WEIR_LIB_COMPILER_KERNELCHECKER_H

#include "CheckedKernels.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

#include <optional>
#include <string>

namespace weir {

/// Checks the kernels of one compilation (lib/Target/Check/CheckKernels.h).
/// Remarks say what was checked, what was not, and how long it took. If there
/// is a folder, kernels that it remembers are not checked again, and there are
/// no remarks.
class KernelChecker {
public:
  /// `folder` is CompileOptions::checkedKernels.
  static StatusOr<KernelChecker> make(const std::string &folder);

  /// Checks the library kernels of `module`. Its module of launches names them,
  /// and is then erased.
  mlir::LogicalResult checkLaunches(mlir::ModuleOp module);

  /// Checks `compiled`, the code of the clusters in `module`, if this machine
  /// can run it. The module must still have its clusters.
  mlir::LogicalResult checkCode(mlir::ModuleOp module,
                                const CompiledKernels &compiled);

private:
  explicit KernelChecker(std::optional<CheckedKernels> known)
      : known(std::move(known)) {}
  mlir::LogicalResult check(mlir::ModuleOp module,
                            const CompiledKernels &compiled);

  std::optional<CheckedKernels> known;
  /// Identifies the code that was checked. Several plans of a graph may have
  /// the same code.
  llvm::StringSet<> codes;
};

} // namespace weir

#endif // WEIR_LIB_COMPILER_KERNELCHECKER_H
