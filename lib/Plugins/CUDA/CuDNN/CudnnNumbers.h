//===- CudnnNumbers.h - Numbers of plans of cuDNN ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNNUMBERS_H
#define WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNNUMBERS_H

#include "weir/Support/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// A number that the front end itself gives to launches.
struct FrontendNumber {
  int64_t id;
  /// The bytes of the number, followed by zeros if it has fewer than eight.
  uint64_t bits;
};

/// The numbers as text: " 7=3f800000 9=0".
std::string writeNumbers(std::span<const FrontendNumber> numbers);
/// Reads the numbers from a text of `writeNumbers`.
StatusOr<std::vector<FrontendNumber>> readNumbers(std::string_view text);

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNNUMBERS_H
