//===- KernelTable.h - The kernels of an entry, each once -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TARGET_ARTIFACT_KERNELTABLE_H
#define WEIR_TARGET_ARTIFACT_KERNELTABLE_H

#include "weir/Artifact/Schema.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace weir {

/// Collects what kernels are prepared from. Launches prepared alike share one.
class KernelTable {
public:
  explicit KernelTable(std::vector<std::unique_ptr<artifact::KernelT>> &kernels)
      : kernels(kernels) {}

  uint32_t get(exec::LaunchOp launch);

private:
  uint32_t intern(std::unique_ptr<artifact::KernelT> kernel);

  std::vector<std::unique_ptr<artifact::KernelT>> &kernels;
  /// By the launch's attributes: most launches are found here.
  llvm::DenseMap<mlir::Attribute, uint32_t> byAttributes;
  /// By the kernel's bytes: attributes may differ and yet mean the same.
  std::unordered_map<std::string, uint32_t> byBytes;
};

} // namespace weir

#endif // WEIR_TARGET_ARTIFACT_KERNELTABLE_H
