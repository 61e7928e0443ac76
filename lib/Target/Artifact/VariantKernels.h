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

/// A compiled kernel, and the blob that has its code.
struct PlacedKernel {
  uint32_t blob = 0;
  CompiledKernel kernel;
};
/// The generated kernels of a variant, for CPUs and GPUs. The keys are the
/// names of functions.
using KernelCode = llvm::StringMap<PlacedKernel>;

/// The kernels of a variant. Launches with the same description share one
/// kernel, even if they are in different entries.
class VariantKernels {
public:
  VariantKernels(std::vector<std::unique_ptr<artifact::KernelT>> &kernels,
                 const KernelCode &code)
      : kernels(kernels), code(code) {}

  /// The index of the kernel of `launch`. It is an error if the code of the
  /// kernel is missing.
  mlir::FailureOr<uint32_t> get(exec::LaunchOp launch);

private:
  mlir::FailureOr<std::unique_ptr<artifact::KernelT>>
  toKernel(exec::LaunchOp launch) const;
  bool isForGpu(exec::LaunchOp launch) const;
  uint32_t intern(std::unique_ptr<artifact::KernelT> kernel);

  std::vector<std::unique_ptr<artifact::KernelT>> &kernels;
  const KernelCode &code;
  /// The kernels by the attributes of their launches. Most look-ups end here.
  llvm::DenseMap<mlir::Attribute, uint32_t> byAttributes;
  /// The kernels by their bytes. Different attributes may describe the same
  /// kernel.
  std::unordered_map<std::string, uint32_t> byBytes;
};

} // namespace weir

#endif // WEIR_TARGET_ARTIFACT_VARIANTKERNELS_H
