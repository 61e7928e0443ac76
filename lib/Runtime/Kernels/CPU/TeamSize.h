//===- TeamSize.h - How many threads a kernel is worth ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_TEAMSIZE_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_TEAMSIZE_H

#include "weir/Runtime/Kernel.h"

#include <omp.h>

namespace weir::cpu {

/// The size of the teams that the calling thread opens, which is what oneDNN
/// plans a primitive for and what it runs it on.
class TeamSize {
public:
  explicit TeamSize(int threads)
      : before(omp_get_max_threads()), isChanged(threads != before) {
    if (isChanged)
      omp_set_num_threads(threads);
  }
  ~TeamSize() {
    if (isChanged)
      omp_set_num_threads(before);
  }
  TeamSize(const TeamSize &) = delete;
  TeamSize &operator=(const TeamSize &) = delete;

private:
  int before;
  bool isChanged;
};

/// `threads`, or one where a team would cost more than it saves: OpenMP keeps a
/// team only as long as its size stays, so there is nothing between. `flops`
/// are those beyond a few for each element. It depends on nothing but the
/// arguments, so a kernel has the same bits wherever it is placed.
int worthwhileThreads(const KernelSpec &spec, double flops, int threads);

/// Of sums of `length` products for each element of `desc`.
double flopsOfSums(const TensorDesc &desc, double length);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_TEAMSIZE_H
