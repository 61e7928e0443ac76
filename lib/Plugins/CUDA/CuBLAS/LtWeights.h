//===- LtWeights.h - Weights of products ------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTWEIGHTS_H
#define WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTWEIGHTS_H

#include "../StreamKernel.h"
#include "LtProduct.h"

namespace weir {

/// If matrix A of `product` is constant, and its columns begin at addresses
/// that GPUs read slowly, stores the matrix again with another distance of
/// columns. Slow columns of a vocabulary of 50257 made a product take seven
/// times as long. `product` gets the new distance, and the result is the
/// address of the stored matrix. Returns null if nothing is stored.
StatusOr<const void *> padWeights(LtProduct &product,
                                  CudaPrepareContext &context);

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTWEIGHTS_H
