//===- ThreadTeam.cpp - Teams of threads on a device's cores --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ThreadTeam.h"

#include "weir/Runtime/Guarded.h"

#include "../../OpenMP/Team.h"
#include "ProcessorMask.h"
#include "weir/Support/BlockedSignals.h"

#include <atomic>
#include <fmt/format.h>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace weir;

void weir::pinThread(std::span<const int> processors) {
  if (processors.empty())
    return;
  ProcessorMask mask;
  for (int processor : processors)
    mask.add(processor);
  (void)mask.applyTo(0);
}

/// Moves the calling thread, number `thread` of the team, to its cores. The
/// thread may have inherited a mask with fewer cores than the device has.
static void settleThread(const CoreShare &share, size_t thread) {
  const std::span<const int> processors = share.processors;
  pinThread(share.isPinned ? processors.subspan(thread, 1) : processors);
}

/// Ok if `count` more threads can be created. OpenMP ends the process if it
/// cannot create a thread. So this check comes directly before OpenMP is asked.
static Status probeThreads(int count) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(count));
  std::atomic<bool> mayEnd{false};
  std::error_code refusal;
  try {
    for (int i = 0; i < count; ++i)
      threads.emplace_back([&] { mayEnd.wait(false); });
  } catch (const std::system_error &error) {
    refusal = error.code();
  } catch (const std::bad_alloc &) {
    refusal = std::make_error_code(std::errc::not_enough_memory);
  }
  mayEnd = true;
  mayEnd.notify_all();
  for (std::thread &thread : threads)
    thread.join();
  if (!refusal)
    return Status::ok();
  return resourceExhausted(
      fmt::format("cannot start {} threads, only {}: {}; ask for fewer "
                  "threads, or raise the limits of the process",
                  count + 1, threads.size() + 1, refusal.message()));
}

Status weir::startTeam(const CoreShare &share) {
  if (share.threads == 1)
    return Status::ok();
  const BlockedSignals blocked;
  WEIR_RETURN_IF_ERROR(probeThreads(share.threads - 1));
  std::atomic<int> numThreads{0};
  onEachThread(share.threads, [&](int thread) {
    if (thread != 0) {
      settleThread(share, static_cast<size_t>(thread));
      setFloatModes(defaultFloatModes);
    }
    ++numThreads;
  });
  if (numThreads == share.threads)
    return Status::ok();
  // Kernels, and the bits of their results, depend on the size of the team.
  return unavailable(
      fmt::format("expected a team of {} threads, OpenMP gives {}; unset "
                  "OMP_THREAD_LIMIT and OMP_MAX_ACTIVE_LEVELS, or ask for "
                  "fewer threads",
                  share.threads, numThreads.load()));
}

// libgomp lets threads spin only while it has at most as many threads as there
// are cores. So one more team, which does nothing, makes the threads of all
// teams sleep.
BriefWaits::BriefWaits() {
  Completion hasBegun;
  try {
    const BlockedSignals blocked;
    thread = std::thread([&] {
      CoreShare idle;
      idle.threads = 2;
      (void)guarded("a team", [&] { return startTeam(idle); });
      hasBegun.notify();
      end.wait();
    });
  } catch (...) {
    return;
  }
  hasBegun.wait();
}

BriefWaits::~BriefWaits() {
  if (!thread.joinable())
    return;
  end.notify();
  thread.join();
}

unsigned weir::floatModes() {
#if defined(__x86_64__)
  return _mm_getcsr();
#else
  return 0;
#endif
}

void weir::setFloatModes(unsigned modes) {
#if defined(__x86_64__)
  _mm_setcsr(modes);
#else
  (void)modes;
#endif
}
