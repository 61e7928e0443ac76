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

/// Stores matrix A of `product` anew if it is constant and its columns begin at
/// addresses that GPUs read slowly: a vocabulary of 50257 made a product seven
/// times slower. Then `product` gets the new distance of columns, and the
/// address of the stored matrix is returned. Otherwise returns null.
StatusOr<const void *> padWeights(LtProduct &product,
                                  CudaPrepareContext &context);

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTWEIGHTS_H
