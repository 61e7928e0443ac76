//===- TargetGpu.cpp - The GPUs that code is generated for ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Target/NVPTX/TargetGpu.h"

#include <algorithm>
#include <fmt/format.h>

using namespace weir;

namespace {
struct KnownArch {
  uint32_t arch;
  uint32_t ptxVersion;
};
} // namespace

/// The architectures, each with the version of PTX that is generated for it.
/// Earlier architectures lack instructions that Weir's code uses, such as a
/// maximum that propagates NaN. Before PTX 8.1, a kernel can have at most 544
/// buffers.
static constexpr KnownArch knownArchs[] = {
    {80, 81},  {86, 81},  {87, 81},  {88, 90},  {89, 81}, {90, 81},
    {100, 86}, {103, 88}, {110, 90}, {120, 87}, {121, 88}};

StatusOr<TargetGpu> weir::parseTargetGpu(std::string_view name) {
  std::string known;
  for (const KnownArch &each : knownArchs) {
    const std::string spelling = fmt::format("sm_{}", each.arch);
    if (name == spelling)
      return TargetGpu{spelling, each.arch, each.ptxVersion};
    known += (known.empty() ? "" : ", ") + spelling;
  }
  return invalidArgument(fmt::format(
      "unknown GPU architecture '{}'; the architectures are {}", name, known));
}

StatusOr<std::vector<TargetGpu>>
weir::parseTargetGpus(const std::vector<std::string> &names) {
  // This gives machine code for all GPUs from sm_80 to sm_90, and PTX for later
  // ones.
  if (names.empty())
    return parseTargetGpus({"sm_80", "sm_90"});
  std::vector<TargetGpu> gpus;
  for (const std::string &name : names) {
    WEIR_ASSIGN_OR_RETURN(TargetGpu gpu, parseTargetGpu(name));
    if (std::ranges::any_of(gpus, [&](const TargetGpu &other) {
          return other.arch == gpu.arch;
        }))
      return invalidArgument(fmt::format("'{}' is named twice", name));
    gpus.push_back(std::move(gpu));
  }
  std::ranges::sort(gpus, {}, &TargetGpu::arch);
  return gpus;
}
