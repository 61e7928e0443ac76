//===- VariantKernels.h - The distinct kernels of an entry -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TARGET_ARTIFACT_VARIANTKERNELS_H
#define WEIR_TARGET_ARTIFACT_VARIANTKERNELS_H

#include "weir/Artifact/Schema.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"

#include "weir/Target/CPU/CompileKernels.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace weir {

/// Compiled kernels, and the blob with their code.
struct KernelCode {
  uint32_t blob = 0;
  llvm::StringMap<CompiledKernel> kernels;
};

/// Collects what kernels are prepared from. Launches with equal needs share
/// one, in all entries.
class VariantKernels {
public:
  /// `code` has the generated kernels; it may be null if there are none.
  VariantKernels(std::vector<std::unique_ptr<artifact::KernelT>> &kernels,
                 const KernelCode *code)
      : kernels(kernels), code(code) {}

  /// The index of the kernel of `launch`. It is an error if its code is
  /// missing.
  mlir::FailureOr<uint32_t> get(exec::LaunchOp launch);

private:
  mlir::FailureOr<std::unique_ptr<artifact::KernelT>>
  toKernel(exec::LaunchOp launch) const;
  uint32_t intern(std::unique_ptr<artifact::KernelT> kernel);

  std::vector<std::unique_ptr<artifact::KernelT>> &kernels;
  const KernelCode *code;
  /// Indexed by the launch's attributes, which finds most launches.
  llvm::DenseMap<mlir::Attribute, uint32_t> byAttributes;
  /// Indexed by the kernel's bytes, since different attributes may mean the
  /// same.
  std::unordered_map<std::string, uint32_t> byBytes;
};

} // namespace weir

#endif // WEIR_TARGET_ARTIFACT_VARIANTKERNELS_H
