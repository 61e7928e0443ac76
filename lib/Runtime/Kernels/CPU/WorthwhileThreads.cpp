//===- WorthwhileThreads.cpp - Threads that a kernel should use -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "WorthwhileThreads.h"

#include <algorithm>

using namespace weir;

// The rates of one core with operands in its L2 cache, where small tensors lie.
static constexpr double flopsPerNs = 50, bytesPerNs = 25;

// The time that a team must save. To share work with a spinning thread takes
// 1.4 us. If the thread sleeps, or if other work uses its core, it takes many
// times longer.
static constexpr double leastSavedNs = 5000;

int cpu::worthwhileThreads(const KernelSpec &spec, double flops, int threads) {
  if (threads <= 1)
    return 1;
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
