//===- SubmittingQueue.cpp - Submits to a queue on a thread ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SubmittingQueue.h"

#include "weir/Support/BlockedSignals.h"

#include <fmt/format.h>
#include <system_error>

using namespace weir;

StatusOr<std::unique_ptr<SubmittingQueue>>
SubmittingQueue::create(DeviceQueue &queue, const std::string &deviceName) {
  std::unique_ptr<SubmittingQueue> made(new SubmittingQueue(queue));
  try {
    const BlockedSignals blocked;
    made->thread = std::thread([self = made.get()] { self->drive(); });
  } catch (const std::system_error &error) {
    return resourceExhausted(fmt::format(
        "cannot start a thread for {}: {}; raise the limits of the process",
        deviceName, error.code().message()));
  }
  return made;
}

SubmittingQueue::~SubmittingQueue() {
  if (!thread.joinable())
    return;
  backlog.end();
  thread.join();
}

void SubmittingQueue::drive() {
  while (Submission *submission = backlog.take(/*spins=*/0)) {
    // When this call returns, the submission may be carried out already, and be
    // in use for another run.
    queue.submit(*submission);
    backlog.finish();
  }
}
