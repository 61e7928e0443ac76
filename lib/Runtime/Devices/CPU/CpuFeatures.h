//===- CpuFeatures.h - Instruction sets of this processor -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_CPU_CPUFEATURES_H
#define WEIR_LIB_RUNTIME_DEVICES_CPU_CPUFEATURES_H

#include <string_view>

namespace weir {

/// Whether this processor has the feature `name`, in LLVM's spelling
/// ("avx512f", "sse4.2"). False for unknown names.
bool hasCpuFeature(std::string_view name);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_CPU_CPUFEATURES_H
