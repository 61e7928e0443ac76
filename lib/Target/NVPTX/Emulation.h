//===- Emulation.h - GPU kernels for the CPU --------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_NVPTX_EMULATION_H
#define WEIR_LIB_TARGET_NVPTX_EMULATION_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace weir {

/// A shared object with the kernel functions of `module`. A call is one thread
/// of an emulated GPU (GpuEmulation.h).
mlir::FailureOr<std::string> emulateKernels(mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_LIB_TARGET_NVPTX_EMULATION_H
