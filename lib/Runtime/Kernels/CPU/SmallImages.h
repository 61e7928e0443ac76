//===- SmallImages.h - Convolutions of small images -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// oneDNN's convolutions want their weights in blocks. Weights that change, such
// as those of a training, would be reordered in each run, and so would their
// gradients. For small images, this takes longer than the sums. A matrix
// product reads and writes weights in their own layout. Windows are copied to
// the rows of a matrix before the product. If the product computes windows,
// they are added up after it (Chellapilla, Puri and Simard, "High performance
// convolutional neural networks for document processing", 2006).
//
// The rows have zeros for the padding. So an infinite value that is multiplied
// only with padding gives NaN. The library's convolutions leave out such
// products.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_SMALLIMAGES_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_SMALLIMAGES_H

#include "Images.h"

#include <span>

namespace weir::cpu {

/// The tensors of a convolution: an image `covered` by windows, an image
/// `places` with a cell for each window, and `weights` of [channels of places,
/// channels of covered, kernel]. `conv` computes `places`, `conv_transpose`
/// computes `covered`, and `conv_weight_gradient` computes `weights`.
struct WindowSums {
  Value covered, places, weights;
  Windows windows;
};

/// Whether a product is faster for weights that change.
bool suitsProduct(const WindowSums &sums);

/// Computes `sums.places`.
Status addProduct(KernelBuilder &builder, const WindowSums &sums,
                  const std::optional<Value> &bias,
                  std::span<const Epilogue> epilogues);

/// Computes `sums.covered`.
Status addTransposedProduct(KernelBuilder &builder, const WindowSums &sums,
                            std::span<const Epilogue> epilogues);

/// Computes `sums.weights`.
void addWeightProduct(KernelBuilder &builder, const WindowSums &sums);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_SMALLIMAGES_H
