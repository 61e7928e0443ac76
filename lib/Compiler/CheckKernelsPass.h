//===- CheckKernelsPass.h - Compares kernels with their ops -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_CHECKKERNELSPASS_H
#define WEIR_LIB_COMPILER_CHECKKERNELSPASS_H

#include "mlir/Pass/Pass.h"

#include <string>
#include <vector>

namespace weir {

/// Runs the code of all clusters of a module for those of `targetCpus` that
/// this machine is, and the library kernels of its module of launches, which is
/// then erased (lib/Target/Check/CheckKernels.h). Remarks say what was checked,
/// what was not, and how long it took. If `folder` is not empty, there are no
/// remarks, and kernels that are known there are left out.
std::unique_ptr<mlir::Pass>
createCheckKernels(std::vector<std::string> targetCpus, std::string folder);

} // namespace weir

#endif // WEIR_LIB_COMPILER_CHECKKERNELSPASS_H
