//===- RunRequest.h - A run that somebody asks for --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_RUNNING_RUNREQUEST_H
#define WEIR_LIB_RUNTIME_RUNNING_RUNREQUEST_H

#include "../Loading/Plan.h"
#include "CancelToken.h"
#include "DeadlineWatch.h"
#include "weir/Runtime/RunOptions.h"

#include <optional>
#include <span>

namespace weir {

class Frame;

/// The resources that a request needs, and the resources that it holds while it
/// is under way.
struct Claim {
  /// The plan to run, or null for an access to variables from outside of runs.
  const Plan *plan = nullptr;
  /// The uses of classes of variables.
  std::span<const ClassUse> uses;

  /// The frame of the run while it is in flight.
  Frame *frame = nullptr;
  /// Whether the run takes part in the turns of its devices.
  bool holdsTurn = false;
};

/// A run for which a caller waits, or an access to variables from outside of
/// runs. It belongs to the caller until `onDone`.
struct RunRequest {
  Claim claim;
  std::span<const ConstTensorView> inputs;
  std::span<const TensorView> outputs;
  /// Called once, on any thread. It may destroy the request. If the status is
  /// ok, an access may begin. The access ends with `Admission::endAccess`.
  void (*onDone)(RunRequest &request, Status status) = nullptr;
  /// The options by which the request may end early, or null.
  const RunOptions *options = nullptr;
  /// Whether the call that made the request returns before `onDone`.
  /// `Admission::stop` then waits for `onDone`. Such a request ends with
  /// `Admission::callReturned`.
  bool isDetached = false;

private:
  friend class Admission;
  friend class RequestLine;
  RunRequest *next = nullptr;
  RunRequest *previous = nullptr;
  /// The number of the request; not 0 if it may end early.
  uint64_t id = 0;
  std::optional<CancelToken> token;
  std::optional<DeadlineWatch::Time> deadline;
  Status outcome;
};

/// The requests that wait to begin, first come, first served.
class RequestLine {
public:
  bool isEmpty() const { return !head; }
  RunRequest &front() const { return *head; }
  void append(RunRequest &request) {
    request.next = nullptr;
    request.previous = tail;
    (tail ? tail->next : head) = &request;
    tail = &request;
  }
  void remove(RunRequest &request) {
    (request.previous ? request.previous->next : head) = request.next;
    (request.next ? request.next->previous : tail) = request.previous;
  }

private:
  RunRequest *head = nullptr;
  RunRequest *tail = nullptr;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_RUNNING_RUNREQUEST_H
