//===- Product.h - Operands of a matrix product -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_PRODUCT_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_PRODUCT_H

#include "KernelBuilder.h"

#include <optional>

namespace weir::cpu {

/// A product result = lhs x rhs (+ bias). All its tensors have the same rank,
/// at least 2. The leading dims of lhs and rhs are broadcast.
struct Product {
  Value lhs;
  Value rhs;
  std::optional<Value> bias;
  Value result;
};

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_PRODUCT_H
