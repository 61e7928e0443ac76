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

/// A processor for which code is generated. The code uses the listed features
/// and no others, so an artifact that requires them runs on every machine that
/// has them.
struct TargetCpu {
  /// The name as the user wrote it.
  std::string name;
  /// The processor for which LLVM schedules instructions.
  std::string tuning;
  /// The names of the features in alphabetical order. The runtime and LLVM use
  /// the same names.
  std::vector<std::string> features;
  /// The width of its vector registers in bits.
  int64_t vectorBits = 256;
};

/// "native" for this machine, or a name that LLVM knows ("x86-64-v3",
/// "znver4"). The processor must have AVX2, FMA and F16C, since all generated
/// code relies on them.
StatusOr<TargetCpu> parseTargetCpu(std::string_view name);

/// Each of `names`, which are distinct, as NAME=BITS for
/// -convert-clusters-to-loops.
StatusOr<std::vector<std::string>>
describeLoopTargets(const std::vector<std::string> &names);

} // namespace weir

#endif // WEIR_TARGET_CPU_TARGETCPU_H
