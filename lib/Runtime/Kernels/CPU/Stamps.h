//===- Stamps.h - Transposed convolution without overlap --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// If the windows of a transposed convolution do not overlap, every input cell
// alone determines a block of the result, a *stamp*. A row of the result
// consists of one row of each stamp of a row of cells. It is a matrix product,
// [columns, channels] by [channels, columns of a stamp * outputs].
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_STAMPS_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_STAMPS_H

#include "Images.h"

#include <span>

namespace weir::cpu {

/// Whether `addStamps` supports the transposed convolution, which must have no
/// groups.
bool suitsStamps(const KernelBuilder &builder, const Images &images,
                 std::span<const Epilogue> epilogues);

/// Adds the convolution and all its epilogues to the builder.
Status addStamps(KernelBuilder &builder, const Images &images,
                 std::span<const Epilogue> epilogues);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_STAMPS_H
