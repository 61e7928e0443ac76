//===- LtKernel.h - The kernels linear and matmul of GPUs -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTKERNEL_H
#define WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTKERNEL_H

#include "weir/Runtime/Kernel.h"
#include "weir/Support/KernelRow.h"

#include <span>

namespace weir {

/// The ops that cuBLASLt serves.
std::span<const OpKernelRow> ltRows();

/// The kernels that the rows name, ordered by name. Their `check` functions
/// need neither a GPU nor the library.
std::span<const KernelTableEntry> ltKernels();

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTKERNEL_H
