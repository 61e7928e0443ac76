//===- Frame.h - One run in flight ------------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_RUNNING_FRAME_H
#define WEIR_LIB_RUNTIME_RUNNING_FRAME_H

#include "../Loading/LoadedModel.h"
#include "RunRequest.h"

#include <memory>
#include <span>
#include <vector>

namespace weir {

class Admission;

/// The data of a run while it is in flight: addresses, submissions, its first
/// error. A model has as many frames as runs may be in flight. A frame
/// allocates nothing after its construction.
class Frame {
public:
  /// Frame `number` of `model`, whose runs end in `admission`.
  Frame(const LoadedModel &model, size_t number, Admission &admission);

  /// Prepares a run on checked buffers. The frame must not be in use. `base` is
  /// what the run adds to the values of its events. `submit` or `runHere` must
  /// follow.
  void begin(const Plan &plan, std::span<const ConstTensorView> inputs,
             std::span<const TensorView> outputs, uint32_t base);

  /// Hands the run to the queues and returns.
  void submit();

  /// Executes the run on the calling thread and returns true, or does nothing
  /// and returns false.
  bool runHere();

  /// Cancels the run. Its queues then end early.
  void cancel(Status reason);

  /// The outcome of the run. All queues must have left the run. If the run
  /// succeeded, its counts are written to `counts`, which has one record per
  /// device.
  Status finish(std::span<DeviceCounts> counts);

  /// Calls `function` with each variable that the ended run may have written in
  /// part.
  template <typename Function> void forEachWritten(Function function) const {
    for (size_t i = 0; i < current->programs.size(); ++i)
      for (const VariableWrite &write : current->programs[i].variableWrites)
        if (write.step < submissions()[i].counters.variableSteps)
          function(write.variable);
  }

  const Plan &plan() const { return *current; }
  const RunControl &control() const { return run; }

  // The members that follow belong to the admission.
  /// The request of the run, until its caller has been told the outcome.
  RunRequest *request = nullptr;
  /// The place for the outcome if the caller executes the run; else null.
  Status *here = nullptr;
  /// The next unused frame.
  Frame *next = nullptr;
  /// What the run holds. The request of the run may end before the run does.
  Claim claim;

private:
  /// The data that the frame holds for a plan.
  struct Bound {
    std::vector<void *> slots;
    std::unique_ptr<Submission[]> submissions;
  };
  void fillSlots(const Plan &plan);
  std::span<Submission> submissions() const {
    return {bound[current->index].submissions.get(), current->programs.size()};
  }
  void queueDone(const Submission &submission);

  Admission &admission;
  const ModelDevices &devices;
  std::span<std::byte *const> arenas;
  /// The data for each plan.
  std::vector<Bound> bound;
  const Plan *current = nullptr;
  RunControl run;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_RUNNING_FRAME_H
