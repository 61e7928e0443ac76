//===- Images.h - Operands and results of convolutions ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_IMAGES_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_IMAGES_H

#include "KernelBuilder.h"
#include "Windows.h"

#include <optional>

namespace weir::cpu {

/// The parameters of convolutions, including transposed ones. Images have a
/// layout on which oneDNN is fast. Weights have the dims of the op's record.
struct Images {
  Value input;
  Value weights;
  std::optional<Value> bias;
  Value result;
  Windows windows;

  /// Whether both images are dense and channels-last, and the result is the
  /// kernel's own and not a temporary.
  bool areInPlace() const;
};

/// The operand of a post-op, if oneDNN fuses it correctly and with fast code: a
/// scalar, one value per channel, or an image in the result's layout.
std::optional<Value> viewForImage(const Value &value, const TensorDesc &result);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_IMAGES_H
