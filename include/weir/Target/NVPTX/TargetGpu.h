//===- TargetGpu.h - The GPUs that code is generated for -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TARGET_NVPTX_TARGETGPU_H
#define WEIR_TARGET_NVPTX_TARGETGPU_H

#include "weir/Support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// An architecture of NVIDIA's for which code is generated.
struct TargetGpu {
  /// "sm_90".
  std::string name;
  /// 90 for sm_90.
  uint32_t arch = 0;
  /// The version of the generated PTX: 81 for 8.1.
  uint32_t ptxVersion = 0;
};

/// The architecture `name`.
StatusOr<TargetGpu> parseTargetGpu(std::string_view name);

/// The architectures `names`, which are distinct, in ascending order. Without
/// names, sm_80 and sm_90, which serve most GPUs.
StatusOr<std::vector<TargetGpu>>
parseTargetGpus(const std::vector<std::string> &names);

} // namespace weir

#endif // WEIR_TARGET_NVPTX_TARGETGPU_H
