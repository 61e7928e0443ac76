//===- CheckedKernels.h - Kernels that were found right ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_CHECKEDKERNELS_H
#define WEIR_LIB_COMPILER_CHECKEDKERNELS_H

#include "../Target/Check/CheckKernels.h"

#include "weir/Cache/CacheFile.h"
#include "weir/Compiler/Compiler.h"
#include "weir/Target/CPU/CompileKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringMap.h"

#include <string>

namespace weir {

/// Remembers kernels in a folder, so that each is checked only once. The
/// kernels are those that compilations by this build have found right, or could
/// not check.
class CheckedKernels {
public:
  static StatusOr<CheckedKernels> open(const std::string &folder);

  /// The clusters whose code in `compiled` has not been checked.
  llvm::SmallVector<mlir::func::FuncOp>
  findNew(llvm::ArrayRef<mlir::func::FuncOp> clusters,
          const CompiledKernels &compiled);
  /// The launches whose kernels have not been checked. `launches` are functions
  /// of the module of launches.
  llvm::SmallVector<mlir::func::FuncOp>
  findNew(llvm::ArrayRef<mlir::func::FuncOp> launches);
  /// Remembers that the kernels are checked that the last `findNew` returned.
  /// Kernels for which there was not enough memory are not remembered.
  void addNew(const KernelChecks &checks);

private:
  explicit CheckedKernels(CacheFile file) : file(std::move(file)) {}
  using KeyFn = llvm::function_ref<std::string(mlir::func::FuncOp)>;
  llvm::SmallVector<mlir::func::FuncOp>
  findNew(llvm::ArrayRef<mlir::func::FuncOp> functions, KeyFn makeKey);

  CacheFile file;
  /// The keys of the functions that the last `findNew` returned. The map is by
  /// name of the function.
  llvm::StringMap<std::string> newKeys;
};

/// A copy of `given`, with `checkKernels` set if the environment asks for it.
CompileOptions withEnvironment(const CompileOptions &given);

} // namespace weir

#endif // WEIR_LIB_COMPILER_CHECKEDKERNELS_H
