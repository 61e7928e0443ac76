//===- TeamSize.cpp - How many threads a kernel is worth ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TeamSize.h"

#include <algorithm>

using namespace weir;

// Of one core, with operands in its second cache, where small tensors are.
static constexpr double flopsPerNs = 50, bytesPerNs = 25;

// What a team must save. To share work with a thread that waits for it takes
// 1.4 us, and many times that where it has gone to sleep or something else has
// its core.
static constexpr double leastSavedNs = 5000;

int cpu::worthwhileThreads(const KernelSpec &spec, double flops, int threads) {
  double bytes = 0;
  for (const auto *descs : {&spec.operands, &spec.results})
    for (const TensorDesc &desc : *descs)
      bytes += static_cast<double>(desc.spanBytes());
  const double aloneNs = std::max(flops / flopsPerNs, bytes / bytesPerNs);
  return aloneNs - aloneNs / threads < leastSavedNs ? 1 : threads;
}

double cpu::flopsOfSums(const TensorDesc &desc, double length) {
  return 2 * static_cast<double>(desc.numElements()) * length;
}
