//===- ProcessorCode.h - Code for each instruction set ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// This file defines functions once for each instruction set, and chooses among
// them when a program runs.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_PROCESSORCODE_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_PROCESSORCODE_H

#include "LibraryStatus.h"

// CODE(NAME, TARGET, LANES) defines functions whose names begin with NAME, with
// the attribute TARGET, for vectors of LANES floats.
#define WEIR_WIDE_CODE(CODE)                                                   \
  CODE(avx512, [[gnu::target("avx512f,fma")]], 16)                             \
  CODE(avx2, [[gnu::target("avx2,fma")]], 8)

/// Like WEIR_WIDE_CODE, but also for processors with neither instruction set.
#define WEIR_PROCESSOR_CODE(CODE) WEIR_WIDE_CODE(CODE) CODE(plain, , 4)

namespace weir::cpu {

/// The code for the widest vectors that the processor has.
template <typename Code> Code chooseCode(Code avx512, Code avx2, Code plain) {
  if (hasAVX512())
    return avx512;
  return hasAVX2() ? avx2 : plain;
}

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_PROCESSORCODE_H
