//===- WorthwhileThreads.h - Threads that a kernel should use ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_WORTHWHILETHREADS_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_WORTHWHILETHREADS_H

#include "weir/Runtime/Kernel.h"

namespace weir::cpu {

/// `threads`, or one if a team would cost more than it saves. Sizes in between
/// are not used, since OpenMP keeps a team only while its size does not change.
/// `flops` counts what the kernel does beyond a few flops per element. The
/// result depends only on the arguments, so a kernel gives the same bits on
/// every placement.
int worthwhileThreads(const KernelSpec &spec, double flops, int threads);

/// The flops of sums of `length` products for each element of `desc`.
double flopsOfSums(const TensorDesc &desc, double length);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_WORTHWHILETHREADS_H
