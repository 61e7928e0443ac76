//===- ConcurrentRuns.cpp - Keeps several runs in flight -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ConcurrentRuns.h"

#include "../Session/PortTensors.h"
#include "RunTensors.h"

#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <system_error>
#include <thread>

using namespace weir;

namespace {

/// The runs that are not begun yet, and the first error.
class Runs {
public:
  Runs(TimedCalls &calls, std::span<const ConstTensorView> inputs, size_t count)
      : calls(calls), inputs(inputs), count(count) {}

  /// Makes run number `index`, and then further runs, until none is left or a
  /// run has failed.
  void work(size_t index, std::span<const TensorView> outputs) {
    for (; index < count && !hasFailed; index = next++)
      if (auto inTime = calls.call(inputs, outputs); !inTime)
        fail(std::move(inTime).status());
  }

  void fail(Status status) {
    const std::lock_guard lock(mutex);
    if (!hasFailed.exchange(true))
      first = std::move(status);
  }

  size_t take() { return next++; }
  Status takeStatus() { return std::move(first); }

private:
  TimedCalls &calls;
  std::span<const ConstTensorView> inputs;
  size_t count;
  /// The number of the next run. The calling thread makes run 0.
  std::atomic<size_t> next{1};
  std::atomic<bool> hasFailed{false};
  std::mutex mutex;
  Status first;
};

} // namespace

Status weir::runConcurrently(const RunTarget &target, TimedCalls &calls,
                             std::span<const ConstTensorView> inputs,
                             std::span<const TensorView> outputs,
                             int numCallers, size_t count) {
  Runs runs(calls, inputs, count);
  std::vector<std::vector<HostTensor>> tensors;
  std::vector<RunOutputs> others;
  for (int i = 1; i < numCallers; ++i) {
    WEIR_ASSIGN_OR_RETURN(std::vector<HostTensor> own,
                          zerosFor(target.outputs()));
    tensors.push_back(std::move(own));
    WEIR_ASSIGN_OR_RETURN(RunOutputs bound,
                          RunOutputs::of(target, tensors.back()));
    others.push_back(std::move(bound));
  }
  std::vector<std::thread> callers;
  callers.reserve(others.size());
  for (const RunOutputs &own : others) {
    try {
      callers.emplace_back([&] { runs.work(runs.take(), own.views()); });
    } catch (const std::system_error &error) {
      runs.fail(resourceExhausted(fmt::format(
          "cannot start a thread for --in-flight: {}; lower it, or raise the "
          "limits of the process",
          error.code().message())));
      break;
    }
  }
  runs.work(0, outputs);
  for (std::thread &caller : callers)
    caller.join();
  return runs.takeStatus();
}
