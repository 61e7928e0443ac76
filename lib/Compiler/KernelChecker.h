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
/// Remarks say what was checked, what was not, and how long it took. With a
/// folder there are no remarks, and kernels that are known there are left out.
class KernelChecker {
public:
  /// `folder` is CompileOptions::checkedKernels.
  static StatusOr<KernelChecker> make(const std::string &folder);

  /// Runs the library kernels that the module of launches in `module` names,
  /// and erases it.
  mlir::LogicalResult checkLaunches(mlir::ModuleOp module);

  /// Runs `compiled`, the code of the clusters in `module`, if this machine
  /// can. The module must have kept its clusters.
  mlir::LogicalResult checkCode(mlir::ModuleOp module,
                                const CompiledKernels &compiled);

private:
  explicit KernelChecker(std::optional<CheckedKernels> known)
      : known(std::move(known)) {}
  mlir::LogicalResult check(mlir::ModuleOp module,
                            const CompiledKernels &compiled);

  std::optional<CheckedKernels> known;
  /// The identities of the code that was checked. Several plans of a graph may
  /// have the same code.
  llvm::StringSet<> codes;
};

} // namespace weir

#endif // WEIR_LIB_COMPILER_KERNELCHECKER_H
