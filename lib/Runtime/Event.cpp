//===- Event.cpp - A counter that queues signal and wait for -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Event.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace weir;

static void relaxProcessor() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

void Event::wait(uint32_t epoch, int spins) {
  for (int i = 0; i < spins; ++i) {
    if (hasReached(epoch))
      return;
    relaxProcessor();
  }
  parked.fetch_add(1, std::memory_order_seq_cst);
  uint32_t seen = value.load(std::memory_order_seq_cst);
  while (static_cast<int32_t>(seen - epoch) < 0) {
    value.wait(seen, std::memory_order_seq_cst);
    seen = value.load(std::memory_order_seq_cst);
  }
  parked.fetch_sub(1, std::memory_order_relaxed);
}
