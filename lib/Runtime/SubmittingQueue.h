//===- SubmittingQueue.h - Submits to a queue on a thread -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_SUBMITTINGQUEUE_H
#define WEIR_LIB_RUNTIME_SUBMITTINGQUEUE_H

#include "weir/Runtime/Backlog.h"
#include "weir/Runtime/DeviceQueue.h"

#include <memory>
#include <string>
#include <thread>

namespace weir {

/// Stands for a queue that may not take a submission at once, such as the queue
/// of a plug-in. A thread of its own hands submissions over, in order. So the
/// queue blocks neither callers nor the threads of other devices, and these may
/// hold locks when they submit.
class SubmittingQueue final : public DeviceQueue {
public:
  /// `queue` is a queue of the device `deviceName`, and outlives the object.
  static StatusOr<std::unique_ptr<SubmittingQueue>>
  create(DeviceQueue &queue, const std::string &deviceName);
  ~SubmittingQueue() override;

  void submit(Submission &submission) override { backlog.add(submission); }
  bool takesAtOnce() const override { return true; }
  bool runHere(Submission &submission) override {
    return backlog.isIdle() && queue.runHere(submission);
  }
  void handOver() override { queue.handOver(); }

private:
  explicit SubmittingQueue(DeviceQueue &queue) : queue(queue) {}
  void drive();

  DeviceQueue &queue;
  Backlog backlog;
  std::thread thread;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_SUBMITTINGQUEUE_H
