//===- ParallelFor.h - Loops over a thread team -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_PARALLELFOR_H
#define WEIR_LIB_RUNTIME_PARALLELFOR_H

#include <omp.h>

#include <algorithm>
#include <cstdint>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
/// For functions with a parallel region. The compiler passes addresses of
/// shared variables to the threads before `TeamOrder` can tell ThreadSanitizer
/// about the order. Functions called from such a function are checked as usual.
#define WEIR_NOT_CHECKED_FOR_RACES __attribute__((no_sanitize("thread")))
#else
#define WEIR_NOT_CHECKED_FOR_RACES
#endif

namespace weir {

/// Tells ThreadSanitizer how the threads of a team are ordered in a parallel
/// region. It cannot see this itself, because libgomp is not built with
/// ThreadSanitizer. In other builds this does nothing.
class TeamOrder {
public:
  /// Called by the calling thread before it opens the region.
  void beforeRegion() { release(begun); }
  /// Called by a thread of the team before its part.
  void beginPart() { acquire(begun); }
  /// Called by a thread of the team after its part.
  void endPart() { release(done); }
  /// Called after the region.
  void afterRegion() { acquire(done); }

private:
#if defined(__SANITIZE_THREAD__)
  static void release(char &event) { __tsan_release(&event); }
  static void acquire(char &event) { __tsan_acquire(&event); }
#else
  static void release(char &) {}
  static void acquire(char &) {}
#endif

  char begun = 0;
  char done = 0;
};

/// Calls `body()` on each thread of a team of `threads`, which becomes the
/// calling thread's team. OpenMP may make it smaller.
template <typename Body>
WEIR_NOT_CHECKED_FOR_RACES void onEachThread(int threads, const Body &body) {
  TeamOrder order;
  order.beforeRegion();
#pragma omp parallel num_threads(threads)
  {
    order.beginPart();
    body();
    order.endPart();
  }
  order.afterRegion();
}

/// Calls `body(part)` for each of `parts` parts on the calling thread's team,
/// whatever its size. Each thread gets consecutive parts. A single part runs on
/// the calling thread. For more parts the whole team is used, because changing
/// the number of threads costs more than waking idle ones.
template <typename Body>
WEIR_NOT_CHECKED_FOR_RACES void parallelFor(int64_t parts, const Body &body) {
  if (parts == 1) {
    body(int64_t(0));
    return;
  }
  TeamOrder order;
  order.beforeRegion();
#pragma omp parallel
  {
    order.beginPart();
    const int64_t threads = omp_get_num_threads();
    const int64_t thread = omp_get_thread_num();
    const int64_t each = parts / threads, more = parts % threads;
    const int64_t first = thread * each + std::min(thread, more);
    const int64_t end = first + each + (thread < more ? 1 : 0);
    for (int64_t part = first; part < end; ++part)
      body(part);
    order.endPart();
  }
  order.afterRegion();
}

} // namespace weir

#endif // WEIR_LIB_RUNTIME_PARALLELFOR_H
