//===- StreamList.h - What a queue derives from a list ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A stretch is a part of a list that only a stream carries out. Its steps are
// launches, and copies and fills within the memory of GPUs. The first run asks
// the stream for each step of the stretch. If a later run of the frame uses the
// same addresses, the stretch is captured as a CUDA graph. From then on, each
// run with these addresses launches the graph.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_STREAMLIST_H
#define WEIR_LIB_PLUGINS_CUDA_STREAMLIST_H

#include "CudaContext.h"
#include "StreamEvents.h"
#include "StreamKernel.h"
#include "StreamWatch.h"
#include "weir/Runtime/DeviceQueue.h"

#include <memory>
#include <vector>

namespace weir {

/// Steps [begin, end) of a list.
struct Stretch {
  size_t begin = 0;
  size_t end = 0;
};

/// A stretch of one frame, with a captured graph for each set of addresses that
/// the last runs have used.
class StretchGraphs {
public:
  explicit StretchGraphs(std::shared_ptr<CudaContext> context)
      : context(std::move(context)) {}
  StretchGraphs(StretchGraphs &&) noexcept = default;
  ~StretchGraphs();

  /// The ways in which a run can carry out its stretch.
  enum class Way { EachStep, Capture, Replay };
  /// The way for a run in which the stretch uses `addresses`. The members below
  /// are about these addresses.
  Way choose(const std::vector<void *> &addresses);

  /// Notes that the stream was asked for each step, so nothing remains to be
  /// loaded.
  void noteSteps();
  /// Keeps the captured graph `exec`, and destroys it in the end.
  void keep(CUgraphExec exec) { all[0].exec = exec; }
  /// Makes later runs carry out the stretch step by step.
  void giveUp() { isGivenUp = true; }
  Status launch(CUstream stream) const;

private:
  struct Captured {
    std::vector<void *> addresses;
    /// Whether the stream was asked for each step with these addresses.
    bool isKnown = false;
    CUgraphExec exec = nullptr;
  };
  void destroy(Captured &captured);

  std::shared_ptr<CudaContext> context;
  /// The known addresses and what was captured with them. The addresses of the
  /// last run come first.
  std::vector<Captured> all;
  bool isGivenUp = false;
};

/// The data that the queue of a `cuda` device keeps about a list:
/// CommandList::derived.
class StreamList {
public:
  /// The data for `list`, made at the first call. `slots` are the slots of any
  /// run.
  static StatusOr<StreamList *> of(const CommandList &list, void *const *slots,
                                   const std::shared_ptr<CudaContext> &context);

  /// The kernel of launch `at`, or null if it runs on the host.
  StreamKernel *kernel(size_t at) const { return steps[at].kernel; }
  /// The event of a record or wait.
  StreamEvent &event(size_t at) const { return *steps[at].event; }
  /// The stretch that begins with step `at`, or null.
  const Stretch *stretchAt(size_t at) const {
    const size_t number = steps[at].stretch;
    return number ? &stretches[number - 1] : nullptr;
  }
  /// The graphs of `stretch` in runs with these slots.
  StretchGraphs &graphs(const Stretch &stretch, void **slots);
  /// The error of the first launch that has failed in a run with these slots.
  /// Ok if no launch has failed. All launches of the run have ended. Sets `at`
  /// to the step of the launch.
  Status outcome(void *const *slots, size_t &at) const;
  /// Whether the list has no wait for another queue, and no record for another
  /// queue.
  bool isAlone() const { return numEvents == 0; }
  /// The times of waits for the end of step `at`, and for the end of the list.
  /// Only the thread that waits uses them.
  WaitTimes &times(size_t at) { return steps[at].times; }
  WaitTimes endTimes;
  /// The addresses that `stretch` uses. Valid until the next call.
  const std::vector<void *> &addressesOf(const Stretch &stretch,
                                         void *const *slots);

private:
  struct StreamStep {
    StreamKernel *kernel = nullptr;
    std::shared_ptr<StreamEvent> event;
    /// The number of the stretch that begins with this step, plus one. 0 if no
    /// stretch begins with it.
    size_t stretch = 0;
    WaitTimes times;
  };
  /// The graphs of the runs that have these slots.
  struct FrameGraphs {
    void **slots;
    std::vector<StretchGraphs> graphs;
  };
  StreamList(const CommandList &list, std::shared_ptr<CudaContext> context)
      : list(list), context(std::move(context)), steps(list.steps.size()) {}
  Status prepareSteps();
  void findStretches(void *const *slots);
  bool isOnDevice(const void *address) const;
  bool isInStretch(size_t at, void *const *slots) const;
  size_t numSlots(size_t at) const;

  const CommandList &list;
  std::shared_ptr<CudaContext> context;
  std::vector<StreamStep> steps;
  /// The launches that may turn out to be errors.
  std::vector<size_t> uncertain;
  /// The number of records and waits.
  size_t numEvents = 0;
  std::vector<Stretch> stretches;
  std::vector<FrameGraphs> frames;
  std::vector<void *> addresses;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_STREAMLIST_H
