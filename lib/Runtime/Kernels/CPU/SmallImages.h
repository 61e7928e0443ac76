//===- SmallImages.h - Convolutions of small images -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// oneDNN's convolutions want their weights in blocks. Weights that change, as
// those of a training do, would be reordered on each run, and their gradients,
// too. Where images are small, that takes longer than the sums. A product reads
// and writes weights as they lie. The windows are copied to the rows of a
// matrix before it, or its rows are added up behind it (Chellapilla, Puri and
// Simard, "High performance convolutional neural networks for document
// processing", 2006).
//
// Zeros stand for the padding. So a value that is infinite and meets only
// padding gives NaN. The library leaves out such products.
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
