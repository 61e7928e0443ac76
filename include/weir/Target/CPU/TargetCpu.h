//===- TargetCpu.h - The processors that code is generated for -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TARGET_CPU_TARGETCPU_H
#define WEIR_TARGET_CPU_TARGETCPU_H

#include "weir/Support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// A processor as code is generated for it. Code uses the listed features and
/// no others, so an artifact that asks for them runs where they are.
struct TargetCpu {
  /// As the user spelled it.
  std::string name;
  /// The processor that instructions are scheduled for.
  std::string tuning;
  /// In the order of their names, as runtime and LLVM call them.
  std::vector<std::string> features;
  /// The width of its vector registers.
  int64_t vectorBits = 256;
};

/// "native" for this machine, or a name that LLVM knows ("x86-64-v3",
/// "znver4"). It must have AVX2, FMA and F16C, on which all code relies.
StatusOr<TargetCpu> parseTargetCpu(std::string_view name);

/// Each of `names`, which differ, as NAME=BITS for -convert-clusters-to-loops.
StatusOr<std::vector<std::string>>
describeLoopTargets(const std::vector<std::string> &names);

} // namespace weir

#endif // WEIR_TARGET_CPU_TARGETCPU_H
