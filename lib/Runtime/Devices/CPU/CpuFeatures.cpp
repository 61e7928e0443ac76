//===- CpuFeatures.cpp - Instruction sets of this processor -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CpuFeatures.h"

#include <algorithm>
#include <iterator>

using namespace weir;

#if defined(__x86_64__)

namespace {
struct Feature {
  std::string_view name;
  bool isPresent;
};
} // namespace

bool weir::hasCpuFeature(std::string_view name) {
// The compiler's built-in accepts only literals.
#define WEIR_FEATURE(name)                                                     \
  { name, __builtin_cpu_supports(name) != 0 }
  static const Feature features[] = {
      WEIR_FEATURE("avx"),         WEIR_FEATURE("avx2"),
      WEIR_FEATURE("avx512bf16"),  WEIR_FEATURE("avx512bitalg"),
      WEIR_FEATURE("avx512bw"),    WEIR_FEATURE("avx512cd"),
      WEIR_FEATURE("avx512dq"),    WEIR_FEATURE("avx512f"),
      WEIR_FEATURE("avx512ifma"),  WEIR_FEATURE("avx512vbmi"),
      WEIR_FEATURE("avx512vbmi2"), WEIR_FEATURE("avx512vl"),
      WEIR_FEATURE("avx512vnni"),  WEIR_FEATURE("avx512vpopcntdq"),
      WEIR_FEATURE("bmi"),         WEIR_FEATURE("bmi2"),
      WEIR_FEATURE("f16c"),        WEIR_FEATURE("fma"),
      WEIR_FEATURE("popcnt"),      WEIR_FEATURE("sse2"),
      WEIR_FEATURE("sse3"),        WEIR_FEATURE("sse4.1"),
      WEIR_FEATURE("sse4.2"),      WEIR_FEATURE("ssse3"),
  };
#undef WEIR_FEATURE
  return std::any_of(std::begin(features), std::end(features),
                     [&](const Feature &feature) {
                       return feature.name == name && feature.isPresent;
                     });
}

#else

bool weir::hasCpuFeature(std::string_view) { return false; }

#endif
