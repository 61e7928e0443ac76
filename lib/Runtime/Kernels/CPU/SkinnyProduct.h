//===- SkinnyProduct.h - Products of few rows by weights --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A product of one to four rows reads each weight once and does little with it.
// So it takes as long as to read the weights from the cache or from memory.
// Weights are packed in panels of columns, [columns / width, depth, width]. One
// thread reads each panel from beginning to end.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_SKINNYPRODUCT_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_SKINNYPRODUCT_H

#include "Pointwise.h"
#include "Product.h"

#include <span>

namespace weir::cpu {

/// Whether `addSkinnyProduct` supports `product`, which must be of f32 or bf16.
bool suitsSkinnyProduct(const KernelBuilder &builder, const Product &product);

/// Adds the product with as many of `epilogues`, seen through `view`, as it can
/// fuse. Returns the number of fused epilogues.
StatusOr<size_t> addSkinnyProduct(KernelBuilder &builder,
                                  const Product &product,
                                  std::span<const Epilogue> epilogues,
                                  const EpilogueView &view);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_SKINNYPRODUCT_H
