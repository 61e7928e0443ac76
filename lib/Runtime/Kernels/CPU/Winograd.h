//===- Winograd.h - 3x3 convolution with fewer products ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Winograd's minimal filtering F(4x4, 3x3). Tiles of 6x6 cells of the input,
// and the windows, are transformed so that 36 products give 16 cells of the
// result. Computed directly, these take 144 products. A. Lavin and S. Gray,
// "Fast Algorithms for Convolutional Neural Networks", CVPR 2016.
//
// Errors are larger than those of the direct sum: about 1e-5 of the largest
// result in f32. bf16 tensors are transformed and multiplied in f32, and only
// the result is rounded. Tiles that are not finite are computed directly
// (WinogradTiles.h). Windows that are not finite themselves may give NaN where
// the direct sum is infinite.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_WINOGRAD_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_WINOGRAD_H

#include "Images.h"

#include <span>

namespace weir::cpu {

/// Whether `addWinograd` supports the convolution, which must have no groups,
/// and is expected to be faster than the library's direct convolution. The
/// answer is the same for every CPU with AVX2.
bool suitsWinograd(const KernelBuilder &builder, const Images &images,
                   std::span<const Epilogue> epilogues);

/// Adds the convolution and all its epilogues to the builder.
Status addWinograd(KernelBuilder &builder, const Images &images,
                   std::span<const Epilogue> epilogues);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_WINOGRAD_H
