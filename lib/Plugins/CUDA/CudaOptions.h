//===- CudaOptions.h - Options of cuda devices ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDAOPTIONS_H
#define WEIR_LIB_PLUGINS_CUDA_CUDAOPTIONS_H

#include "weir/Runtime/Device.h"

#include <chrono>
#include <optional>
#include <string_view>

namespace weir {

/// The options of a GPU in a session or a topology file.
struct CudaOptions {
  /// Whether convolutions and products of f32 may round their operands to TF32.
  bool allowsTF32 = false;
  /// Whether the device times the ways in which libraries can carry out a
  /// launch, and takes the fastest.
  bool tunes = false;
  /// How long a GPU may take to end a run that was cancelled. If this is not
  /// set, the time stays as it was.
  std::optional<std::chrono::seconds> patience;

  /// DeviceKindInfo::checkOption.
  static Status check(std::string_view name, std::string_view value);
  static StatusOr<CudaOptions> parse(const DeviceRequest &request);
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDAOPTIONS_H
