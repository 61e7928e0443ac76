//===- Stamps.h - Transposed convolution without overlap --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Where the windows of a transposed convolution lie side by side, every input
// cell gives a stamp, a block of the result, by itself. One row of all stamps
// is a matrix product, [columns, channels] by [channels, columns of a stamp *
// outputs], which lies in the result as it is.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_STAMPS_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_STAMPS_H

#include "Images.h"

#include <span>

namespace weir::cpu {

/// Whether `addStamps` can do the transposed convolution, which has no groups.
bool suitsStamps(const Plan &plan, const Images &images,
                 std::span<const Epilogue> epilogues);

/// Adds the convolution and all its epilogues to the plan.
Status addStamps(Plan &plan, const Images &images,
                 std::span<const Epilogue> epilogues);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_STAMPS_H
