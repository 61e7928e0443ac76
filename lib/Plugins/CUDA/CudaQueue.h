//===- CudaQueue.h - A stream, and the threads that serve it ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The thread of a queue walks the lists and asks the stream for their steps. It
// waits only for other queues. If the other queue is one of a `cuda` device,
// the thread waits until that queue has asked its stream for the work. If the
// other device is of another kind, the thread waits until that device has done
// the work. A second thread (StreamWatch) learns what the stream has done. If
// the queue is idle, a caller does the work of both threads.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDAQUEUE_H
#define WEIR_LIB_PLUGINS_CUDA_CUDAQUEUE_H

#include "CudaContext.h"
#include "Remarks.h"
#include "StreamInspection.h"
#include "StreamList.h"
#include "StreamWatch.h"
#include "weir/Runtime/Backlog.h"
#include "weir/Runtime/DeviceQueue.h"
#include "weir/Runtime/Event.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace weir {

class CudaQueue final : public DeviceQueue {
public:
  /// `remarks` outlives the queue.
  static StatusOr<std::unique_ptr<CudaQueue>>
  create(std::shared_ptr<CudaContext> context, Remarks &remarks);
  ~CudaQueue() override;

  void submit(Submission &submission) override { backlog.add(submission); }
  bool takesAtOnce() const override { return true; }
  bool runHere(Submission &submission) override;

  /// Makes later work of the stream wait for `event`, which was recorded. The
  /// context is the current one of the calling thread.
  Status orderBehind(CUevent event);

private:
  /// A submission under way.
  struct Walk {
    Submission &submission;
    StreamList &derived;
    /// Whether the host looks at each step.
    bool isObserved;
    uint64_t waitedNs = 0;
    /// The number of tensors that were shown to the observer.
    size_t shown = 0;
    /// The last step that was begun.
    size_t at = 0;
  };

  CudaQueue(std::shared_ptr<CudaContext> context, Remarks &remarks)
      : context(std::move(context)), remarks(remarks) {}
  Status start();
  void drive();
  /// Asks the stream for all of `submission`. Returns its end.
  SubmissionEnd carryOut(Submission &submission);
  /// Fails the run if one of its launches has turned out to be an error.
  void reportOutcome(const SubmissionEnd &end);
  /// Ends the submission of `end`, which the stream has carried out.
  void end(const SubmissionEnd &end);
  Status begin(Submission &submission, StreamList *&derived);
  void walk(Walk &walk);
  /// Carries out step `walk.at`. Returns the next step.
  StatusOr<size_t> doStep(Walk &walk);
  StatusOr<size_t> doStretch(Walk &walk, const Stretch &stretch);
  /// Asks the stream for launch, copy or fill `at`. Some steps have to wait
  /// until the stream is idle. If the run is cancelled during such a wait,
  /// leaves the step out.
  Status enqueue(const Walk &walk, size_t at);
  Status enqueueAll(Walk &walk, const Stretch &stretch);
  Status record(Walk &walk);
  Status waitFor(Walk &walk);
  /// Whether the stream carries out step `at`.
  static bool isOnStream(const Walk &walk, size_t at);
  /// Counts step `at`, which is begun.
  void count(const Walk &walk, size_t at);
  /// Tries to capture `stretch`. Returns whether that succeeded.
  bool capture(Walk &walk, const Stretch &stretch, StretchGraphs &graphs);
  Status tryCapture(Walk &walk, const Stretch &stretch, StretchGraphs &graphs);
  /// Whether the driver returns from a copy only after the stream has carried
  /// out its earlier work.
  bool waitsInDriver(CUdeviceptr to, CUdeviceptr from, uint64_t bytes) const;

  const std::shared_ptr<CudaContext> context;
  Remarks &remarks;
  CUstream stream = nullptr;
  /// Held while the stream is captured.
  std::mutex capturing;
  std::unique_ptr<StreamWatch> watch;
  std::unique_ptr<StreamInspection> inspection;
  Completion started;
  Status startStatus;
  Backlog backlog;
  std::thread thread;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDAQUEUE_H
