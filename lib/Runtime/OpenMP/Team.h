//===- Team.h - The calling thread's team of threads ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// OpenMP gives each thread that opens a parallel region a team of its own, and
// keeps that team until a region has another size or the thread ends. Kernels
// divide their work over the team of the thread that runs them. This folder is
// the only place that knows OpenMP. OpenMPLibrary.h has all else that the
// runtime needs to know of the library. Devices/CPU decides which thread has a
// team, and on which cores.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_OPENMP_TEAM_H
#define WEIR_LIB_RUNTIME_OPENMP_TEAM_H

#include <omp.h>

#include <algorithm>
#include <cstdint>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
/// Marks a function with a parallel region, which ThreadSanitizer must not
/// check. The compiler passes addresses of shared variables to the threads
/// before `TeamOrder` can tell ThreadSanitizer about the order. Functions that
/// such a function calls are checked as usual.
#define WEIR_NOT_CHECKED_FOR_RACES __attribute__((no_sanitize("thread")))
#else
#define WEIR_NOT_CHECKED_FOR_RACES
#endif

namespace weir {

/// The number of threads in the next region that the calling thread opens.
inline int teamSize() { return omp_get_max_threads(); }

/// Sets the number of threads in later regions of the calling thread, and
/// forbids OpenMP to make the team smaller to suit the load of the machine.
inline void fixTeamSize(int threads) {
  omp_set_dynamic(0);
  omp_set_num_threads(threads);
}

/// While an object of this class exists, regions of the calling thread have as
/// many threads as it says. It must end on the thread on which it began.
class TeamSize {
public:
  explicit TeamSize(int threads)
      : before(teamSize()), isChanged(threads != before) {
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

/// Like TeamSize, but for a thread that is not Weir's: such a thread may have
/// allowed OpenMP to make its teams smaller.
class FixedTeamSize {
public:
  explicit FixedTeamSize(int threads)
      : size(threads), wasDynamic(omp_get_dynamic()) {
    omp_set_dynamic(0);
  }
  ~FixedTeamSize() { omp_set_dynamic(wasDynamic); }
  FixedTeamSize(const FixedTeamSize &) = delete;
  FixedTeamSize &operator=(const FixedTeamSize &) = delete;

private:
  TeamSize size;
  bool wasDynamic;
};

/// Whether the calling thread is inside of a region, where it would get no team
/// of its own.
inline bool isInRegion() { return omp_get_level() != 0; }

/// While an object of this class exists, regions of the calling thread are
/// carried out by that thread alone, whatever their size. The team of the
/// thread stays, and sleeps.
class WithoutTeam {
public:
  WithoutTeam() : before(omp_get_max_active_levels()) {
    omp_set_max_active_levels(0);
  }
  ~WithoutTeam() { omp_set_max_active_levels(before); }
  WithoutTeam(const WithoutTeam &) = delete;
  WithoutTeam &operator=(const WithoutTeam &) = delete;

private:
  int before;
};

/// Whether the calling thread does without its team.
inline bool isWithoutTeam() { return omp_get_max_active_levels() == 0; }

/// Ends the threads of the team of which the calling thread is the master. The
/// next region would start new threads on arbitrary cores.
inline void endTeam() { omp_pause_resource_all(omp_pause_soft); }

/// Tells ThreadSanitizer how the threads of a team are ordered in a parallel
/// region. ThreadSanitizer cannot see this order itself, because libgomp is not
/// built with it. In other builds this class does nothing.
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

/// Calls `body(thread)` on each thread of a team of `threads`, which becomes
/// the calling thread's team. Thread 0 is the calling thread. OpenMP may make
/// the team smaller.
template <typename Body>
WEIR_NOT_CHECKED_FOR_RACES void onEachThread(int threads, const Body &body) {
  TeamOrder order;
  order.beforeRegion();
#pragma omp parallel num_threads(threads)
  {
    order.beginPart();
    body(omp_get_thread_num());
    order.endPart();
  }
  order.afterRegion();
}

/// Calls `body(part)` for each of `parts` parts on the calling thread's team,
/// whatever its size. Each thread gets consecutive parts. A single part runs on
/// the calling thread. For more parts the whole team is used, because changing
/// the number of threads costs more than to wake idle threads.
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

#endif // WEIR_LIB_RUNTIME_OPENMP_TEAM_H
