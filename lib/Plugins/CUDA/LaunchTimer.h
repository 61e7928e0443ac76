//===- LaunchTimer.h - Times launches on scratch memory ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Launches are timed as runs make them: several in a CUDA graph, which is
// replayed. A launch alone would not be timed well, because many kernels take
// less time than the host takes to ask for them.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_LAUNCHTIMER_H
#define WEIR_LIB_PLUGINS_CUDA_LAUNCHTIMER_H

#include "CudaContext.h"
#include "EventPair.h"
#include "weir/Runtime/Device.h"
#include "weir/Support/TensorDesc.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace weir {

/// Times launches in memory of the timer and on a stream of the timer. One
/// thread uses the timer, and has the timer's context as its current one.
class LaunchTimer {
public:
  /// Makes a timer for launches with the buffers `tensors`. The last buffer is
  /// the result. All other buffers have random numbers in [-1, 1]. `device` is
  /// the device of `context`, and outlives the timer.
  static StatusOr<std::unique_ptr<LaunchTimer>>
  create(std::shared_ptr<CudaContext> context, Device &device,
         std::span<const TensorDesc> tensors);
  ~LaunchTimer();
  LaunchTimer(const LaunchTimer &) = delete;
  LaunchTimer &operator=(const LaunchTimer &) = delete;

  /// Asks the timer's stream for a launch.
  using AskFunction =
      std::function<Status(void *const *buffers, void *workspace)>;
  /// The shortest time of a launch, in ns.
  StatusOr<double> time(const AskFunction &ask, size_t workspaceBytes);
  /// The result of the launches that were timed last. Elements that they have
  /// not written are NaN.
  StatusOr<std::vector<std::byte>> result();
  CUstream stream() const { return own; }

private:
  LaunchTimer(std::shared_ptr<CudaContext> context, Device &device)
      : context(context), device(device), events(std::move(context)) {}
  Status start(std::span<const TensorDesc> tensors);
  Status clearResult();
  StatusOr<double> measure(const std::function<Status()> &ask,
                           CUgraphExec &exec);
  StatusOr<uint64_t> elapsed(const std::function<Status()> &ask);

  std::shared_ptr<CudaContext> context;
  Device &device;
  CUstream own = nullptr;
  EventPair events;
  std::unique_ptr<DeviceMemory> memory, workspace;
  /// The addresses of the launch's buffers in `memory`.
  std::vector<void *> buffers;
  size_t resultBytes = 0;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_LAUNCHTIMER_H
