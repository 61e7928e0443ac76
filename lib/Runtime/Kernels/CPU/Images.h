//===- Images.h - What convolutions read and write --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_IMAGES_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_IMAGES_H

#include "Plan.h"
#include "Windows.h"

#include <optional>

namespace weir::cpu {

/// What convolutions, transposed ones too, share. Images are in a layout on
/// which oneDNN is fast; weights have the dims of the op's record.
struct Images {
  Value input;
  Value weights;
  std::optional<Value> bias;
  Value result;
  Windows windows;

  /// Whether both images are dense and channels-last, and the result is the
  /// kernel's own and no copy of it.
  bool areInPlace() const;
};

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_IMAGES_H
