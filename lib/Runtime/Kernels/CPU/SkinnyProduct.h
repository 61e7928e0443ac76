//===- SkinnyProduct.h - Few rows by a matrix of weights --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A product of one to four rows reads each weight once and does little with it,
// so it takes as long as the weights take to come from the cache or memory.
// They are packed in panels of columns, [columns / width, depth, width], each
// of which is read from beginning to end by one thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_SKINNYPRODUCT_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_SKINNYPRODUCT_H

#include "Pointwise.h"
#include "Product.h"

#include <span>

namespace weir::cpu {

/// Whether `addSkinnyProduct` can do the product, in f32 or bf16.
bool suitsSkinnyProduct(const Plan &plan, const Product &product);

/// Adds the product and as many of `epilogues`, seen through `view`, as it can
/// do on the way, and says how many these are.
StatusOr<size_t> addSkinnyProduct(Plan &plan, const Product &product,
                                  std::span<const Epilogue> epilogues,
                                  const EpilogueView &view);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_SKINNYPRODUCT_H
